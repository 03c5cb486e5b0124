// Opens one stream of one candidate, from the call to the first chunk: the upstream's own stream, several in sequence,
// audio, or a complete reply as a stream.

import { GatewayError } from "../../canonical/error.ts";
import { type Adapt, watchStops } from "../../canonical/stop-sequences.ts";
import type { StreamEvent } from "../../canonical/stream-event.ts";
import type { AudioCodec } from "../../dialects/dialect.ts";
import type { Cancellation } from "../../lib/cancellation.ts";
import type { Deadline } from "../../lib/deadline.ts";
import { frameSplitter } from "../../lib/sse.ts";
import { originOf } from "../../providers/provider.ts";
import type { HttpResponse } from "../../providers/transport/response.ts";
import { mergeDeltas } from "../operations/chat.ts";
import { image } from "../operations/image.ts";
import type { Candidate } from "../routing/catalog.ts";
import { audioTranscoder, canonicalAudio, isEvents, wholeChunks } from "../streaming/audio-stream.ts";
import { counted, throwHiddenError } from "../streaming/buffered-response.ts";
import { canonicalStream } from "../streaming/canonical-stream.ts";
import { concatStreams } from "../streaming/concat-streams.ts";
import type { Meter } from "../streaming/meter.ts";
import { needsReplay, replayAsStream } from "../streaming/replay-as-stream.ts";
import { writerOf } from "../streaming/stream-codecs.ts";
import { transcodedAudio } from "../streaming/transcoded-audio.ts";
import { endOf, nothing } from "../streaming/transcoder.ts";
import {
  type EventTranscoder,
  eventTranscoder,
  translatedReaderOf,
  translatingTranscoder,
} from "../streaming/translated-stream.ts";
import { createUpstreamStream, type UpstreamStream } from "../streaming/upstream-stream.ts";
import { answerCall, type CallContext, canonicalRead, readCall, readSent, sendCall, withImages } from "./send-call.ts";
import {
  type CanonicalCall,
  isCanonical,
  type PlannedCall,
  type ReadResponse,
  type UpstreamPlan,
} from "./upstream-plan.ts";

/** Merges the images of all calls into one reply. */
async function drawnTogether(
  context: CallContext,
  plan: UpstreamPlan,
  candidate: Candidate,
  signal: Cancellation,
): Promise<ReadResponse> {
  const [first, ...others] = await Promise.all(
    plan.calls.map((call) => readCall(context, plan, candidate, call, signal)),
  );
  const responses = [first, ...others].flatMap((read) => (read?.answer?.operation === "image" ? [read.answer] : []));
  const response = image.merge(responses);
  return { bytes: nothing, body: {}, usage: response.usage, answer: response };
}

/** Some servers return no type, or plain text. HTML is certainly not a stream, and a document may contain an error. */
async function refuseOtherTypes(response: HttpResponse, plan: UpstreamPlan, signal: Cancellation): Promise<void> {
  const type = response.headers.get("content-type") ?? "";
  if (/^application\/json/.test(type)) await throwHiddenError(response, plan, signal);
  if (/^(?:text\/html|application\/json)/.test(type))
    throw new GatewayError("upstream_protocol_error", "The provider did not return an event stream.");
}

