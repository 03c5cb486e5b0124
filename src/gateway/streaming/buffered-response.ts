// A whole reply: read from the upstream within bounds, understood, and put into the client's words.

import { GatewayError } from "../../canonical/error.ts";
import type { Answer } from "../../canonical/operation.ts";
import type { Usage } from "../../canonical/usage.ts";
import type { Dialect, ReadContext } from "../../dialects/dialect.ts";
import { badReply } from "../../dialects/errors.ts";
import { parseExactText } from "../../lib/exact-json.ts";
import { isObject, type Json, type JsonObject, parseJsonText } from "../../lib/json.ts";
import { readBounded } from "../../providers/read-body.ts";
import { mergeAnswers } from "../attempts/fan-out.ts";
import type { Lane } from "../attempts/upstream-plan.ts";
import { checkCount, joinVectors } from "../operations/batches.ts";
import { joinImages } from "../operations/image-transfer.ts";
import { checkVerdicts, joinVerdicts } from "../operations/moderation-batches.ts";
import { countRefusal } from "../operations/token-count-refusal.ts";
import type { Inquiry } from "../pipeline/gateway-request.ts";
import type { UsageEstimates } from "../pipeline/usage-estimate.ts";
import type { Candidate } from "../routing/catalog.ts";
import { cutAtStops } from "./stop-sequences.ts";

const decoder = new TextDecoder();
const maxReplyBytes = 64 * 1024 * 1024;
const maxErrorBytes = 64 * 1024;
const maxRetryAfterMs = 60_000;

/** What goes to the client, and what the meter must know. */
export interface WholeReply {
  readonly body: Uint8Array | string;
  /** Content-Type, where it is no JSON. */
  readonly type?: string;
  readonly usage: Usage | undefined;
}

/** The wait an upstream asks for, in milliseconds within sane bounds; undefined when it asks for none. */
export function retryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const exact = headers.get("retry-after-ms");
  const seconds = headers.get("retry-after");
  if (exact === null && seconds === null) return undefined;
  const asked = exact !== null ? Number(exact) : Number(seconds) * 1000;
  const wait = Number.isNaN(asked) ? Date.parse(seconds ?? "") - nowMs : asked;
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), maxRetryAfterMs);
}

/** The gateway's error for a reply that is no success. */
export async function refusal(
  response: Response,
  lane: Lane,
  signal: AbortSignal,
  nowMs: number,
): Promise<GatewayError> {
  if (response.status < 400)
    return new GatewayError("upstream_protocol_error", "The provider answered with a redirect, which is not followed.");
  const bytes = await readBounded(response, maxErrorBytes, signal);
  const text = bytes === null ? "" : decoder.decode(bytes);
  const wait = retryAfterMs(response.headers, nowMs);
  const failure = lane.upstream.error.parse(response.status, parseJsonText(text) ?? text, wait);
  return lane.upstream.operation === "count" ? countRefusal(response.status, failure) : failure;
}

/** Replies of chat hold arguments of calls, whose numbers keep their text; those of other operations hold many numbers. */
function parseBody(bytes: Uint8Array, { operation }: Dialect): JsonObject | Json[] {
  const text = decoder.decode(bytes);
  const body = operation === "chat" ? parseExactText(text) : parseJsonText(text);
  if (!isObject(body) && !Array.isArray(body)) throw badReply("it is neither a JSON object nor a list");
  return body;
}

/** Some servers put an error into a body with status 200. */
function refuseHiddenError(body: JsonObject, lane: Lane, status: number): void {
  if (body.error || body.type === "error") throw lane.upstream.error.parse(status, body);
}

/** A document where a stream was asked for: throws the error that it holds, if it holds one. */
export async function refuseDocument(response: Response, lane: Lane, signal: AbortSignal): Promise<void> {
  const bytes = await readBounded(response, maxErrorBytes, signal);
  const body = bytes === null ? undefined : parseJsonText(decoder.decode(bytes));
  if (isObject(body)) refuseHiddenError(body, lane, response.status);
}

/** A reply as it came and as it was understood. `answer` is null where the bytes go on as they are. */
export interface ReadReply {
  readonly bytes: Uint8Array;
  readonly body: JsonObject;
  readonly usage: Usage | undefined;
  readonly answer: Answer | null;
  /** Content-Type of bytes that are no JSON. */
  readonly type?: string;
  /** The answer says more than the bytes: it is told in their place. */
  readonly changed?: true;
}

const jsonType = /^application\/(?:[\w.-]+\+)?json/i;

