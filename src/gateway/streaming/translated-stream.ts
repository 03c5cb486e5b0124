// A translated stream: events are read in one dialect and written in another.
import type { GatewayError } from "../../canonical/error.ts";
import { type Adapt, watchStops } from "../../canonical/stop-sequences.ts";
import type { StreamEvent } from "../../canonical/stream-event.ts";
import type { Usage } from "../../canonical/usage.ts";
import type { ResponseFrame, StreamReader, StreamWriter } from "../../dialects/dialect.ts";
import { withoutNullArguments } from "../../dialects/shared/arguments.ts";
import { readFrame } from "../../lib/sse.ts";
import type { UpstreamPlan } from "../attempts/upstream-plan.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import { lengthEnd } from "./length-end.ts";
import type { Meter } from "./meter.ts";
import { type ClientWriter, readerOf, writerOf } from "./stream-codecs.ts";
import {
  type Chunk,
  complete,
  encoded,
  endOf,
  type StoppedEnd,
  type StreamEnd,
  type Transcoder,
  type Written,
  watch,
} from "./transcoder.ts";

/** The requested model if the upstream returns none. */
function withModel(reader: StreamReader, model: string): StreamReader {
  const named = (event: StreamEvent): StreamEvent =>
    event.type === "start" && event.model === "" ? { ...event, model } : event;
  return { ...reader, read: (frame) => reader.read(frame).map(named), end: () => reader.end().map(named) };
}

/** The upstream's events, as any client's writer may receive them. */
export const translatedReaderOf = (plan: UpstreamPlan, gatewayRequest: GatewayRequest, origin: string): StreamReader =>
  withoutNullArguments(withModel(readerOf(plan, gatewayRequest, origin), plan.model));

function written(events: readonly StreamEvent[], writer: StreamWriter): ResponseFrame[] {
  const frames: ResponseFrame[] = [];
  for (const event of events) if (event.type !== "error") frames.push(...writer.write(event));
  return frames;
}

const chunkOf = (chunk: Written, end: StreamEnd | null): Chunk => (end === null ? chunk : { ...chunk, end });

/** Canonical events in the client's dialect. */
export interface EventTranscoder {
  write(events: readonly StreamEvent[]): readonly [frames: readonly ResponseFrame[], end: StreamEnd | null];
  writeError(error: GatewayError): readonly ResponseFrame[] | null;
  encode(frames: readonly ResponseFrame[], end: StreamEnd | null): Chunk;
  stop(): StoppedEnd;
}

export function eventTranscoder(writer: ClientWriter, meter: Meter, adapt?: Adapt): EventTranscoder {
  const { isWatched } = writer;
  // A client that relies on usage gets the gateway's estimate if the upstream returns none that can be true, never
  // zeros.
  const uncounted = (events: readonly StreamEvent[]): number =>
    meter.reported() === undefined ? events.findIndex((event) => event.type === "finish") : -1;
  const rendered = (events: readonly StreamEvent[], end: StreamEnd | null): [ResponseFrame[], StreamEnd | null] => {
    const at = end === null || end.error !== null ? -1 : uncounted(events);
    const finish = events[at];
    if (finish?.type !== "finish") return [written(events, writer), end];
    const rest = (usage: Usage): Written => encoded(written([{ ...finish, usage }], writer), isWatched);
    return [written(events.slice(0, at), writer), { error: null, rest }];
  };
  return {
    write(events) {
      if (adapt === undefined) return rendered(events, watch(events, meter));
      const adapted = adapt(events);
      // An upstream's finish ends its stream, even if it is not yet the finish for the client.
      const over = events.some((event) => event.type === "finish") ? complete : null;
      return rendered(adapted, watch(adapted, meter) ?? over);
    },
    writeError: (error) => (writer.apologises ? writer.write({ type: "error", error }) : null),
    stop: () => ({
      error: null,
      // The writer has already written it, and the end depends on all of it.
      needsLastPiece: true,
      rest: (usage) => encoded(lengthEnd(writer, meter.structure(), usage), isWatched),
    }),
    encode: (frames, end) => chunkOf(encoded(frames, isWatched), end),
  };
}

/** Another dialect: events are written for the client. */
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
    stop: to.stop,
  };
}

/** Throws `internal_error` for an operation that does not stream. */
export function translatedStream(
  plan: UpstreamPlan,
  gatewayRequest: GatewayRequest,
  meter: Meter,
  origin: string,
): Transcoder {
  const adapt = plan.watched.length === 0 ? undefined : watchStops(plan.watched, plan.calls.length);
  const reader = translatedReaderOf(plan, gatewayRequest, origin);
  return translatingTranscoder(reader, eventTranscoder(writerOf(gatewayRequest), meter, adapt));
}
