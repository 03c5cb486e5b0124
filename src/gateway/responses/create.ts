// `POST /v1/responses` and its token count: the continued conversation is put before the input, and the reply is
// stored.
import { type GatewayError, toGatewayError } from "../../canonical/error.ts";
import type { ResponseIdentity } from "../../dialects/dialect.ts";
import type { StoredRequest } from "../../dialects/stored-responses.ts";
import { writeBody } from "../../lib/body-thread.ts";
import { betweenPhases, inNextPhase } from "../../lib/event-loop-turn.ts";
import { randomId } from "../../lib/ids.ts";
import type { Json } from "../../lib/json.ts";
import { endUserKey } from "../../store/end-users.ts";
import { putResponse } from "../../store/responses.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import { gatewayRequestOf, type IncomingRequest, streamEncoderOf } from "../pipeline/gateway-request.ts";
import type { GatewayReply } from "../pipeline/request-context.ts";
import type { Caller } from "../policy/caller.ts";
import { heartbeatTtlMs, startBackgroundRun } from "./background-run.ts";
import type { BackgroundRuns } from "./background-runs.ts";
import { compactResponse } from "./compaction.ts";
import { type Conversation, conversationOf, upstreamRequest } from "./conversation.ts";
import {
  jobRow,
  persistFinal,
  persistingInterceptor,
  type ResponseJob,
  type ResponsesDependencies,
} from "./persist.ts";

function jobOf(
  { gateway, codec, retentionMs }: ResponsesDependencies,
  request: StoredRequest,
  { earlier, own }: Conversation,
  { keyId: ownerKeyId, project, endUser }: Caller,
): ResponseJob {
  const { isBackground, previousId } = request;
  const isStored = request.isStored && retentionMs > 0;
  if (isBackground && !isStored) throw codec.refusals.backgroundNotStored();
  if (isBackground && request.wantsCompaction) throw codec.refusals.backgroundCompaction();
  const identity: ResponseIdentity = { id: randomId("resp_"), isStored, isBackground, previousId };
  const input = isStored ? [...earlier, ...codec.items.stored(own, identity.id)] : [];
  const user = endUser === null ? null : endUserKey(project, endUser);
  return { identity, ownerKeyId, input, createdAtMs: gateway.clock.nowMs(), endUser: user };
}

function requestFor(
  dependencies: ResponsesDependencies,
  incoming: IncomingRequest,
  conversation: Conversation,
  { identity, createdAtMs }: ResponseJob,
): GatewayRequest {
  const overrides = upstreamRequest(dependencies, incoming, conversation);
  return gatewayRequestOf(incoming, createdAtMs, {
    ...overrides,
    echo: incoming.wire,
    stored: identity,
  });
}

async function inForeground(
  dependencies: ResponsesDependencies,
  incoming: IncomingRequest,
  job: ResponseJob,
  request: GatewayRequest,
): Promise<GatewayReply> {
  const { frames } = dependencies.codec;
  const encoder = {
    ...streamEncoderOf(incoming.dialect, job.identity.id),
    // Only used for an error before the first frame.
    error: (error: GatewayError) => [frames.failed(error, request.write)],
    tap: persistingInterceptor(dependencies, job),
  };
  const { json, ...reply } = await dependencies.gateway.answer(request, { ...incoming.context, encoder });
  if (json === undefined) return reply;
  const { response } = await persistFinal(dependencies, job, json);
  return { ...reply, body: await writeBody(response as Json) };
}

/**
 * The response and its row of the ledger are written before the client gets the id; a request that policies or providers
 * refuse fails at once.
 */
async function inBackground(
  dependencies: ResponsesDependencies,
  runs: BackgroundRuns,
  incoming: IncomingRequest,
  { job, request, isStream }: { job: ResponseJob; request: GatewayRequest; isStream: boolean },
): Promise<GatewayReply> {
  const { gateway, store, codec } = dependencies;
  runs.admit();
  const { caller, arrivedMs, authenticatedMs, readMs, requestId, session } = incoming.context;
  const context = { caller, arrivedMs, authenticatedMs, readMs, requestId, session };
  const admitted = gateway.admit(request, context);
  const response = codec.documents.queued(request.write);
  const row = jobRow(dependencies, job, response, job.createdAtMs + heartbeatTtlMs);
  await row
    .then((written) => putResponse(store, written))
    .catch((thrown) => {
      admitted.reservations.cancel();
      throw thrown;
    });
  const run = startBackgroundRun(dependencies, { job, request, response }, { ...context, admitted });
  runs.add(run);
  await run.opened;
  if (!isStream) return { body: JSON.stringify(response), servedBy: null };
  const { heartbeatMs } = gateway.streamTimers;
  const { heartbeat } = streamEncoderOf(incoming.dialect, job.identity.id);
  return { body: run.log.follow(-1, { heartbeatMs, heartbeat: () => heartbeat(run.log.next() > 0) }), servedBy: null };
}

/** Answers a request for a response. Throws GatewayError for every failure before the first byte. */
export async function create(
  dependencies: ResponsesDependencies,
  runs: BackgroundRuns,
  incoming: IncomingRequest,
): Promise<GatewayReply> {
  const { requests } = dependencies.codec;
  const { caller } = incoming.context;
  const stored = requests.read(incoming.wire);
  const conversation = await conversationOf(dependencies, stored, caller.keyId);
  await betweenPhases(incoming.bytes);
  const job = jobOf(dependencies, stored, conversation, caller);
  if (stored.wantsCompaction) return compactResponse(dependencies, incoming, conversation, job);
  await betweenPhases(incoming.bytes);
  try {
    const request = requestFor(dependencies, incoming, conversation, job);
    return await inNextPhase(incoming.bytes, () =>
      stored.isBackground
        ? inBackground(dependencies, runs, incoming, { job, request, isStream: stored.isStream })
        : inForeground(dependencies, incoming, job, request),
    );
  } catch (thrown) {
    throw requests.inClientNumbers(toGatewayError(thrown), conversation.earlier.length);
  }
}

/** `POST /v1/responses/input_tokens`. Throws the same errors as a request for a response with this input. */
export async function countInput(
  dependencies: ResponsesDependencies,
  incoming: IncomingRequest,
): Promise<GatewayReply> {
  const { gateway, codec } = dependencies;
  const { context, wire } = incoming;
  const conversation = await conversationOf(dependencies, codec.requests.read(wire), context.caller.keyId);
  try {
    const overrides = upstreamRequest(dependencies, incoming, conversation);
    const request = gatewayRequestOf(incoming, gateway.clock.nowMs(), overrides);
    return await inNextPhase(incoming.bytes, () => gateway.answer(request, context));
  } catch (thrown) {
    throw codec.requests.inClientNumbers(toGatewayError(thrown), conversation.earlier.length);
  }
}
