// Compaction for a client: the endpoint of its own, and the wish for it at the end of an input.
import type { GatewayError } from "../../canonical/error.ts";
import { toGatewayError } from "../../canonical/error.ts";
import {
  compactedOutput,
  compactionFrames,
  compactionItem,
  compactionResponse,
  renderCompaction,
  summaryAsk,
} from "../../dialects/stored-responses.ts";
import { randomId } from "../../lib/ids.ts";
import type { JsonObject } from "../../lib/json.ts";
import { originOf } from "../../providers/provider.ts";
import { type IncomingRequest, streamEncoderOf } from "../pipeline/incoming-request.ts";
import type { GatewayReply } from "../pipeline/request-context.ts";
import { type Conversation, conversationOf, inOwnNumbers } from "./conversation.ts";
import type { ResponseJob, ResponsesDependencies } from "./dependencies.ts";
import { openCompactions, sealSummary, tagNative } from "./encrypted-summary.ts";
import { createEventLog } from "./event-log.ts";
import { persistFinal } from "./persist.ts";
import { type CompactedConversation, type ConversationToCompact, compactConversation } from "./summarize.ts";

/** What a client keeps of its user's own words beside the summary. */
const maxKeptChars = 80_000;
const maxLogChars = 64 * 1024 * 1024;

const isCompaction = ({ type }: JsonObject): boolean => type === "compaction";

/** Opens the conversation and checks it as a request for a reply would be checked. */
function toCompact(
  dependencies: ResponsesDependencies,
  incoming: IncomingRequest,
  conversation: Conversation,
): ConversationToCompact {
  const items = [...conversation.earlier, ...conversation.own];
  const opened = openCompactions(items, dependencies.sealKey, incoming.visit.caller.keyId);
  incoming.dialect.request.parse({ ...incoming.wire, input: [...opened.items] }, incoming.envelope);
  const at = items.findLastIndex(isCompaction);
  return { asked: incoming, opened, tail: opened.items.slice(Math.max(at, 0)) };
}

async function made(
  dependencies: ResponsesDependencies,
  incoming: IncomingRequest,
  conversation: Conversation,
): Promise<CompactedConversation> {
  try {
    return await compactConversation(dependencies.gateway, toCompact(dependencies, incoming, conversation));
  } catch (thrown) {
    throw inOwnNumbers(toGatewayError(thrown), conversation.earlier.length);
  }
}

function sealed(
  dependencies: ResponsesDependencies,
  incoming: IncomingRequest,
  shortened: { summary: string; model: string },
): string {
  const createdAt = Math.floor(dependencies.gateway.clock.nowMs() / 1000);
  const { summary, model } = shortened;
  return sealSummary(dependencies.sealKey, incoming.visit.caller.keyId, { summary, model, createdAt });
}

const tagged = (item: JsonObject, { by }: CompactedConversation): JsonObject =>
  isCompaction(item) && by !== null ? tagNative(item, originOf(by.candidate.provider, by.candidate.model)) : item;

/** The items with which the conversation goes on. */
function outputOf(
  dependencies: ResponsesDependencies,
  incoming: IncomingRequest,
  items: readonly JsonObject[],
  made: CompactedConversation,
  id: string,
) {
  if ("native" in made) return made.native.map((item) => tagged(item, made));
  return compactedOutput(items, sealed(dependencies, incoming, made), id, maxKeptChars);
}

/** `POST /v1/responses/compact`. */
export async function compact(dependencies: ResponsesDependencies, incoming: IncomingRequest): Promise<GatewayReply> {
  const nowMs = dependencies.gateway.clock.nowMs();
  const conversation = await conversationOf(dependencies, incoming.wire, incoming.visit.caller.keyId);
  const shortened = await made(dependencies, incoming, conversation);
  const id = randomId("resp_");
  const output = outputOf(dependencies, incoming, [...conversation.earlier, ...conversation.own], shortened, id);
  const answered = renderCompaction({ id, createdAt: Math.floor(nowMs / 1000), output, usage: shortened.usage });
  return { body: JSON.stringify(answered), by: shortened.by };
}

interface Made {
  readonly item: JsonObject;
  readonly usage: CompactedConversation["usage"];
  readonly model: string;
}

/** The one item of a response that was asked to compact. */
function itemOf(
  dependencies: ResponsesDependencies,
  incoming: IncomingRequest,
  shortened: CompactedConversation,
  id: string,
): JsonObject {
  if ("summary" in shortened) return compactionItem(id, 0, sealed(dependencies, incoming, shortened));
  const native = shortened.native.find(isCompaction) ?? {};
  return { ...tagged(native, shortened), id: compactionItem(id, 0, "").id ?? null };
}

/** A response to a wish for compaction: exactly one item. `echo` is what the client is told that it asked. */
export async function compactWished(
  dependencies: ResponsesDependencies,
  incoming: IncomingRequest,
  conversation: Conversation,
  job: ResponseJob,
  echo: JsonObject,
): Promise<GatewayReply> {
  const request = summaryAsk({ model: String(incoming.wire.model), transcript: "" });
  const createdAt = Math.floor(job.createdAtMs / 1000);
  const write = { request, wire: echo, id: job.id, createdAt, inputEstimate: 0 };
  const working = made(dependencies, incoming, conversation).then(async (shortened) => {
    const { usage, model, by } = shortened;
    const one: Made = { item: itemOf(dependencies, incoming, shortened, job.id), usage, model };
    const response = await persistFinal(dependencies, job, compactionResponse(one, write));
    return { one, response, by, told: { ...write, wire: { ...echo, store: response.store ?? false } } };
  });
  if (incoming.wire.stream !== true) {
    const { response, by } = await working;
    return { body: JSON.stringify(response), by };
  }
  return streamed(
    dependencies,
    incoming,
    job.id,
    working.then(({ one, told }) => compactionFrames(one, told)),
  );
}

/** The events come all at once, in the end; until then silence is filled. What fails early is told by its status. */
async function streamed(
  dependencies: ResponsesDependencies,
  incoming: IncomingRequest,
  id: string,
  working: Promise<ReturnType<typeof compactionFrames>>,
): Promise<GatewayReply> {
  const log = createEventLog(maxLogChars);
  const wire = streamEncoderOf(incoming.dialect, id);
  const apology = (error: GatewayError) => incoming.dialect.error.frames(error, id);
  const finished = working
    .catch((thrown: unknown) => apology(toGatewayError(thrown)))
    .then((frames) => frames.forEach(log.append))
    .finally(log.end);
  const { heartbeatMs } = dependencies.gateway.streamTimers;
  await Promise.race([working, Bun.sleep(heartbeatMs)]);
  void finished;
  const heartbeat = (): Uint8Array => wire.heartbeat(log.next() > 0);
  return { body: log.follow(-1, { heartbeatMs, heartbeat }), by: null };
}
