// The contract of a transcoder, which converts the upstream's stream to the client's: its chunks, their ends, and the
// events for the meter.
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
  /** The frames that depend on usage that the provider did not report: it must be estimated first. */
  rest?(usage: Usage): Written;
}

/** The end of a stream that must stop. */
export interface StoppedEnd extends StreamEnd {
  /** The last chunk started or ended something that the end depends on: it must be forwarded. */
  readonly needsLastPiece: boolean;
}

/** Bytes for the client, with their frames if an interceptor reads them. */
export interface Written {
  readonly bytes: Uint8Array;
  readonly frames?: readonly ResponseFrame[];
}

/** `end`: the reply has ended, with or without an error; nothing follows. */
export interface Chunk extends Written {
  readonly end?: StreamEnd;
}

/** One after the other. */
export function bothOf(first: Written, second: Written): Written {
  const bytes = Buffer.concat([first.bytes, second.bytes]);
  const { frames = second.frames } = first;
  return frames === undefined ? { bytes } : { bytes, frames: [...(first.frames ?? []), ...(second.frames ?? [])] };
}

/** The last bytes of a reply, with the frames that contain usage. */
export function lastOf(chunk: Chunk, usage: Usage | undefined): Written {
  const rest = usage === undefined ? undefined : chunk.end?.rest?.(usage);
  return rest === undefined ? chunk : bothOf(chunk, rest);
}

export interface Transcoder {
  /** May be empty. */
  turn(chunk: SseChunk): Chunk;
  /** The body has ended, whether or not the reply had. */
  ended(): Chunk;
  /** An error that is valid after the frames so far; null if it is valid anywhere. */
  apologise(error: GatewayError): readonly ResponseFrame[] | null;
  /** The end of a reply at a limit, like one that has reached its output limit; null if it can only break. */
  stop?(): StoppedEnd | null;
  /** True once the finish reason has arrived: only usage and the end may follow. */
  finishing?(): boolean;
  /** Content-Type for the client, once the first bytes have arrived; absent for events. */
  type?(): string;
}

export const nothing = new Uint8Array();
export const complete: StreamEnd = { error: null };

/** Passes events to the meter; returns how the reply ended, if it did. */
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

/** Frames with their bytes; `isWatched`: the frames themselves are included. */
export function encoded(frames: readonly ResponseFrame[], isWatched: boolean): Written {
  const bytes = frames.length === 0 ? nothing : encodeFrames(frames);
  return isWatched ? { bytes, frames } : { bytes };
}
