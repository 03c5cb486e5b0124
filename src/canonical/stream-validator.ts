// The grammar of a delta stream, checkable: start, then blocks that open, fill and close, then one finish or one error.
import type { Delta, OpenBlock } from "./stream-event.ts";

const bodies: { readonly [kind in OpenBlock["kind"]]: Delta["type"] } = {
  text: "text",
  refusal: "text",
  thinking: "thinking",
  "tool-call": "tool-input",
  audio: "media",
  image: "media",
};

/** The first breach in words, or null when the stream is well formed. */
export function grammarFault(deltas: readonly Delta[]): string | null {
  const blocks = new Map<string, { kind: OpenBlock["kind"]; closed: boolean }>();
  const counts = new Map<number, number>();
  for (const [position, delta] of deltas.entries()) {
    const fault = step(delta, position, deltas.length, blocks, counts);
    if (fault !== null) return `delta ${position} (${delta.type}): ${fault}`;
  }
  const last = deltas.at(-1);
  if (last?.type !== "finish" && last?.type !== "error") return "the stream ends with neither finish nor error";
  return null;
}

function step(
  delta: Delta,
  position: number,
  length: number,
  blocks: Map<string, { kind: OpenBlock["kind"]; closed: boolean }>,
  counts: Map<number, number>,
): string | null {
  if (delta.type === "error") return position === length - 1 ? null : "nothing may follow an error";
  if ((position === 0) !== (delta.type === "start")) return "start must come first, and once";
  if (delta.type === "start") return null;
  if (delta.type === "finish") {
    if (position !== length - 1) return "nothing may follow a finish";
    return [...blocks.values()].every((block) => block.closed) ? null : "a block is still open";
  }
  const key = `${delta.choice}/${delta.block}`;
  const known = blocks.get(key);
  if (delta.type === "block-open") {
    const expected = counts.get(delta.choice) ?? 0;
    if (delta.block !== expected) return `block number ${delta.block}, expected ${expected}`;
    counts.set(delta.choice, expected + 1);
    blocks.set(key, { kind: delta.open.kind, closed: false });
    return null;
  }
  if (known === undefined || known.closed) return `block ${key} is not open`;
  if (delta.type === "block-close") known.closed = true;
  else if (bodies[known.kind] !== delta.type) return `a ${known.kind} block cannot hold it`;
  return null;
}
