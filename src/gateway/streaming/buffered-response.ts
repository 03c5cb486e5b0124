// A complete reply: read from the upstream within limits, parsed, and rendered for the client.

import { isAscii } from "node:buffer";
import { GatewayError } from "../../canonical/error.ts";
import type { OperationResponse } from "../../canonical/operation.ts";
import { cutAtStops } from "../../canonical/stop-sequences.ts";
import { totalOutput, type Usage } from "../../canonical/usage.ts";
import type { ReadContext } from "../../dialects/dialect.ts";
import { invalidUpstreamResponse } from "../../dialects/errors.ts";
import { writeBody } from "../../lib/body-thread.ts";
import type { Cancellation } from "../../lib/cancellation.ts";
import { parseExactText } from "../../lib/exact-json.ts";
import { isObject, type Json, type JsonObject, parseJsonText } from "../../lib/json.ts";
import { retryAfterMs } from "../../lib/retry-after.ts";
import { originOf } from "../../providers/provider.ts";
import type { HttpResponse } from "../../providers/transport/response.ts";
import { readBounded } from "../../providers/upstream.ts";
import type { AttemptLog } from "../attempts/attempt-log.ts";
import type { BufferedResponse, ReadResponse, UpstreamPlan } from "../attempts/upstream-plan.ts";
import { mergeAnswers, textOfAnswer } from "../operations/chat.ts";
import { check, merge } from "../operations/index.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import type { UsageEstimates } from "../pipeline/usage-estimate.ts";
import type { Candidate } from "../routing/catalog.ts";

const decoder = new TextDecoder();
const maxErrorBytes = 64 * 1024;

/** The gateway's error for an unsuccessful reply. */
export async function upstreamRefusal(
  response: HttpResponse,
  plan: UpstreamPlan,
  signal: Cancellation,
  nowMs: number,
): Promise<GatewayError> {
  if (response.status < 400)
    return new GatewayError("upstream_protocol_error", "The provider returned a redirect, which is not followed.");
  const bytes = await readBounded(response, maxErrorBytes, signal);
  const text = bytes === null ? "" : decoder.decode(bytes);
  const wait = retryAfterMs(response.headers, nowMs);
  const failure = plan.upstream.error.parse(response.status, parseJsonText(text) ?? text, wait);
  return plan.upstream.operation === "count" ? countRefusal(response.status, failure) : failure;
}

/** Arguments of calls are rendered again, so their numbers keep their source text. */
export function exactBody(bytes: Uint8Array): JsonObject {
  const body = parseExactText(textOf(bytes));
  return isObject(body) ? body : {};
}

/** From here on a copy of ASCII costs less than decoding it. */
const largeReply = 8 * 1024;

