// What turns the upstream's stream into the client's, whichever way: its chunks, their ends, and what the meter sees of them.
import type { GatewayError } from "../../canonical/error.ts";
import type { StreamEvent } from "../../canonical/stream-event.ts";
import type { Usage } from "../../canonical/usage.ts";
import type { ResponseFrame } from "../../dialects/dialect.ts";
import { streamTruncated } from "../../dialects/errors.ts";
import { encodeFrames, type SseChunk } from "../../lib/sse.ts";
import type { Meter } from "./meter.ts";

/** How a reply ended; the error is null when it is complete. */
export interface StreamEnd {
  readonly error: GatewayError | null;
  /** What is still to be said, where the client is told usage that nobody reported: it has to be estimated first. */
  rest?(usage: Usage): Written;
}

/** The end of a stream that may not go on. */
export interface StoppedEnd extends StreamEnd {
  /** The last piece began or ended something, which the end builds on: it must be forwarded. */
  readonly needsLastPiece: boolean;
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
  /** The end of a reply that may not go on, as one that has reached its bound; null where it can only break. */
  stop?(): StoppedEnd | null;
  /** True once the upstream has said why the reply ended: only its usage and its end are to come. */
  finishing?(): boolean;
  /** Content-Type of what goes to the client, once its first bytes are there; absent for events. */
  type?(): string;
}

export const nothing = new Uint8Array();
export const complete: StreamEnd = { error: null };

/** Notes deltas at the meter; says how the reply ended, if it did. */
export function watch(events: readonly StreamEvent[], meter: Meter): StreamEnd | null {
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

/** Frames with their bytes; `isWatched`: the frames themselves go along. */
export function encoded(frames: readonly ResponseFrame[], isWatched: boolean): Written {
  const bytes = frames.length === 0 ? nothing : encodeFrames(frames);
  return isWatched ? { bytes, frames } : { bytes };
}
