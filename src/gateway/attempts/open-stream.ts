// Opens one stream of one candidate, from the call to the first chunk: the upstream's own stream, several in sequence,
// audio, or a complete reply as a stream.
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import type { OperationResponse } from "../../canonical/operation.ts";
import { type Adapt, watchStops } from "../../canonical/stop-sequences.ts";
import type { StreamEvent } from "../../canonical/stream-event.ts";
import type { AudioCodec, UpstreamRequest } from "../../dialects/dialect.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Deadline } from "../../lib/deadline.ts";
import { hopsHeader, withNextHop } from "../../lib/hops.ts";
import { frameSplitter } from "../../lib/sse.ts";
import { type CanonicalReply, originOf } from "../../providers/provider.ts";
import type { HttpResponse } from "../../providers/transport/response.ts";
import type { RequestIds } from "../../telemetry/events.ts";
import type { BodyRecorder } from "../bodies/recorder.ts";
import type { AudioTranscoder } from "../operations/audio-transcoder.ts";
import { mergeDeltas } from "../operations/chat.ts";
import { image } from "../operations/image.ts";
import { delivered, type FetchContext } from "../operations/image-transfer.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import type { UsageEstimates } from "../pipeline/usage-estimate.ts";
import type { Candidate } from "../routing/catalog.ts";
import { audioTranscoder, canonicalAudio, isEvents, wholeChunks } from "../streaming/audio-stream.ts";
import { counted, readResponse, throwHiddenError, upstreamRefusal } from "../streaming/buffered-response.ts";
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
import type { AttemptLog } from "./attempt-log.ts";
import { ownTimeoutMs } from "./retry.ts";
import { inTrace } from "./trace-headers.ts";
import {
  type CanonicalCall,
  isCanonical,
  type PlannedCall,
  type ReadResponse,
  type UpstreamPlan,
} from "./upstream-plan.ts";

/** What sending a call needs from its request. */
interface StreamContext extends FetchContext {
  readonly gatewayRequest: GatewayRequest;
  readonly clock: Clock;
  readonly log: AttemptLog;
  readonly estimates: UsageEstimates;
  readonly bodies: BodyRecorder | null;
  readonly ids: Pick<RequestIds, "trace">;
  /** Null if speech cannot be transcoded. */
  readonly transcoder: AudioTranscoder | null;
}

const isUnsent = ({ kind }: GatewayError): boolean => kind === "upstream_unreachable";

/** Sends one call and returns its successful response. */
async function sendCall(
  context: StreamContext,
  plan: UpstreamPlan,
  candidate: Candidate,
  call: UpstreamRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const { log, bodies, gatewayRequest, ids } = context;
  const { header } = gatewayRequest.envelope;
  const hopped = inTrace(withNextHop(call, header(hopsHeader)), candidate, ids.trace, header);
  const connectMs = ownTimeoutMs(context, candidate, "connectMs");
  const shipment = { call: hopped, dialect: plan.upstream, stream: gatewayRequest.outline.stream, signal, connectMs };
  const { dispatch } = candidate.provider;
  if (dispatch.form !== "http") throw new GatewayError("internal_error", "This provider answers inside the process.");
  log.sent();
  const send = bodies === null ? dispatch.send : bodies.around(dispatch.send, log.number(), candidate);
  const response = await log.waits(send(shipment)).catch((thrown) => {
    if (thrown instanceof GatewayError && isUnsent(thrown)) log.unreachable();
    throw thrown;
  });
  log.answered(response.status);
  if (!response.ok) throw await upstreamRefusal(response, plan, signal, context.clock.nowMs());
  return response;
}

/** The reply of an in-process provider. */
async function answerCall(
  { log }: StreamContext,
  { provider: { dispatch } }: Candidate,
  { request }: CanonicalCall,
  signal: AbortSignal,
): Promise<CanonicalReply> {
  if (dispatch.form !== "canonical") throw new GatewayError("internal_error", "This provider is asked over HTTP.");
  log.sent();
  try {
    const reply = await log.waits(dispatch.answer(request, signal));
    log.answered(200);
    return reply;
  } catch (thrown) {
    log.answered(toGatewayError(thrown).status);
    throw thrown;
  }
}

/** The complete parsed reply to a call, with its images as the client requested. */
export async function readCall(
  context: StreamContext,
  plan: UpstreamPlan,
  candidate: Candidate,
  call: PlannedCall,
  signal: AbortSignal,
): Promise<ReadResponse> {
  if (!isCanonical(call))
    return readSent(context, plan, candidate, sendCall(context, plan, candidate, call, signal), signal);
  const reply = await answerCall(context, candidate, call, signal);
  if (!("response" in reply)) throw new GatewayError("internal_error", "This is a stream.");
  return withImages(context, canonicalRead(reply.response), signal);
}

const canonicalRead = (answer: OperationResponse): ReadResponse => ({
  bytes: nothing,
  body: {},
  usage: answer.usage,
  answer,
});

async function readSent(
  context: StreamContext,
  plan: UpstreamPlan,
  candidate: Candidate,
  sent: HttpResponse | Promise<HttpResponse>,
  signal: AbortSignal,
): Promise<ReadResponse> {
  const response = await sent;
  const reading = {
    origin: originOf(candidate.provider, candidate.model),
    signal,
    maxBytes: context.limits.maxReplyBytes,
    log: context.log,
  };
  const read = await readResponse(response, plan, context.gatewayRequest, reading);
  return withImages(context, read, signal);
}

function withImages(
  context: StreamContext,
  read: ReadResponse,
  signal: AbortSignal,
): ReadResponse | Promise<ReadResponse> {
  context.log.read(read.usage);
  return read.answer?.operation === "image" ? withDeliveredImages(context, read, read.answer, signal) : read;
}

async function withDeliveredImages(
  context: StreamContext,
  read: ReadResponse,
  answer: OperationResponse,
  signal: AbortSignal,
): Promise<ReadResponse> {
  const { gatewayRequest, log } = context;
  const canonicalResponse = await log.waits(delivered(answer, gatewayRequest.request, context, signal));
  return canonicalResponse === answer ? read : { ...read, answer: canonicalResponse, changed: true };
}

/** Merges the images of all calls into one reply. */
async function drawnTogether(
  context: StreamContext,
  plan: UpstreamPlan,
  candidate: Candidate,
  signal: AbortSignal,
): Promise<ReadResponse> {
  const [first, ...others] = await Promise.all(
    plan.calls.map((call) => readCall(context, plan, candidate, call, signal)),
  );
  const responses = [first, ...others].flatMap((read) => (read?.answer?.operation === "image" ? [read.answer] : []));
  const response = image.merge(responses);
  return { bytes: nothing, body: {}, usage: response.usage, answer: response };
}

/** Some servers return no type, or plain text. HTML is certainly not a stream, and a document may contain an error. */
async function refuseOtherTypes(response: HttpResponse, plan: UpstreamPlan, signal: AbortSignal): Promise<void> {
  const type = response.headers.get("content-type") ?? "";
  if (/^application\/json/.test(type)) await throwHiddenError(response, plan, signal);
  if (/^(?:text\/html|application\/json)/.test(type))
    throw new GatewayError("upstream_protocol_error", "The provider did not return an event stream.");
}

/** The upstream's own stream, or a complete reply as a stream if it has none. */
export async function upstreamStreamOf(
  context: StreamContext,
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
  context: StreamContext,
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
  context: StreamContext,
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
