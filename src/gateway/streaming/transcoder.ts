// Turning what the upstream sent into what the client gets: the same bytes, or another dialect's. The meter sees all of it.

import type { GatewayError } from "../../canonical/error.ts";
import { type Adapt, watchStops } from "../../canonical/stop-sequences.ts";
import type { StreamEvent } from "../../canonical/stream-event.ts";
import type { Usage } from "../../canonical/usage.ts";
import type { PassthroughReader, ResponseFrame, StreamReader, StreamWriter } from "../../dialects/dialect.ts";
import { streamTruncated } from "../../dialects/errors.ts";
import { readContextOf } from "../../dialects/request-outline.ts";
import { encodeFrames, type Frame, formatFrame, readFrame, type SseChunk } from "../../lib/sse.ts";
import type { UpstreamPlan } from "../attempts/upstream-plan.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import type { Meter } from "./meter.ts";
import { type ClientWriter, readerOf, writerOf } from "./stream-codecs.ts";

/** How a reply ended; the error is null when it is complete. */
export interface StreamEnd {
  readonly error: GatewayError | null;
  /** What is still to be said, where the client is told usage that nobody reported: it has to be estimated first. */
  rest?(usage: Usage): Written;
}

/** Bytes for the client, with the frames that they are made of where something watches them. */
export interface Written {
  readonly bytes: Uint8Array;
  readonly frames?: readonly ResponseFrame[];
}

/** `end`: the reply is over, well or with an error; nothing follows. */
export interface Chunk extends Written {
  readonly end?: StreamEnd;
}

/** One after the other. */
export function bothOf(first: Written, second: Written): Written {
  const bytes = Buffer.concat([first.bytes, second.bytes]);
  const { frames = second.frames } = first;
  return frames === undefined ? { bytes } : { bytes, frames: [...(first.frames ?? []), ...(second.frames ?? [])] };
}

/** The last of a reply, with what tells usage. */
export function lastOf(chunk: Chunk, usage: Usage | undefined): Written {
  const rest = usage === undefined ? undefined : chunk.end?.rest?.(usage);
  return rest === undefined ? chunk : bothOf(chunk, rest);
}

export interface Transcoder {
  /** The bytes may be none. */
  turn(chunk: SseChunk): Chunk;
  /** The body has ended, whether the reply had or not. */
  ended(): Chunk;
  /** An error that fits what was said before it; null where any place is as good. */
  apologise(error: GatewayError): readonly ResponseFrame[] | null;
  /** True once the upstream has said why the reply ended: only its usage and its end are to come. */
  finishing?(): boolean;
  /** Content-Type of what goes to the client, once its first bytes are there; absent for events. */
  type?(): string;
}

export const nothing = new Uint8Array();
const encoder = new TextEncoder();
const complete: StreamEnd = { error: null };

/** Notes deltas at the meter; says how the reply ended, if it did. */
function watch(events: readonly StreamEvent[], meter: Meter): StreamEnd | null {
  let end: StreamEnd | null = null;
  for (const event of events) {
    if (event.type === "error") return { error: event.error };
    meter.see(event);
    if (event.type === "finish") end = complete;
  }
  return end;
}

/** An upstream that closes without its terminator has not finished, whatever it sent. */
export const endOf = (end: StreamEnd | null): StreamEnd => end ?? { error: streamTruncated() };

/** Behind a finish come usage and an end; an upstream that goes on gets a quick estimate in place of what is charged. */
const mostHeldFrames = 16;

/** The text of a frame as the splitter gives it. */
const rawOf = (frame: Frame): string => formatFrame(frame).trimEnd();

/** Frames as the client may see them, with this usage, or a quick estimate, for what cannot be true. */
function wordsOf(
  { dialect, wire }: GatewayRequest,
  meter: Meter,
): (raws: readonly string[], usage?: Usage) => Uint8Array {
  const { corrected, visibleFrame } = dialect.passthrough;
  const textOf = (raw: string, usage: Usage | undefined): string => {
    const came = readFrame(raw);
    const correct = came === null ? null : corrected?.(came);
    const frame = correct ? correct(usage ?? meter.approximate()) : came;
    const seen = frame === null || visibleFrame === undefined ? frame : visibleFrame(frame, wire);
    if (seen === came) return `${raw}\n\n`;
    return seen === null ? "" : formatFrame(seen);
  };
  return (raws, usage) => encoder.encode(raws.map((raw) => textOf(raw, usage)).join(""));
}

