// Ends a stream at a limit of the gateway, like a reply that has reached its output limit.
import type { StreamEvent } from "../../canonical/stream-event.ts";
import type { Usage } from "../../canonical/usage.ts";
import type { ResponseFrame, StreamWriter } from "../../dialects/dialect.ts";

type BlockStart = Extract<StreamEvent, { type: "block-start" }>;

/** Events that give a stream its structure: its start, and the start and end of its blocks. */
export const isStructure = ({ type }: StreamEvent): boolean =>
  type === "start" || type === "block-start" || type === "block-end";

function openBlocks(structure: readonly StreamEvent[]): BlockStart[] {
  const open = new Map<string, BlockStart>();
  for (const event of structure) {
    if (event.type === "block-start") open.set(`${event.choice} ${event.block}`, event);
    else if (event.type === "block-end") open.delete(`${event.choice} ${event.block}`);
  }
  return [...open.values()];
}

/** Ends all open blocks, then the reply, with the finish reason of the output limit. */
export function lengthEnd(writer: StreamWriter, structure: readonly StreamEvent[], usage: Usage): ResponseFrame[] {
  const ends: StreamEvent[] = openBlocks(structure).map(({ choice, block }) => ({ type: "block-end", choice, block }));
  const choices = structure.reduce((most, each) => ("choice" in each ? Math.max(most, each.choice + 1) : most), 1);
  const finishReasons = Array.from({ length: choices }, () => ({ kind: "length" }) as const);
  return [...ends, { type: "finish", finishReasons, usage } as const].flatMap((event) => writer.write(event));
}

/** A content event for each block, because a writer may open one only with its first text. */
function bodyOf({ choice, block, open }: BlockStart): StreamEvent | null {
  const at = { choice, block, text: " " };
  if (open.kind === "text" || open.kind === "refusal") return { type: "text", ...at };
  if (open.kind === "thinking") return { type: "thinking", ...at };
  return open.kind === "tool-call" ? { type: "tool-input", ...at } : null;
}

/**
 * A writer that has written the same structure before. Its output is discarded, because the upstream already sent it.
 */
export function primed(writer: StreamWriter, structure: readonly StreamEvent[]): StreamWriter {
  for (const event of structure) {
    writer.write(event);
    const body = event.type === "block-start" ? bodyOf(event) : null;
    if (body !== null) writer.write(body);
  }
  return writer;
}
