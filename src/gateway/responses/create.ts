// `POST /v1/responses`: what came before is put in front of what was asked, and the answer is kept.
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import {
  checkTrigger,
  failedFrames,
  queuedResponse,
  storedItems,
  withoutTrigger,
} from "../../dialects/stored-responses.ts";
import { parseExactText } from "../../lib/exact-json.ts";
import { randomId } from "../../lib/ids.ts";
import { isObject } from "../../lib/json.ts";
import { formatFrame } from "../../lib/sse.ts";
import { putResponse } from "../../store/responses.ts";
import type { Inquiry } from "../pipeline/gateway-request.ts";
import { type Asked, inquiryOf, pipeWireOf } from "../pipeline/incoming-request.ts";
import { answer, type Reply } from "../pipeline/run.ts";
import { resolve } from "../routing/resolve.ts";
import { aliveForMs, startRun } from "./background-run.ts";
import type { Runs } from "./background-runs.ts";
import { compactWished } from "./compaction.ts";
import { type Conversation, conversationOf, inOwnNumbers } from "./conversation.ts";
import type { Job, StateParts } from "./dependencies.ts";
import { concluded, rowOf } from "./persist.ts";
import { resolvedInput } from "./resolved-input.ts";
import { tapOf } from "./response-id-rewriter.ts";

const decoder = new TextDecoder();
const encoder = new TextEncoder();

function jobOf(parts: StateParts, { wire, visit }: Asked, conversation: Conversation): Job {
  const id = randomId("resp_");
  const { earlier, own, previousResponseId } = conversation;
  const isKept = wire.store !== false && parts.retentionMs > 0;
  const input = isKept ? [...earlier, ...storedItems([...own], id)] : [];
  const createdAtMs = parts.gateway.clock.nowMs();
  const isBackground = wire.background === true;
  return { id, ownerKeyId: visit.caller.keyId, input, previousResponseId, createdAtMs, isKept, isBackground };
}

function refuseUnkept({ isBackground, isKept }: Job): void {
  if (!isBackground || isKept) return;
  const message = "'background' needs a response that is stored: 'store' is false, or this gateway keeps nothing.";
  throw new GatewayError("invalid_value", message, { param: "background" });
}

/** The inquiry behind a request; errors speak of items by the client's own numbers. */
function inquiryFor(parts: StateParts, asked: Asked, conversation: Conversation, job: Job): Inquiry {
  const { wire, ...changes } = resolvedInput(parts, asked, conversation);
  return inquiryOf(asked, job.createdAtMs, {
    ...changes,
    wire: job.isBackground ? { ...wire, stream: true } : wire,
    echo: { ...asked.wire, store: job.isKept },
    id: job.id,
  });
}

/** A whole reply under the gateway's own id, kept. */
async function whole(parts: StateParts, job: Job, reply: Reply): Promise<Reply> {
  const { body } = reply;
  if (body instanceof ReadableStream) return reply;
  const response = parseExactText(typeof body === "string" ? body : decoder.decode(body));
  if (!isObject(response)) return reply;
  return { ...reply, body: JSON.stringify(await concluded(parts, job, response)) };
}

async function inForeground(parts: StateParts, asked: Asked, job: Job, inquiry: Inquiry): Promise<Reply> {
  // Nothing was sent yet where this wire words an error.
  const error = (failure: GatewayError) =>
    encoder.encode(failedFrames(failure, inquiry.write).map(formatFrame).join(""));
  const wire = { ...pipeWireOf(asked.dialect, job.id), error, tap: tapOf(parts, job) };
  return whole(parts, job, await answer(parts.gateway, inquiry, { ...asked.visit, wire }));
}

/** The row stands before the client hears of the response; a model that nobody has is refused at once. */
async function inBackground(parts: StateParts, runs: Runs, asked: Asked, job: Job, inquiry: Inquiry): Promise<Reply> {
  const { gateway, store } = parts;
  const { model, operation } = inquiry.ask;
  resolve(gateway.catalog.current(), gateway.listings.now, model, operation, gateway.standIn);
  runs.admit();
  const response = queuedResponse(inquiry.write);
  await putResponse(store, rowOf(parts, job, response, job.createdAtMs + aliveForMs));
  const { caller, arrivedMs, requestId } = asked.visit;
  const run = startRun(parts, job, inquiry, response, { caller, arrivedMs, requestId });
  runs.add(run);
  if (asked.wire.stream !== true) return { body: JSON.stringify(response), by: null };
  const { heartbeatMs } = gateway.pace;
  const { heartbeat } = pipeWireOf(asked.dialect, job.id);
  return { body: run.log.follow(-1, { heartbeatMs, heartbeat: () => heartbeat(run.log.next() > 0) }), by: null };
}

function refuseBackground({ isBackground }: Job): void {
  if (!isBackground) return;
  throw new GatewayError("invalid_value", "A compaction cannot run in the background.", { param: "background" });
}

/** Answers a request for a response. Throws GatewayError for whatever must be told before the first byte. */
export async function create(parts: StateParts, runs: Runs, asked: Asked): Promise<Reply> {
  const conversation = await conversationOf(parts, asked.wire, asked.visit.caller.keyId);
  const isWish = checkTrigger(conversation.own);
  const meant = isWish ? { ...conversation, own: withoutTrigger(conversation.own), isResolved: true } : conversation;
  const job = jobOf(parts, asked, meant);
  refuseUnkept(job);
  if (isWish) {
    refuseBackground(job);
    return compactWished(parts, asked, meant, job, { ...asked.wire, store: job.isKept });
  }
  try {
    const inquiry = inquiryFor(parts, asked, meant, job);
    if (job.isBackground) return await inBackground(parts, runs, asked, job, inquiry);
    return await inForeground(parts, asked, job, inquiry);
  } catch (thrown) {
    throw inOwnNumbers(toGatewayError(thrown), meant.earlier.length);
  }
}