/** True for a frame that only continues a text: the meter has counted it, and nothing else has to read it. */
function skimmed(reader: StreamReader, frame: Frame, meter: Meter): boolean {
  const text = reader.peekText?.(frame.data) ?? null;
  if (text !== null) meter.skim(text);
  return text !== null;
}

/** Same dialect on both sides: the original bytes go on. An error frame is withheld, because the gateway words errors itself. */
function passthroughTranscoder(gatewayRequest: GatewayRequest, reader: StreamReader, meter: Meter): Transcoder {
  const { terminator, corrected, visibleFrame } = gatewayRequest.dialect.passthrough;
  const { wire } = gatewayRequest;
  /** From the finish on: frames behind one whose usage cannot be true, which waits for what is charged. */
  let held: string[] | null = null;
  const original = wordsOf(gatewayRequest, meter);
  const letGo = (raws: readonly string[], end: StreamEnd): StreamEnd =>
    end.error === null ? { error: null, rest: (usage) => ({ bytes: original(raws, usage) }) } : end;
  return {
    turn({ raws, bytes }) {
      let whole = true;
      let from = 0;
      for (let index = 0; index < raws.length; index++) {
        const frame = readFrame(raws[index] ?? "");
        if (frame === null) continue;
        if (skimmed(reader, frame, meter)) continue;
        const end = watch(reader.read(frame), meter);
        const isFalse = held === null && corrected !== undefined && corrected(frame) !== null;
        if (isFalse && (end !== null || reader.finishing?.() === true)) [held, from] = [[], index];
        if (end !== null && held !== null) {
          const kept = [...held, ...raws.slice(from, index + 1)];
          return { bytes: original(raws.slice(0, from)), end: letGo(kept, end) };
        }
        whole &&= !isFalse;
        if (end?.error) return { bytes: original(raws.slice(0, index)), end };
        whole &&= visibleFrame === undefined || visibleFrame(frame, wire) === frame;
        if (end !== null)
          return { bytes: whole && index === raws.length - 1 ? bytes : original(raws.slice(0, index + 1)), end };
      }
      if (held !== null) {
        held.push(...raws.slice(from));
        if (held.length <= mostHeldFrames) return { bytes: original(raws.slice(0, from)) };
        const late = held;
        held = null;
        return { bytes: original([...raws.slice(0, from), ...late]) };
      }
      return { bytes: whole ? bytes : original(raws) };
    },
    ended() {
      const end = endOf(watch(reader.end(), meter));
      const rest = end.error === null && terminator !== undefined ? [rawOf(terminator)] : [];
      return held === null ? { bytes: original(rest), end } : { bytes: nothing, end: letGo([...held, ...rest], end) };
    },
    apologise: () => null,
    finishing: () => reader.finishing?.() ?? false,
  };
}

/** Same dialect on both sides, with frames that change on their way. The last one waits for the usage that is charged. */
function changingTranscoder(reader: PassthroughReader, meter: Meter, isWatched: boolean): Transcoder {
  const last = (frame: Frame, usage: Usage): Written => encoded([reader.shown(frame, usage) ?? frame], isWatched);
  const read = (frame: Frame): StreamEnd | null => {
    const end = skimmed(reader, frame, meter) ? null : watch(reader.read(frame), meter);
    return end === null || end.error !== null ? end : { error: null, rest: (usage) => last(frame, usage) };
  };
  return {
    turn({ raws, bytes }) {
      const frames: ResponseFrame[] = [];
      let isWhole = true;
      for (const raw of raws) {
        const frame = readFrame(raw);
        if (frame === null) continue;
        const end = read(frame);
        if (end !== null) return { ...encoded(frames, isWatched), end };
        const shown = reader.shown(frame);
        isWhole &&= shown === frame;
        if (shown !== null) frames.push(shown);
      }
      return isWhole ? { bytes, ...(isWatched ? { frames } : {}) } : encoded(frames, isWatched);
    },
    ended: () => ({ bytes: nothing, end: endOf(watch(reader.end(), meter)) }),
    apologise: (error) => reader.error(error),
    finishing: () => reader.finishing?.() ?? false,
  };
}