/** A reply that is no JSON, where the dialect knows such; null where it is JSON. */
function readDocument(
  response: Response,
  bytes: Uint8Array,
  lane: Lane,
  inquiry: Inquiry,
  origin: string,
): ReadReply | null {
  const { documents } = lane.upstream;
  if (documents === undefined) return null;
  const type = response.headers.get("content-type") ?? "";
  if (jsonType.test(type)) return null;
  const answer = documents.parse(bytes, type, { origin, ask: inquiry.ask });
  return { bytes, body: {}, usage: answer.usage, answer: lane.verbatim ? null : answer, type };
}

/** Where the upstream names no model, it is the one that was asked. */
function named(answer: Answer, model: string): Answer {
  return answer.operation === "chat" && answer.model === "" ? { ...answer, model } : answer;
}

/** Reads a successful reply. Throws `upstream_protocol_error` on nonsense. */
export async function readReply(
  response: Response,
  lane: Lane,
  inquiry: Inquiry,
  origin: string,
  signal: AbortSignal,
): Promise<ReadReply> {
  const bytes = await readBounded(response, maxReplyBytes, signal);
  if (bytes === null) throw badReply("it is larger than the gateway takes");
  const document = readDocument(response, bytes, lane, inquiry, origin);
  if (document !== null) return document;
  const reply = parseBody(bytes, lane.upstream);
  const body = isObject(reply) ? reply : {};
  refuseHiddenError(body, lane, response.status);
  const { usage: usageOf } = lane.upstream.verbatim;
  if (lane.verbatim && usageOf !== undefined) return { bytes, body, usage: usageOf(body), answer: null };
  const answer = named(lane.upstream.response.parse(reply, { origin, ask: inquiry.ask }), lane.model);
  return { bytes, body, usage: answer.usage, answer };
}

/** What a reply says, where the verbatim lane did not need to read it. */
export function understood({ bytes, body, type, answer }: ReadReply, { upstream }: Lane, context: ReadContext): Answer {
  if (answer !== null) return answer;
  if (type === undefined || upstream.documents === undefined) return upstream.response.parse(body, context);
  return upstream.documents.parse(bytes, type, context);
}

/** Throws `upstream_protocol_error` where not every item of the ask has its own in the answer. */
function checkItems(answer: Answer, { ask }: Inquiry): void {
  if (answer.operation === "embed" && ask.operation === "embed") checkCount(answer, ask);
  if (answer.operation === "moderate" && ask.operation === "moderate") checkVerdicts(answer, ask);
}

function rendered(answer: Answer, lane: Lane, inquiry: Inquiry): WholeReply {
  checkItems(answer, inquiry);
  const cut = lane.watched.length > 0 && answer.operation === "chat" ? cutAtStops(answer, lane.watched) : answer;
  const document = inquiry.dialect.documents?.render(cut, inquiry.write) ?? null;
  if (document !== null) return { body: document.text, type: document.type, usage: answer.usage };
  return { body: JSON.stringify(inquiry.dialect.response.render(cut, inquiry.write)), usage: answer.usage };
}

/** The one reply of a lane, for the client. */
export function wholeReply(read: ReadReply, lane: Lane, inquiry: Inquiry): WholeReply {
  const { bytes, body, usage, answer, type, changed } = read;
  if ((!lane.verbatim || changed) && answer !== null) return rendered(answer, lane, inquiry);
  if (answer !== null) checkItems(answer, inquiry);
  if (type !== undefined) return { body: bytes, type, usage };
  const mended = lane.upstream.verbatim.mend?.(body, inquiry.wire, inquiry.write) ?? body;
  return { body: mended === body ? bytes : JSON.stringify(mended), usage };
}

/** Several replies of a lane as one answer. Its usage is not known where that of one reply is not. */
export function mergedAnswer(replies: readonly ReadReply[], lane: Lane): Answer {
  const answers = replies.flatMap(({ answer }) => (answer === null ? [] : [answer]));
  const vectors = answers.filter((answer) => answer.operation === "embed");
  if (vectors.length > 0) return joinVectors(vectors);
  const verdicts = answers.filter((answer) => answer.operation === "moderate");
  if (verdicts.length > 0) return joinVerdicts(verdicts);
  const images = answers.filter((answer) => answer.operation === "image");
  if (images.length > 0) return joinImages(images);
  return mergeAnswers(
    answers.filter((answer) => answer.operation === "chat"),
    lane.parts,
  );
}

/** Several replies of a lane as one, for the client. */
export async function mergedReply(
  replies: readonly ReadReply[],
  lane: Lane,
  { inquiry, estimates }: { readonly inquiry: Inquiry; readonly estimates: UsageEstimates },
  candidate: Candidate,
): Promise<WholeReply> {
  const answer = mergedAnswer(replies, lane);
  if (answer.usage !== undefined) return rendered(answer, lane, inquiry);
  const asks = lane.parts.length === 0 ? [inquiry.ask] : lane.parts.map(({ ask }) => ask);
  return rendered({ ...answer, usage: await estimates.reply(asks, answer, candidate) }, lane, inquiry);
}
