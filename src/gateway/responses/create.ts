// `POST /v1/responses`: what came before is put in front of what was asked, and the answer is kept.
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import {
  checkTrigger,
  failedFrame,
  queuedResponse,
  storedItems,
  withoutTrigger,
} from "../../dialects/stored-responses.ts";
import { randomId } from "../../lib/ids.ts";
import { putResponse } from "../../store/responses.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import { gatewayRequestOf, type IncomingRequest, streamEncoderOf } from "../pipeline/incoming-request.ts";
import type { GatewayReply } from "../pipeline/request-context.ts";
import { heartbeatTtlMs, startBackgroundRun } from "./background-run.ts";
import type { BackgroundRuns } from "./background-runs.ts";
import { compactWished } from "./compaction.ts";
import { type Conversation, conversationOf, inOwnNumbers } from "./conversation.ts";
import type { ResponseJob, ResponsesDependencies } from "./dependencies.ts";
import { identityOfJob, jobRow, persistFinal } from "./persist.ts";
import { resolvedInput } from "./resolved-input.ts";
import { interceptorOf } from "./response-id-rewriter.ts";

function jobOf(
  dependencies: ResponsesDependencies,
  { wire, visit }: IncomingRequest,
  conversation: Conversation,
): ResponseJob {
  const id = randomId("resp_");
  const { earlier, own, previousResponseId } = conversation;
  const isKept = wire.store !== false && dependencies.retentionMs > 0;
  const input = isKept ? [...earlier, ...storedItems([...own], id)] : [];
  const createdAtMs = dependencies.gateway.clock.nowMs();
  const isBackground = wire.background === true;
  return { id, ownerKeyId: visit.caller.keyId, input, previousResponseId, createdAtMs, isKept, isBackground };
}

function refuseUnkept({ isBackground, isKept }: ResponseJob): void {
  if (!isBackground || isKept) return;
  const message = "'background' requires a stored response, but 'store' is false or this gateway stores no responses.";
  throw new GatewayError("invalid_value", message, { param: "background" });
}

/** The inquiry behind a request; errors speak of items by the client's own numbers. */
function inquiryFor(
  dependencies: ResponsesDependencies,
  incoming: IncomingRequest,
  conversation: Conversation,
  job: ResponseJob,
): GatewayRequest {
  const { wire, ...changes } = resolvedInput(dependencies, incoming, conversation);
  return gatewayRequestOf(incoming, job.createdAtMs, {
    ...changes,
    wire: job.isBackground ? { ...wire, stream: true } : wire,
    echo: incoming.wire,
    stored: identityOfJob(job),
  });
}

/** A whole reply under the gateway's own id, kept. */
async function whole(
  dependencies: ResponsesDependencies,
  job: ResponseJob,
  reply: GatewayReply,
): Promise<GatewayReply> {
  const { json, ...others } = reply;
  if (json === undefined) return reply;
  return { ...others, body: JSON.stringify(await persistFinal(dependencies, job, json)) };
}

async function inForeground(
  dependencies: ResponsesDependencies,
  incoming: IncomingRequest,
  job: ResponseJob,
  gatewayRequest: GatewayRequest,
): Promise<GatewayReply> {
  // Nothing was sent yet where this wire words an error.
  const error = (failure: GatewayError) => [failedFrame(failure, gatewayRequest.write)];
  const wire = { ...streamEncoderOf(incoming.dialect, job.id), error, tap: interceptorOf(dependencies, job) };
  return whole(
    dependencies,
    job,
    await dependencies.gateway.answer(gatewayRequest, { ...incoming.visit, encoder: wire }),
  );
}

/** The row stands before the client hears of the response; a model that nobody has is refused at once. */
async function inBackground(
  dependencies: ResponsesDependencies,
  runs: BackgroundRuns,
  incoming: IncomingRequest,
  job: ResponseJob,
  gatewayRequest: GatewayRequest,
): Promise<GatewayReply> {
  const { gateway, store } = dependencies;
  runs.admit();
  const { caller, arrivedMs, requestId } = incoming.visit;
  const context = { caller, arrivedMs, requestId };
  const admitted = gateway.admit(gatewayRequest, context);
  const response = queuedResponse(gatewayRequest.write);
  await putResponse(store, jobRow(dependencies, job, response, job.createdAtMs + heartbeatTtlMs)).catch((thrown) => {
    admitted.reservations.release();
    throw thrown;
  });
  const run = startBackgroundRun(dependencies, job, gatewayRequest, response, { ...context, admitted });
  runs.add(run);
  if (incoming.wire.stream !== true) return { body: JSON.stringify(response), by: null };
  const { heartbeatMs } = gateway.streamTimers;
  const { heartbeat } = streamEncoderOf(incoming.dialect, job.id);
  return { body: run.log.follow(-1, { heartbeatMs, heartbeat: () => heartbeat(run.log.next() > 0) }), by: null };
}

function refuseBackground({ isBackground }: ResponseJob): void {
  if (!isBackground) return;
  throw new GatewayError("invalid_value", "Compaction does not support 'background'.", { param: "background" });
}

/** Answers a request for a response. Throws GatewayError for whatever must be told before the first byte. */
export async function create(
  dependencies: ResponsesDependencies,
  runs: BackgroundRuns,
  incoming: IncomingRequest,
): Promise<GatewayReply> {
  const conversation = await conversationOf(dependencies, incoming.wire, incoming.visit.caller.keyId);
  const isWish = checkTrigger(conversation.own);
  const meant = isWish ? { ...conversation, own: withoutTrigger(conversation.own), isResolved: true } : conversation;
  const job = jobOf(dependencies, incoming, meant);
  refuseUnkept(job);
  if (isWish) {
    refuseBackground(job);
    return compactWished(dependencies, incoming, meant, job, { ...incoming.wire, store: job.isKept });
  }
  try {
    const gatewayRequest = inquiryFor(dependencies, incoming, meant, job);
    if (job.isBackground) return await inBackground(dependencies, runs, incoming, job, gatewayRequest);
    return await inForeground(dependencies, incoming, job, gatewayRequest);
  } catch (thrown) {
    throw inOwnNumbers(toGatewayError(thrown), meant.earlier.length);
  }
}
