// Stop texts that the upstream does not know: the gateway watches for them itself, holding back what may become one.
import type { ChatAnswer, ChatAsk, Choice, Stop } from "../../canonical/chat.ts";
import type { Delta } from "../../canonical/stream-event.ts";
import { addUsage, type Usage } from "../../canonical/usage.ts";
import type { Dialect } from "../../dialects/dialect.ts";

/** Changes deltas on their way to the client; may swallow some. */
export type Adapt = (deltas: readonly Delta[]) => readonly Delta[];

/** Splits the stop texts into those that the upstream takes and those that it does not. */
export function divideStops(ask: ChatAsk, upstream: Dialect): { ask: ChatAsk; watched: readonly string[] } {
  const { stops } = upstream.request;
  if (stops === undefined || ask.stop.length === 0) return { ask, watched: [] };
  const taken = ask.stop.filter((sequence) => stops.takes(sequence)).slice(0, stops.most);
  const watched = ask.stop.filter((sequence) => !taken.includes(sequence));
  return { ask: watched.length === 0 ? ask : { ...ask, stop: taken }, watched };
}

/** The stop text that is complete first, as a reader of the stream would meet it, whatever the cut; of two that end together, the longer. */
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
    const kept = hit.at === 0 ? [] : [{ ...block, text: block.text.slice(0, hit.at) }];
    const blocks = [...choice.blocks.slice(0, index), ...kept];
    return { ...choice, blocks, stop: { kind: "stop-sequence", sequence: hit.sequence } };
  }
  return choice;
}

/** Cuts each choice of a whole reply at the first stop text. Thinking and tool calls are not searched. */
export function cutAtStops(answer: ChatAnswer, sequences: readonly string[]): ChatAnswer {
  return { ...answer, choices: answer.choices.map((choice) => cutChoice(choice, sequences)) };
}

interface Watched {
  held: string;
  stopped: string | null;
  /** Blocks that opened after the stop: nothing of them is shown. */
  readonly hidden: Set<number>;
}

type InBlock = Exclude<Delta, { type: "start" | "finish" | "error" }>;

/** One choice of a stream: what is left of a delta once the stop text has been looked for. */
function watchChoice(delta: InBlock, watched: Watched, sequences: readonly string[], longest: number): Delta[] {
  const { choice, block } = delta;
  if (watched.stopped !== null && delta.type === "block-open") watched.hidden.add(block);
  if (watched.hidden.has(block)) return [];
  if (delta.type === "block-close") {
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

const stopOf = (sequence: string): Stop => ({ kind: "stop-sequence", sequence });

/** Watches a stream. After a hit a choice says nothing more, and its finish tells which text stopped it; a lone choice ends the stream there. */
export function watchStops(sequences: readonly string[], choices: number): Adapt {
  const longest = Math.max(...sequences.map((sequence) => sequence.length));
  const all = new Map<number, Watched>();
  const finished = (delta: Extract<Delta, { type: "finish" }>): Delta => ({
    ...delta,
    stops: delta.stops.map((stop, choice) => {
      const sequence = all.get(choice)?.stopped;
      return sequence ? stopOf(sequence) : stop;
    }),
  });
  const one = (delta: Delta): readonly Delta[] => {
    if (delta.type === "start" || delta.type === "error") return [delta];
    if (delta.type === "finish") return [finished(delta)];
    const watched = all.get(delta.choice) ?? { held: "", stopped: null, hidden: new Set<number>() };
    all.set(delta.choice, watched);
    const before = watched.stopped;
    const left = watchChoice(delta, watched, sequences, longest);
    if (before !== null || watched.stopped === null || choices > 1) return left;
    const { choice, block } = delta;
    return [...left, { type: "block-close", choice, block }, { type: "finish", stops: [stopOf(watched.stopped)] }];
  };
  return (deltas) => deltas.flatMap(one);
}

/** The sum of what several replies used; undefined when one of them does not say. */
export function sumUsage(usages: readonly (Usage | undefined)[]): Usage | undefined {
  const known = usages.filter((usage) => usage !== undefined);
  return known.length === usages.length && known.length > 0 ? known.reduce(addUsage) : undefined;
}
