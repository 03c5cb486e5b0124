// Sends one call of a plan and reads its complete reply.
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import type { OperationResponse } from "../../canonical/operation.ts";
import type { UpstreamRequest } from "../../dialects/dialect.ts";
import { abortSignalOf, type Cancellation } from "../../lib/cancellation.ts";
import type { Clock } from "../../lib/clock.ts";
import { hopsHeader, withNextHop } from "../../lib/hops.ts";
import { type CanonicalReply, originOf } from "../../providers/provider.ts";
import type { HttpResponse } from "../../providers/transport/response.ts";
import type { RequestIds } from "../../telemetry/events.ts";
import type { BodyRecorder } from "../bodies/recorder.ts";
import type { AudioTranscoder } from "../operations/audio-transcoder.ts";
import { delivered, type FetchContext } from "../operations/image-transfer.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import type { UsageEstimates } from "../pipeline/usage-estimate.ts";
import type { Candidate } from "../routing/catalog.ts";
import { readResponse, upstreamRefusal } from "../streaming/buffered-response.ts";
import { nothing } from "../streaming/transcoder.ts";
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
export interface CallContext extends FetchContext {
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
export async function sendCall(
  context: CallContext,
  plan: UpstreamPlan,
  candidate: Candidate,
  call: UpstreamRequest,
  signal: Cancellation,
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
export async function answerCall(
  { log }: CallContext,
  { provider: { dispatch } }: Candidate,
  { request }: CanonicalCall,
  signal: Cancellation,
): Promise<CanonicalReply> {
  if (dispatch.form !== "canonical") throw new GatewayError("internal_error", "This provider is asked over HTTP.");
  log.sent();
  try {
    const reply = await log.waits(dispatch.answer(request, abortSignalOf(signal)));
    log.answered(200);
    return reply;
  } catch (thrown) {
    log.answered(toGatewayError(thrown).status);
    throw thrown;
  }
}

/** The complete parsed reply to a call, with its images as the client requested. */
export async function readCall(
  context: CallContext,
  plan: UpstreamPlan,
  candidate: Candidate,
  call: PlannedCall,
  signal: Cancellation,
): Promise<ReadResponse> {
  if (!isCanonical(call))
    return readSent(context, plan, candidate, sendCall(context, plan, candidate, call, signal), signal);
  const reply = await answerCall(context, candidate, call, signal);
  if (!("response" in reply)) throw new GatewayError("internal_error", "This is a stream.");
  return withImages(context, canonicalRead(reply.response), signal);
}

export const canonicalRead = (answer: OperationResponse): ReadResponse => ({
  bytes: nothing,
  body: {},
  usage: answer.usage,
  answer,
});

export async function readSent(
  context: CallContext,
  plan: UpstreamPlan,
  candidate: Candidate,
  sent: HttpResponse | Promise<HttpResponse>,
  signal: Cancellation,
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

export function withImages(
  context: CallContext,
  read: ReadResponse,
  signal: Cancellation,
): ReadResponse | Promise<ReadResponse> {
  context.log.read(read.usage);
  return read.answer?.operation === "image" ? withDeliveredImages(context, read, read.answer, signal) : read;
}

async function withDeliveredImages(
  context: CallContext,
  read: ReadResponse,
  answer: OperationResponse,
  signal: Cancellation,
): Promise<ReadResponse> {
  const { gatewayRequest, log } = context;
  const canonicalResponse = await log.waits(delivered(answer, gatewayRequest.request, context, signal));
  return canonicalResponse === answer ? read : { ...read, answer: canonicalResponse, changed: true };
}
