// Concatenates several upstream streams.
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import { sumEndMarkers } from "./end-markers.ts";
import { nothing } from "./transcoder.ts";
import type { Sink, UpstreamStream } from "./upstream-stream.ts";

/**
 * Streams one after the other. `open` opens the stream of a part; the next one is opened while the last is still
 * running.
 */
export function concatStreams(parts: number, open: (part: number) => Promise<UpstreamStream>): UpstreamStream {
  const started: Promise<UpstreamStream>[] = [];
  const running = new Set<UpstreamStream>();
  const ahead = 4;
  const start = (upTo: number): void => {
    while (started.length < Math.min(upTo, parts)) {
      const flow = open(started.length);
      flow.catch(() => undefined);
      started.push(flow);
    }
  };
  /**
   * A part that cannot be opened fails the whole: before the first byte with the next candidate, later within the
   * stream.
   */
  const opened = async (part: number): Promise<UpstreamStream | GatewayError> => {
    try {
      const stream = await started[part];
      if (stream === undefined) return new GatewayError("internal_error", "The part does not exist.");
      running.add(stream);
      return stream;
    } catch (thrown) {
      if (part === 0) throw thrown;
      return toGatewayError(thrown);
    }
  };
  let current = 0;
  start(ahead);
  const next = async (consume: Sink): Promise<void> => {
    const flow = await opened(current);
    if (flow instanceof GatewayError) return void (await consume({ bytes: nothing, end: { error: flow } }));
    await flow.next((chunk) => {
      const more = current < parts - 1;
      if (chunk.end === undefined || chunk.end.error !== null || !more) return consume(chunk);
      current++;
      start(current + ahead);
      return chunk.bytes.length > 0 ? consume({ bytes: chunk.bytes }) : next(consume);
    });
  };
  return {
    next,
    writeError: (error) => [...running].at(-1)?.writeError(error) ?? null,
    stop: () => [...running].at(-1)?.stop() ?? null,
    // The usage is known when the last part has ended, so no single part is worth waiting for.
    finishing: () => false,
    type: () => null,
    endMarkers: () => sumEndMarkers([...running].map((stream) => stream.endMarkers())),
    close() {
      for (const flow of started) void flow.then((opened) => opened.close()).catch(() => undefined);
    },
  };
}
