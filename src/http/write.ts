// Writes responses: the headers of every response, and errors in the client's format.

import type { GatewayError } from "../canonical/error.ts";
import type { ArrayForm, Dialect } from "../dialects/dialect.ts";
import { warningText } from "../gateway/ledger/settlement.ts";
import type { GatewayReply } from "../gateway/pipeline/request-context.ts";
import { formatDecimal } from "../lib/decimal.ts";
import { nextEventLoopTurn } from "../lib/event-loop-turn.ts";
import type { Json } from "../lib/json.ts";
import { textSteps } from "../lib/json-write.ts";
import { isLargerThan } from "../lib/size.ts";
import type { Provider } from "../providers/provider.ts";
import { asArray } from "./json-array-stream.ts";
import { inOneWrite } from "./one-write.ts";

const jsonType = "application/json; charset=utf-8";
/** The headers of every event stream. */
export const streamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
} as const;
/** The official SDKs ignore a longer wait and retry on their own, so x-should-retry prevents it. */
const longWaitMs = 60_000;
const nanoDigits = 9;

/** The headers in which a client expects its request id. */
type IdHeaders = readonly string[];

function common(requestId: string, idHeaders: IdHeaders): Record<string, string> {
  const headers: Record<string, string> = { "x-request-id": requestId };
  for (const name of idHeaders) headers[name] = requestId;
  return headers;
}

const plain = /^[\x20-\x7e]*$/;

/** A header value may not contain control characters or anything outside Latin-1. */
function headerSafe(text: string): string {
  if (text.length < 100 && plain.test(text)) return text;
  return text.replace(/[^\x20-\x7e]/g, "?").slice(0, 1_000);
}

/**
 * Headers of replies that differ only in their ids, which belong to the provider in them. Copying them costs half as much
 * as building them.
 */
const ready = new WeakMap<Provider, Map<string, Headers>>();
const maxReady = 1_000;

/** The headers for the provider and the body. */
function headersOf({ servedBy, body, type, isEstimated }: GatewayReply): Headers {
  const headers = new Headers(body instanceof ReadableStream ? streamHeaders : { "content-type": jsonType });
  if (type !== undefined) headers.set("content-type", type);
  if (isEstimated) headers.set("x-turnpike-usage", "estimated");
  if (servedBy === null) return headers;
  headers.set("x-turnpike-provider", headerSafe(servedBy.candidate.provider.entry.name));
  headers.set("x-turnpike-model", headerSafe(servedBy.candidate.model));
  headers.set("x-turnpike-attempts", String(servedBy.attempts));
  if (servedBy.warnings.length > 0) headers.set("x-turnpike-warnings", headerSafe(warningText(servedBy.warnings)));
  return headers;
}

/** `Response` copies the headers, so the same object serves the next reply, with its ids replaced. */
function readyHeaders(reply: GatewayReply, idHeaders: IdHeaders): Headers {
  const { servedBy, body, type, isEstimated } = reply;
  if (servedBy === null || isEstimated || servedBy.warnings.length > 0) return headersOf(reply);
  const { provider, model } = servedBy.candidate;
  let known = ready.get(provider);
  if (known === undefined) {
    known = new Map();
    ready.set(provider, known);
  }
  const name = `${idHeaders} ${servedBy.attempts} ${body instanceof ReadableStream} ${type} ${model}`;
  const found = known.get(name);
  if (found !== undefined) return found;
  if (known.size >= maxReady) known.clear();
  const headers = headersOf(reply);
  known.set(name, headers);
  return headers;
}

/** In dollars, exactly. The headers are shared, so the previous reply's value must be removed. */
function setCost(headers: Headers, price: bigint | null | undefined): void {
  if (price === undefined || price === null) headers.delete("x-turnpike-cost");
  else headers.set("x-turnpike-cost", formatDecimal(price, nanoDigits));
}

/** A reply as an HTTP response; with `array`, a stream is written as one JSON array. */
export function writeReply(reply: GatewayReply, requestId: string, idHeaders: IdHeaders, array?: ArrayForm): Response {
  const headers = readyHeaders(reply, idHeaders);
  headers.set("x-request-id", requestId);
  for (const name of idHeaders) headers.set(name, requestId);
  setCost(headers, reply.price);
  if (!(reply.body instanceof ReadableStream) || array === undefined)
    return new Response(inOneWrite(reply.body), { headers });
  const response = new Response(asArray(reply.body, array), { headers });
  response.headers.set("content-type", jsonType);
  return response;
}

/** A JSON response of the gateway itself. */
export function writeJson(body: unknown, requestId: string, idHeaders: IdHeaders = [], status = 200): Response {
  const headers = { ...common(requestId, idHeaders), "content-type": jsonType };
  return new Response(JSON.stringify(body), { status, headers });
}

/** Characters that are written at once. */
const wholeChars = 128 * 1024;

/** A document that may be large: it is written as its client reads it. */
export function writeLargeJson(body: Json, requestId: string): Response {
  if (!isLargerThan(body, wholeChars)) return writeJson(body, requestId);
  const steps = textSteps(body);
  const written = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await nextEventLoopTurn();
        const { done, value } = steps.next();
        if (done) controller.close();
        else controller.enqueue(Buffer.from(value));
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(written, { headers: { ...common(requestId, []), "content-type": jsonType } });
}

/** An error in the format of the dialect. */
export function writeError(
  error: GatewayError,
  errors: Dialect["error"],
  requestId: string,
  idHeaders: IdHeaders,
): Response {
  const { status, body } = errors.render(error, requestId);
  const headers = common(requestId, idHeaders);
  headers["content-type"] = jsonType;
  const wait = error.retryAfterMs;
  if (wait !== undefined) {
    headers["retry-after"] = String(Math.max(1, Math.ceil(wait / 1000)));
    headers["retry-after-ms"] = String(Math.ceil(wait));
  } else if (status === 429 || status === 503) headers["retry-after"] = "1";
  if (error.attempted !== undefined) {
    headers["x-turnpike-provider"] = headerSafe(error.attempted.provider);
    headers["x-turnpike-model"] = headerSafe(error.attempted.model);
    headers["x-turnpike-attempts"] = String(error.attempted.attempts);
  }
  if (error.resetAtMs !== undefined) headers["x-turnpike-reset"] = new Date(error.resetAtMs).toISOString();
  headers["x-should-retry"] = String(error.transient && (wait ?? 0) <= longWaitMs);
  if (status === 401) headers["www-authenticate"] = "Bearer";
  if (status === 426) headers.upgrade = "HTTP/1.1";
  return new Response(JSON.stringify(body), { status, headers });
}
