// One upstream stream on its way to the client: chunks in, the client's bytes out.

import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import type { ResponseFrame } from "../../dialects/dialect.ts";
import { invalidUpstreamResponse } from "../../dialects/errors.ts";
import type { Cancellation } from "../../lib/cancellation.ts";
import type { Deadline } from "../../lib/deadline.ts";
import { type FrameSplitter, frameTooLarge, type SseChunk } from "../../lib/sse.ts";
import { redactorFor } from "../../providers/redaction.ts";
import { type BodyReader, type BodySink, type HttpResponse, readerOf } from "../../providers/transport/response.ts";
import { replyError } from "../../providers/upstream.ts";
import { type EndMarkers, watchEndMarkers } from "./end-markers.ts";
import { bothOf, type Chunk, nothing, type StoppedEnd, type Transcoder } from "./transcoder.ts";

/** Receives a chunk. */
export type Sink = (chunk: Chunk) => Promise<void> | undefined;

export interface UpstreamStream {
  /**
   * Passes on the next chunk; the last one has an `end`. Never rejects itself: faults of the upstream are ends with an
   * error. Without a promise, the sink is called later.
   */
  next(consume: Sink): Promise<void> | undefined;
  /** How many chunks contained a part of the reply, and how many only a keep-alive. Comments count as neither. */
  endMarkers(): EndMarkers;
  /** An error that is valid after the frames so far; null if it is valid anywhere. */
  writeError(error: GatewayError): readonly ResponseFrame[] | null;
  /** The end of a reply at a limit, like one that has reached its output limit; null if it can only break. */
  stop(): StoppedEnd | null;
  /** True once the finish reason has arrived: only usage and the end may follow. */
  finishing(): boolean;
  /** Content-Type of the chunks, once the first has arrived; null for events. */
  type(): string | null;
  /** Releases the upstream's body. */
  close(): void;
}

/** The next chunk of a stream. */
export async function firstOf(stream: UpstreamStream): Promise<Chunk> {
  const arrived = Promise.withResolvers<Chunk>();
  await stream.next((chunk) => void arrived.resolve(chunk));
  return arrived.promise;
}

const drainMs = 1_000;

/** `life` is the attempt's deadline: when it aborts, the pending read fails with its reason. */
export function createUpstreamStream(
  response: HttpResponse,
  transcoder: Transcoder,
  life: Deadline,
  splitter: FrameSplitter,
): UpstreamStream {
  const body = readerOf(response);
  const redactor = redactorFor(response);
  let over = false;
  const watch = watchEndMarkers(splitter);

  const turned = (cut: SseChunk | null): Chunk => {
    const left = watch.pass(cut === null ? null : (redactor?.cut(cut) ?? cut));
    return left === null ? { bytes: nothing } : transcoder.turn(left);
  };
  const take = (bytes: Uint8Array): Chunk => turned(splitter.push(bytes));
  const last = (): Chunk => {
    const piece = turned(splitter.rest());
    return piece.end === undefined ? joined(piece, transcoder.ended()) : piece;
  };
  /** Of the caller that waits for a chunk. */
  let consume: Sink = () => undefined;
  const deliver = (chunk: Chunk, isRead: boolean): void => {
    const isEnd = chunk.end !== undefined;
    if (isEnd && !isRead) void drain(body, life);
    over ||= isEnd;
    if (isEnd || chunk.bytes.length > 0) void consume(chunk);
    else body.next(sink);
  };
  const sink: BodySink = {
    data: (bytes) =>
      deliver(
        orFault(() => take(bytes)),
        false,
      ),
    end: () => deliver(orFault(last), true),
    fail: (thrown) => deliver({ bytes: nothing, end: { error: transportFault(thrown, life.signal) } }, true),
  };
  // Called back, without a promise: this runs for every event.
  const next = (given: Sink): undefined => {
    consume = given;
    body.next(sink);
  };
  return {
    next,
    endMarkers: () => watch.signs,
    writeError: transcoder.apologise,
    stop: () => transcoder.stop?.() ?? null,
    finishing: () => transcoder.finishing?.() ?? false,
    type: () => transcoder.type?.() ?? null,
    close() {
      if (!over) void body.cancel().catch(() => undefined);
      over = true;
    },
  };
}

/** The chunk, or an end with the error for a reply that cannot be read. */
function orFault(read: () => Chunk): Chunk {
  try {
    return read();
  } catch (thrown) {
    return { bytes: nothing, end: { error: readingFault(thrown) } };
  }
}

const joined = (chunk: Chunk, ended: Chunk): Chunk =>
  chunk.bytes.length === 0 ? ended : { ...ended, ...bothOf(chunk, ended) };

/** Reads to the end so that the connection can be reused; gives up on a body that does not end. */
async function drain(body: BodyReader, life: Deadline): Promise<void> {
  const timer = setTimeout(() => life.abort(new Error("the response is complete")), drainMs);
  try {
    while (!(await body.read()).done);
  } catch {
    // The reply is complete; the end of its connection has no effect.
  } finally {
    clearTimeout(timer);
  }
}

function readingFault(thrown: unknown): GatewayError {
  return thrown instanceof Error && thrown.message === frameTooLarge
    ? invalidUpstreamResponse(frameTooLarge)
    : toGatewayError(thrown);
}

function transportFault(thrown: unknown, signal: Cancellation): GatewayError {
  const fault = replyError(thrown, signal);
  if (fault instanceof GatewayError) return fault;
  return new GatewayError("upstream_truncated", "The connection to the provider was closed.", { cause: fault });
}