function written(events: readonly StreamEvent[], writer: StreamWriter): ResponseFrame[] {
  const frames: ResponseFrame[] = [];
  for (const event of events) if (event.type !== "error") frames.push(...writer.write(event));
  return frames;
}

/** Frames with their bytes; `isWatched`: the frames themselves go along. */
export function encoded(frames: readonly ResponseFrame[], isWatched: boolean): Written {
  const bytes = frames.length === 0 ? nothing : encodeFrames(frames);
  return isWatched ? { bytes, frames } : { bytes };
}

const chunkOf = (chunk: Written, end: StreamEnd | null): Chunk => (end === null ? chunk : { ...chunk, end });

/** Canonical events in the client's dialect. */
export interface EventTranscoder {
  write(events: readonly StreamEvent[]): readonly [frames: readonly ResponseFrame[], end: StreamEnd | null];
  writeError(error: GatewayError): readonly ResponseFrame[] | null;
  encode(frames: readonly ResponseFrame[], end: StreamEnd | null): Chunk;
}

export function eventTranscoder(writer: ClientWriter, meter: Meter, adapt?: Adapt): EventTranscoder {
  const { isWatched } = writer;
  // A client that counts on usage gets the gateway's estimate where the upstream gives none that can be true, never zeros.
  const uncounted = (events: readonly StreamEvent[]): number =>
    meter.reported() === undefined ? events.findIndex((event) => event.type === "finish") : -1;
  const told = (events: readonly StreamEvent[], end: StreamEnd | null): [ResponseFrame[], StreamEnd | null] => {
    const at = end === null || end.error !== null ? -1 : uncounted(events);
    const finish = events[at];
    if (finish?.type !== "finish") return [written(events, writer), end];
    const rest = (usage: Usage): Written => encoded(written([{ ...finish, usage }], writer), isWatched);
    return [written(events.slice(0, at), writer), { error: null, rest }];
  };
  return {
    write(events) {
      if (adapt === undefined) return told(events, watch(events, meter));
      const adapted = adapt(events);
      // An upstream's finish ends its stream also where it is not yet the finish for the client.
      const over = events.some((event) => event.type === "finish") ? complete : null;
      return told(adapted, watch(adapted, meter) ?? over);
    },
    writeError: (error) => (writer.apologises ? writer.write({ type: "error", error }) : null),
    encode: (frames, end) => chunkOf(encoded(frames, isWatched), end),
  };
}

/** Another dialect: deltas are written in the client's words. */
export function translatingTranscoder(reader: StreamReader, to: EventTranscoder): Transcoder {
  return {
    turn({ raws }) {
      const all: ResponseFrame[] = [];
      for (const raw of raws) {
        const frame = readFrame(raw);
        if (frame === null) continue;
        const [frames, end] = to.write(reader.read(frame));
        all.push(...frames);
        if (end !== null) return to.encode(all, end);
      }
      return to.encode(all, null);
    },
    ended() {
      const [frames, end] = to.write(reader.end());
      return to.encode(frames, endOf(end));
    },
    finishing: () => reader.finishing?.() ?? false,
    apologise: to.writeError,
  };
}

/** The turner of one call of a lane. `writer` is shared where several calls make one reply. */
export function transcoderFor(
  plan: UpstreamPlan,
  gatewayRequest: GatewayRequest,
  meter: Meter,
  origin: string,
): Transcoder {
  const changing = plan.verbatim
    ? gatewayRequest.dialect.passthrough.reader?.(readContextOf(gatewayRequest, { origin }), gatewayRequest.write)
    : undefined;
  if (changing !== undefined) return changingTranscoder(changing, meter, gatewayRequest.write.stored !== undefined);
  const reader = readerOf(plan, gatewayRequest, origin);
  if (plan.verbatim) return passthroughTranscoder(gatewayRequest, reader, meter);
  const adapt = plan.watched.length === 0 ? undefined : watchStops(plan.watched, plan.calls.length);
  return translatingTranscoder(reader, eventTranscoder(writerOf(gatewayRequest), meter, adapt));
}
