// Compaction for a client: its own endpoint, and the request for it at the end of an input.
import { type GatewayError, toGatewayError } from "../../canonical/error.ts";
import type { Item, ResponseFrame } from "../../dialects/dialect.ts";
import type { CompactedResponse } from "../../dialects/stored-responses.ts";
import { randomId } from "../../lib/ids.ts";
import { originOf } from "../../providers/provider.ts";
import { type IncomingRequest, streamEncoderOf } from "../pipeline/gateway-request.ts";
import type { GatewayReply } from "../pipeline/request-context.ts";
import { type Conversation, conversationOf } from "./conversation.ts";
import { createEventLog } from "./event-log.ts";
import { nowSeconds, persistFinal, type ResponseJob, type ResponsesDependencies } from "./persist.ts";
import { openSummary, sealSummary } from "./sealed-summary.ts";
import { type CompactedConversation, compactConversation } from "./summarize.ts";

/** The maximum size of the user's own messages next to the summary. */
const maxUserChars = 80_000;
const maxLogChars = 64 * 1024 * 1024;

/** Compacts a conversation, validated like that of a normal request. */
async function compacted(
  dependencies: ResponsesDependencies,
  incoming: IncomingRequest,
  { earlier, own }: Conversation,
): Promise<CompactedConversation> {
  const { requests, compactions } = dependencies.codec;
  const { keyId } = incoming.context.caller;
  try {
    const opened = compactions.open([...earlier, ...own], (sealed) => openSummary(dependencies, keyId, sealed));
    incoming.dialect.request.parse(requests.forUpstream(incoming.wire, opened.items), incoming.envelope);
    return await compactConversation(dependencies, { incoming, opened });
  } catch (thrown) {
    throw requests.inClientNumbers(toGatewayError(thrown), earlier.length);
  }
}

function sealed(
  dependencies: ResponsesDependencies,
  { context }: IncomingRequest,
  { summary, model }: { summary: string; model: string },
): string {
  return sealSummary(dependencies, context.caller.keyId, { summary, model, createdAt: nowSeconds(dependencies) });
}

/** A provider's own compaction, for its client. */
function tagged(
  { codec }: ResponsesDependencies,
  { native, servedBy }: Extract<CompactedConversation, { native: readonly Item[] }>,
): readonly Item[] {
  if (servedBy === null) return native;
  return codec.compactions.tagged(native, originOf(servedBy.candidate.provider, servedBy.candidate.model));
}

/** `POST /v1/responses/compact`. */
export async function compact(dependencies: ResponsesDependencies, incoming: IncomingRequest): Promise<GatewayReply> {
  const { requests, compactions } = dependencies.codec;
  const createdAt = nowSeconds(dependencies);
  const request = requests.read(incoming.wire);
  const conversation = await conversationOf(dependencies, request, incoming.context.caller.keyId);
  const reply = await compacted(dependencies, incoming, conversation);
  const id = randomId("resp_");
  const items = [...conversation.earlier, ...conversation.own];
  const output =
    "native" in reply
      ? tagged(dependencies, reply)
      : compactions.output(items, sealed(dependencies, incoming, reply), id, maxUserChars);
  return {
    body: JSON.stringify(compactions.render({ id, createdAt, output, usage: reply.usage })),
    servedBy: reply.servedBy,
  };
}

/** A response whose input requests compaction: exactly one item. */
export async function compactResponse(
  dependencies: ResponsesDependencies,
  incoming: IncomingRequest,
  conversation: Conversation,
  job: ResponseJob,
): Promise<GatewayReply> {
  const { requests, compactions } = dependencies.codec;
  const { identity, createdAtMs } = job;
  const { id } = identity;
  const request = compactions.request(incoming.wire, { transcript: "" }, { items: [] });
  const createdAt = Math.floor(createdAtMs / 1000);
  const write = { request, wire: incoming.wire, id, createdAt, inputEstimate: 0, stored: identity };
  const working = compacted(dependencies, incoming, conversation).then(async (reply) => {
    const { usage, model, servedBy } = reply;
    const item =
      "native" in reply
        ? compactions.nativeItem(id, tagged(dependencies, reply))
        : compactions.sealedItem(id, sealed(dependencies, incoming, reply));
    const one: CompactedResponse = { item, usage, model };
    const { response, isStored } = await persistFinal(dependencies, job, compactions.response(one, write));
    const frames = compactions.frames(one, { ...write, stored: { ...identity, isStored } });
    return { response, servedBy, frames: frames.map((frame) => frame.withResponse?.(response) ?? frame) };
  });
  if (requests.read(incoming.wire).isStream) return streamed(dependencies, incoming, id, working);
  const { response, servedBy } = await working;
  return { body: JSON.stringify(response), servedBy };
}

/** All events are sent at the end, and heartbeats before. An early failure is an error with its status. */
async function streamed(
  dependencies: ResponsesDependencies,
  incoming: IncomingRequest,
  id: string,
  working: Promise<{ readonly frames: readonly ResponseFrame[] }>,
): Promise<GatewayReply> {
  const log = createEventLog(maxLogChars);
  const encoder = streamEncoderOf(incoming.dialect, id);
  const failed = (error: GatewayError): readonly ResponseFrame[] => encoder.error(error);
  const finished = working
    .then(
      ({ frames }) => frames,
      (thrown: unknown) => failed(toGatewayError(thrown)),
    )
    .then((frames) => frames.forEach(log.append))
    .finally(log.end);
  const { heartbeatMs } = dependencies.gateway.streamTimers;
  await Promise.race([working, Bun.sleep(heartbeatMs)]);
  void finished;
  const heartbeat = (): Uint8Array => encoder.heartbeat(log.next() > 0);
  return { body: log.follow(-1, { heartbeatMs, heartbeat }), servedBy: null };
}