/** The upstream's own stream, or a complete reply as a stream if it has none. */
export async function upstreamStreamOf(
  context: CallContext,
  plan: UpstreamPlan,
  candidate: Candidate,
  meter: Meter,
  life: Deadline,
): Promise<UpstreamStream> {
  const { gatewayRequest } = context;
  const origin = originOf(candidate.provider, candidate.model);
  if (plan.calls.length > 1 && gatewayRequest.request.operation === "image")
    return replayAsStream(
      await drawnTogether(context, plan, candidate, life.signal),
      plan,
      gatewayRequest,
      meter,
      origin,
    );
  if (plan.calls.length > 1) return chainedFlow(context, plan, candidate, meter, life);
  const [call] = plan.calls;
  if (isCanonical(call)) return canonicalStreamOf(context, plan, candidate, call, meter, life);
  const place = plan.spoken === undefined ? undefined : context.transcoder?.reserve(life.signal);
  const response = await sendCall(context, plan, candidate, call, life.signal);
  if (needsReplay(gatewayRequest, plan.upstream, response.headers)) {
    const read = await counted(
      await readSent(context, plan, candidate, response, life.signal),
      plan,
      context,
      candidate,
    );
    return replayAsStream(read, plan, gatewayRequest, meter, origin);
  }
  const { audio } = gatewayRequest.dialect;
  const frames = frameSplitter(context.limits.maxEventBytes);
  if (audio !== undefined) {
    const splitter = isEvents(response.headers.get("content-type")) ? frames : wholeChunks();
    const open = (side: AudioCodec): UpstreamStream =>
      createUpstreamStream(
        response,
        audioTranscoder(side, plan, gatewayRequest, meter, origin, response.headers),
        life,
        splitter,
      );
    if (place === undefined || gatewayRequest.request.operation !== "speak") return open(audio);
    const wanted = { side: audio, write: gatewayRequest.write, format: gatewayRequest.request.format };
    return transcodedAudio(open, wanted, place, life.signal);
  }
  await refuseOtherTypes(response, plan, life.signal);
  return createUpstreamStream(response, plan.codec.transcodeStream(plan, gatewayRequest, meter, origin), life, frames);
}

const eventStream = (events: AsyncIterable<StreamEvent>, to: EventTranscoder): UpstreamStream =>
  canonicalStream(events, {
    write: (event) => to.encode(...to.write([event])),
    end: () => to.encode([], endOf(null)),
    writeError: to.writeError,
    stop: to.stop,
  });

async function canonicalStreamOf(
  context: CallContext,
  plan: UpstreamPlan,
  candidate: Candidate,
  call: CanonicalCall,
  meter: Meter,
  life: Deadline,
): Promise<UpstreamStream> {
  const { gatewayRequest } = context;
  const reply = await answerCall(context, candidate, call, life.signal);
  if ("response" in reply) {
    const read = await withImages(context, canonicalRead(reply.response), life.signal);
    return replayAsStream(read, plan, gatewayRequest, meter, originOf(candidate.provider, candidate.model));
  }
  const { audio } = gatewayRequest.dialect;
  if ("events" in reply) return eventStream(reply.events, eventTranscoder(writerOf(gatewayRequest), meter));
  if (audio === undefined) throw new GatewayError("internal_error", "This operation has no audio.");
  return canonicalAudio(audio, reply, gatewayRequest, meter);
}

/** The streams of all calls, one after the other. */
function chainedFlow(
  context: CallContext,
  plan: UpstreamPlan,
  candidate: Candidate,
  meter: Meter,
  life: Deadline,
): UpstreamStream {
  const { gatewayRequest } = context;
  const origin = originOf(candidate.provider, candidate.model);
  const open = async (call: PlannedCall, adapt: Adapt): Promise<UpstreamStream> => {
    if (isCanonical(call)) {
      const reply = await answerCall(context, candidate, call, life.signal);
      if (!("events" in reply)) throw new GatewayError("internal_error", "This is not a stream of events.");
      return eventStream(reply.events, eventTranscoder(writer, meter, adapt));
    }
    const response = await sendCall(context, plan, candidate, call, life.signal);
    await refuseOtherTypes(response, plan, life.signal);
    const reader = translatedReaderOf(plan, gatewayRequest, origin);
    const transcoder = translatingTranscoder(reader, eventTranscoder(writer, meter, adapt));
    return createUpstreamStream(response, transcoder, life, frameSplitter(context.limits.maxEventBytes));
  };
  const writer = writerOf(gatewayRequest);
  const merge = mergeDeltas(plan.parts);
  return concatStreams(plan.calls.length, (part) => {
    const stops = plan.watched.length === 0 ? undefined : watchStops(plan.watched, plan.calls.length);
    return open(plan.calls[part] ?? plan.calls[0], merge(part, stops));
  });
}