function textOf(bytes: Uint8Array): string {
  return bytes.length >= largeReply && isAscii(bytes) ? asBuffer(bytes).toString("latin1") : decoder.decode(bytes);
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/**
 * Chat replies contain arguments of calls, whose numbers keep their source text; other replies contain many numbers.
 */
function parseBody(bytes: Uint8Array, needsExactNumbers: boolean): JsonObject | Json[] {
  const text = textOf(bytes);
  const body = needsExactNumbers ? parseExactText(text) : parseJsonText(text);
  if (!isObject(body) && !Array.isArray(body)) throw invalidUpstreamResponse("expected a JSON object or array");
  return body;
}

/** Some servers return an error with status 200. */
function refuseHiddenError(body: JsonObject, plan: UpstreamPlan, status: number): void {
  if (body.error || body.type === "error") throw plan.upstream.error.parse(status, body);
}

/** A document instead of a stream: throws the error that it contains, if any. */
export async function throwHiddenError(
  response: HttpResponse,
  plan: UpstreamPlan,
  signal: Cancellation,
): Promise<void> {
  const bytes = await readBounded(response, maxErrorBytes, signal);
  const body = bytes === null ? undefined : parseJsonText(decoder.decode(bytes));
  if (isObject(body)) refuseHiddenError(body, plan, response.status);
}

const jsonType = /^application\/(?:[\w.-]+\+)?json/i;

/** A reply other than JSON, if the dialect supports it; null for JSON. */
function readDocument(
  response: HttpResponse,
  bytes: Uint8Array,
  plan: UpstreamPlan,
  gatewayRequest: GatewayRequest,
  origin: string,
): ReadResponse | null {
  const { textFormats } = plan.upstream;
  if (textFormats === undefined) return null;
  const type = response.headers.get("content-type") ?? "";
  if (jsonType.test(type)) return null;
  const canonicalResponse = textFormats.parse(bytes, type, { origin, request: gatewayRequest.request });
  return plan.codec.decodeDocument(bytes, type, canonicalResponse);
}

interface Reading {
  readonly origin: string;
  readonly signal: Cancellation;
  readonly maxBytes: number;
  readonly log: Pick<AttemptLog, "waits">;
}

/** Reads a successful reply. Throws `upstream_protocol_error` for an invalid one. */
export async function readResponse(
  response: HttpResponse,
  plan: UpstreamPlan,
  gatewayRequest: GatewayRequest,
  { origin, signal, maxBytes, log }: Reading,
): Promise<ReadResponse> {
  const bytes = await log.waits(readBounded(response, maxBytes, signal));
  if (bytes === null) throw invalidUpstreamResponse("the response exceeds the size limit");
  const document = readDocument(response, bytes, plan, gatewayRequest, origin);
  if (document !== null) return document;
  const peeked = plan.codec.peekResponse?.(bytes, gatewayRequest) ?? null;
  if (peeked !== null) return peeked;
  const json = parseBody(bytes, plan.codec.needsExactNumbers(gatewayRequest));
  if (!Array.isArray(json)) refuseHiddenError(json, plan, response.status);
  return plan.codec.decodeResponse({ bytes, json }, plan, gatewayRequest, origin);
}

/** The canonical reply, if forwarding it did not need it. */
export function parsedResponse(
  { bytes, body, type, answer }: ReadResponse,
  { upstream }: UpstreamPlan,
  context: ReadContext,
): OperationResponse {
  if (answer !== null) return answer;
  if (type === undefined || upstream.textFormats === undefined) return upstream.response.parse(body, context);
  return upstream.textFormats.parse(bytes, type, context);
}

/** What an estimate of usage needs. */
interface Estimating {
  readonly gatewayRequest: GatewayRequest;
  readonly estimates: UsageEstimates;
}

/** No usage, or none although there is output. */
const isUncounted = (usage: Usage | undefined): boolean =>
  usage === undefined || (totalOutput(usage) === 0 && usage.units === undefined);

/** The response with its usage: as reported if it can be true, otherwise as estimated, for the client too. */
export function counted(
  read: ReadResponse,
  plan: UpstreamPlan,
  context: Estimating,
  candidate: Candidate,
): ReadResponse | Promise<ReadResponse> {
  return isUncounted(read.usage) ? estimated(read, plan, context, candidate) : read;
}

async function estimated(
  read: ReadResponse,
  plan: UpstreamPlan,
  context: Estimating,
  candidate: Candidate,
): Promise<ReadResponse> {
  const { gatewayRequest, estimates } = context;
  const origin = originOf(candidate.provider, candidate.model);
  const response = parsedResponse(read, plan, { origin, request: gatewayRequest.request });
  if (read.usage !== undefined && textOfAnswer(response) === "") return read;
  const usage = await estimates.reply([gatewayRequest.request], response, candidate);
  return plan.codec.withUsage(read, usage, gatewayRequest, response);
}

/** A response in the client's dialect. Throws where it is none for this request. */
export async function rendered(
  response: OperationResponse,
  plan: UpstreamPlan,
  gatewayRequest: GatewayRequest,
): Promise<BufferedResponse> {
  check(response, gatewayRequest.request);
  const cut = plan.watched.length > 0 && response.operation === "chat" ? cutAtStops(response, plan.watched) : response;
  const document = gatewayRequest.dialect.textFormats?.render(cut, gatewayRequest.write) ?? null;
  if (document !== null) return { body: document.text, type: document.type, usage: response.usage };
  const json = gatewayRequest.dialect.response.render(cut, gatewayRequest.write);
  if (gatewayRequest.asJson) return { body: "", json, usage: response.usage };
  return { body: await writeBody(json), usage: response.usage };
}

/** Throws `upstream_protocol_error` for an answer that is none for this request, which is built only if there is one. */
export function checkedAnswer(answer: OperationResponse | null, gatewayRequest: GatewayRequest): void {
  if (answer !== null) check(answer, gatewayRequest.request);
}

/** Several replies to one request, merged. The usage is unknown if that of one reply is. */
export function mergedAnswerOf(replies: readonly ReadResponse[], plan: UpstreamPlan): OperationResponse {
  const responses = replies.flatMap(({ answer }) => (answer === null ? [] : [answer]));
  const merged = merge(responses);
  if (merged !== undefined) return merged;
  return mergeAnswers(
    responses.filter((response) => response.operation === "chat"),
    plan.parts,
  );
}

/** Several replies to one request, merged for the client. */
export async function mergedResponse(
  replies: readonly ReadResponse[],
  plan: UpstreamPlan,
  { gatewayRequest, estimates }: { readonly gatewayRequest: GatewayRequest; readonly estimates: UsageEstimates },
  candidate: Candidate,
): Promise<BufferedResponse> {
  const response = mergedAnswerOf(replies, plan);
  if (response.usage !== undefined) return rendered(response, plan, gatewayRequest);
  const requests = plan.parts.length === 0 ? [gatewayRequest.request] : plan.parts.map(({ ask }) => ask);
  return rendered({ ...response, usage: await estimates.reply(requests, response, candidate) }, plan, gatewayRequest);
}

const noSuchPath = new Set([404, 405, 501]);

/** `counter_missing` for a server without an endpoint for token counts, otherwise the failure itself. */
function countRefusal(status: number, failure: GatewayError): GatewayError {
  if (!noSuchPath.has(status) || failure.kind === "upstream_model_not_found") return failure;
  return new GatewayError("counter_missing", "The provider does not offer token counting.", { cause: failure });
}
