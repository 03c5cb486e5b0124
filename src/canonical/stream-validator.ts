// Validates a stream of events: start, then blocks that open, fill and close, then one finish or one error.
import type { OpenBlock, StreamEvent } from "./stream-event.ts";

const bodies: { readonly [kind in OpenBlock["kind"]]: StreamEvent["type"] } = {
  text: "text",
  refusal: "text",
  thinking: "thinking",
  "tool-call": "tool-input",
  audio: "media",
  image: "media",
};

/** The first violation as text, or null for a valid stream. */
export function firstStreamViolation(events: readonly StreamEvent[]): string | null {
  const blocks = new Map<string, { kind: OpenBlock["kind"]; closed: boolean }>();
  const counts = new Map<number, number>();
  for (const [position, delta] of events.entries()) {
    const fault = step(delta, position, events.length, blocks, counts);
    if (fault !== null) return `delta ${position} (${delta.type}): ${fault}`;
  }
  const last = events.at(-1);
  if (last?.type !== "finish" && last?.type !== "error") return "the stream ends with neither finish nor error";
  return null;
}

function step(
  event: StreamEvent,
  position: number,
  length: number,
  blocks: Map<string, { kind: OpenBlock["kind"]; closed: boolean }>,
  counts: Map<number, number>,
): string | null {
  if (event.type === "error") return position === length - 1 ? null : "nothing may follow an error";
  if ((position === 0) !== (event.type === "start")) return "start must come first, and once";
  if (event.type === "start") return null;
  if (event.type === "finish") {
    if (position !== length - 1) return "nothing may follow a finish";
    return [...blocks.values()].every((block) => block.closed) ? null : "a block is still open";
  }
  const key = `${event.choice}/${event.block}`;
  const known = blocks.get(key);
  if (event.type === "block-start") {
    const expected = counts.get(event.choice) ?? 0;
    if (event.block !== expected) return `block number ${event.block}, expected ${expected}`;
    counts.set(event.choice, expected + 1);
    blocks.set(key, { kind: event.open.kind, closed: false });
    return null;
  }
  if (known === undefined || known.closed) return `block ${key} is not open`;
  if (event.type === "block-end") known.closed = true;
  else if (bodies[known.kind] !== event.type) return `a ${known.kind} block cannot hold it`;
  return null;
}
