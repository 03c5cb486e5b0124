// Stop sequences that the upstream does not support: the gateway applies them, holding back text that may become one.
import type { ChatResponse, Choice, FinishReason } from "./chat.ts";
import type { StreamEvent } from "./stream-event.ts";

/** Changes events on their way to the client, and may remove some. */
export type Adapt = (events: readonly StreamEvent[]) => readonly StreamEvent[];

/**
 * The stop sequence that is complete first, as for a reader of the stream; of two that end at the same position, the
 * longer.
 */
function firstHit(text: string, sequences: readonly string[]): { at: number; sequence: string } | null {
  let hit: { at: number; sequence: string } | null = null;
  for (const sequence of sequences) {
    const at = text.indexOf(sequence);
    if (at < 0) continue;
    const sooner = hit === null ? -1 : at + sequence.length - (hit.at + hit.sequence.length);
    if (hit === null || sooner < 0 || (sooner === 0 && at < hit.at)) hit = { at, sequence };
  }
  return hit;
}

function cutChoice(choice: Choice, sequences: readonly string[]): Choice {
  for (const [index, block] of choice.blocks.entries()) {
    const hit = block.type === "text" ? firstHit(block.text, sequences) : null;
    if (hit === null || block.type !== "text") continue;
    const head = hit.at === 0 ? [] : [{ ...block, text: block.text.slice(0, hit.at) }];
    const blocks = [...choice.blocks.slice(0, index), ...head];
    return { ...choice, blocks, finishReason: { kind: "stop-sequence", sequence: hit.sequence } };
  }
  return choice;
}

/** Cuts each choice of a complete reply at its first stop sequence. Thinking and tool calls are not searched. */
export function cutAtStops(response: ChatResponse, sequences: readonly string[]): ChatResponse {
  return { ...response, choices: response.choices.map((choice) => cutChoice(choice, sequences)) };
}

interface Watched {
  held: string;
  stopped: string | null;
  /** Blocks that opened after the stop and are hidden. */
  readonly hidden: Set<number>;
}

type InBlock = Exclude<StreamEvent, { type: "start" | "finish" | "error" }>;

/** One choice of a stream: what remains of an event after the search for stop sequences. */
function watchChoice(delta: InBlock, watched: Watched, sequences: readonly string[], longest: number): StreamEvent[] {
  const { choice, block } = delta;
  if (watched.stopped !== null && delta.type === "block-start") watched.hidden.add(block);
  if (watched.hidden.has(block)) return [];
  if (delta.type === "block-end") {
    const rest = watched.held;
    watched.held = "";
    return rest === "" ? [delta] : [{ type: "text", choice, block, text: rest }, delta];
  }
  if (watched.stopped !== null) return [];
  if (delta.type !== "text") return [delta];
  const seen = watched.held + delta.text;
  const hit = firstHit(seen, sequences);
  const free = hit === null ? Math.max(0, seen.length - (longest - 1)) : hit.at;
  watched.held = hit === null ? seen.slice(free) : "";
  watched.stopped = hit?.sequence ?? null;
  return free === 0 ? [] : [{ ...delta, text: seen.slice(0, free) }];
}

const stopOf = (sequence: string): FinishReason => ({ kind: "stop-sequence", sequence });

/**
 * Applies stop sequences to a stream. After a match a choice has no more content, and its finish event has the
 * sequence. With a single choice the stream ends there.
 */
export function watchStops(sequences: readonly string[], choices: number): Adapt {
  const longest = Math.max(...sequences.map((sequence) => sequence.length));
  const all = new Map<number, Watched>();
  const finished = (delta: Extract<StreamEvent, { type: "finish" }>): StreamEvent => ({
    ...delta,
    finishReasons: delta.finishReasons.map((finishReason, choice) => {
      const sequence = all.get(choice)?.stopped;
      return sequence ? stopOf(sequence) : finishReason;
    }),
  });
  const one = (event: StreamEvent): readonly StreamEvent[] => {
    if (event.type === "start" || event.type === "error") return [event];
    if (event.type === "finish") return [finished(event)];
    const watched = all.get(event.choice) ?? { held: "", stopped: null, hidden: new Set<number>() };
    all.set(event.choice, watched);
    const before = watched.stopped;
    const left = watchChoice(event, watched, sequences, longest);
    if (before !== null || watched.stopped === null || choices > 1) return left;
    const { choice, block } = event;
    return [
      ...left,
      { type: "block-end", choice, block },
      { type: "finish", finishReasons: [stopOf(watched.stopped)] },
    ];
  };
  return (events) => events.flatMap(one);
}
