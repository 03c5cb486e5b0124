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
import { type Asked, pipeWireOf } from "../pipeline/incoming-request.ts";
import type { Reply } from "../pipeline/run.ts";
import { type Conversation, conversationOf, inOwnNumbers } from "./conversation.ts";
import type { Job, StateParts } from "./dependencies.ts";
import { openCompactions, sealSummary, tagNative } from "./encrypted-summary.ts";
import { createEventLog } from "./event-log.ts";
import { concluded } from "./persist.ts";
import { type Shortened, shorten, type ToCompact } from "./summarize.ts";

/** What a client keeps of its user's own words beside the summary. */
const maxKeptChars = 80_000;
const maxLogChars = 64 * 1024 * 1024;

const isCompaction = ({ type }: JsonObject): boolean => type === "compaction";

/** Opens the conversation and checks it as a request for a reply would be checked. */
function toCompact(parts: StateParts, asked: Asked, conversation: Conversation): ToCompact {
  const items = [...conversation.earlier, ...conversation.own];
  const opened = openCompactions(items, parts.sealKey, asked.visit.caller.keyId);
  asked.dialect.request.parse({ ...asked.wire, input: [...opened.items] }, asked.envelope);
  const at = items.findLastIndex(isCompaction);
  return { asked, opened, tail: opened.items.slice(Math.max(at, 0)) };
}

async function made(parts: StateParts, asked: Asked, conversation: Conversation): Promise<Shortened> {
  try {
    return await shorten(parts.gateway, toCompact(parts, asked, conversation));
  } catch (thrown) {
    throw inOwnNumbers(toGatewayError(thrown), conversation.earlier.length);
  }
}

function sealed(parts: StateParts, asked: Asked, shortened: { summary: string; model: string }): string {
  const createdAt = Math.floor(parts.gateway.clock.nowMs() / 1000);
  const { summary, model } = shortened;
  return sealSummary(parts.sealKey, asked.visit.caller.keyId, { summary, model, createdAt });
}

const tagged = (item: JsonObject, { by }: Shortened): JsonObject =>
  isCompaction(item) && by !== null ? tagNative(item, originOf(by.candidate.provider, by.candidate.model)) : item;

/** The items with which the conversation goes on. */
function outputOf(parts: StateParts, asked: Asked, items: readonly JsonObject[], made: Shortened, id: string) {
  if ("native" in made) return made.native.map((item) => tagged(item, made));
  return compactedOutput(items, sealed(parts, asked, made), id, maxKeptChars);
}

/** `POST /v1/responses/compact`. */
export async function compact(parts: StateParts, asked: Asked): Promise<Reply> {
  const nowMs = parts.gateway.clock.nowMs();
  const conversation = await conversationOf(parts, asked.wire, asked.visit.caller.keyId);
  const shortened = await made(parts, asked, conversation);
  const id = randomId("resp_");
  const output = outputOf(parts, asked, [...conversation.earlier, ...conversation.own], shortened, id);
  const answered = renderCompaction({ id, createdAt: Math.floor(nowMs / 1000), output, usage: shortened.usage });
  return { body: JSON.stringify(answered), by: shortened.by };
}

interface Made {
  readonly item: JsonObject;
  readonly usage: Shortened["usage"];
  readonly model: string;
}

/** The one item of a response that was asked to compact. */
function itemOf(parts: StateParts, asked: Asked, shortened: Shortened, id: string): JsonObject {
  if ("summary" in shortened) return compactionItem(id, 0, sealed(parts, asked, shortened));
  const native = shortened.native.find(isCompaction) ?? {};
  return { ...tagged(native, shortened), id: compactionItem(id, 0, "").id ?? null };
}

/** A response to a wish for compaction: exactly one item. `echo` is what the client is told that it asked. */
export async function compactWished(
  parts: StateParts,
  asked: Asked,
  conversation: Conversation,
  job: Job,
  echo: JsonObject,
): Promise<Reply> {
  const ask = summaryAsk({ model: String(asked.wire.model), transcript: "" });
  const createdAt = Math.floor(job.createdAtMs / 1000);
  const write = { ask, wire: echo, id: job.id, createdAt, inputEstimate: 0 };
  const working = made(parts, asked, conversation).then(async (shortened) => {
    const { usage, model, by } = shortened;
    const one: Made = { item: itemOf(parts, asked, shortened, job.id), usage, model };
    const response = await concluded(parts, job, compactionResponse(one, write));
    return { one, response, by, told: { ...write, wire: { ...echo, store: response.store ?? false } } };
  });
  if (asked.wire.stream !== true) {
    const { response, by } = await working;
    return { body: JSON.stringify(response), by };
  }
  return streamed(
    parts,
    asked,
    job.id,
    working.then(({ one, told }) => compactionFrames(one, told)),
  );
}

/** The events come all at once, in the end; until then silence is filled. What fails early is told by its status. */
async function streamed(
  parts: StateParts,
  asked: Asked,
  id: string,
  working: Promise<ReturnType<typeof compactionFrames>>,
): Promise<Reply> {
  const log = createEventLog(maxLogChars);
  const wire = pipeWireOf(asked.dialect, id);
  const apology = (error: GatewayError) => asked.dialect.error.frames(error, id);
  const finished = working
    .catch((thrown: unknown) => apology(toGatewayError(thrown)))
    .then((frames) => frames.forEach(log.append))
    .finally(log.end);
  const { heartbeatMs } = parts.gateway.pace;
  await Promise.race([working, Bun.sleep(heartbeatMs)]);
  void finished;
  const heartbeat = (): Uint8Array => wire.heartbeat(log.next() > 0);
  return { body: log.follow(-1, { heartbeatMs, heartbeat }), by: null };
}
