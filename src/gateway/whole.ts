// A whole reply: read from the upstream within bounds, understood, and put into the client's words.

import { GatewayError } from "../canon/error.ts";
import type { Answer } from "../canon/operation.ts";
import type { Usage } from "../canon/usage.ts";
import { badReply } from "../dialects/reject.ts";
import { isObject, type JsonObject, parseJsonText } from "../lib/json.ts";
import { transportError } from "../providers/upstream.ts";
import { mergeAnswers } from "./fan.ts";
import type { Inquiry } from "./inquiry.ts";
import type { Lane } from "./relay.ts";
import { cutAtStops } from "./stops.ts";

const decoder = new TextDecoder();
const maxReplyBytes = 64 * 1024 * 1024;
const maxErrorBytes = 64 * 1024;
const maxRetryAfterMs = 60_000;

/** What goes to the client, and what the meter must know. */
export interface WholeReply {
  readonly body: Uint8Array | string;
  readonly usage: Usage | undefined;
}

/** Reads at most `maxBytes`; null when there is more. Transport faults become gateway errors. */
export function readBounded(response: Response, maxBytes: number, signal: AbortSignal): Promise<Uint8Array | null> {
  const declared = Number(response.headers.get("content-length") ?? Number.NaN);
  if (declared > maxBytes) return Promise.resolve(null);
  const reading: Promise<Uint8Array | null> = declared >= 0 ? response.bytes() : gather(response, maxBytes);
  return reading.catch((thrown: unknown) => {
    throw transportError(thrown, signal);
  });
}

async function gather(response: Response, maxBytes: number): Promise<Uint8Array | null> {
  if (response.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of response.body) {
    total += chunk.length;
    if (total > maxBytes) return null;
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
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
  return lane.upstream.error.parse(response.status, parseJsonText(text) ?? text, retryAfterMs(response.headers, nowMs));
}

function parseBody(bytes: Uint8Array): JsonObject {
  const body = parseJsonText(decoder.decode(bytes));
  if (!isObject(body)) throw badReply("it is not a JSON object");
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
  const body = parseBody(bytes);
  refuseHiddenError(body, lane, response.status);
  const { usage: usageOf } = lane.upstream.verbatim;
  if (lane.verbatim && usageOf !== undefined) return { bytes, body, usage: usageOf(body), answer: null };
  const answer = lane.upstream.response.parse(body, { origin, ask: inquiry.ask });
  return { bytes, body, usage: answer.usage, answer };
}

function rendered(answer: Answer, lane: Lane, inquiry: Inquiry): WholeReply {
  const cut = lane.watched.length > 0 && answer.operation === "chat" ? cutAtStops(answer, lane.watched) : answer;
  return { body: JSON.stringify(inquiry.dialect.response.render(cut, inquiry.write)), usage: answer.usage };
}

/** The one reply of a lane, for the client. */
export function wholeReply({ bytes, body, usage, answer }: ReadReply, lane: Lane, inquiry: Inquiry): WholeReply {
  if (!lane.verbatim && answer !== null) return rendered(answer, lane, inquiry);
  const mended = lane.upstream.verbatim.mend?.(body, inquiry.wire) ?? body;
  return { body: mended === body ? bytes : JSON.stringify(mended), usage };
}

/** Several replies of a lane as one. */
export function mergedReply(replies: readonly ReadReply[], lane: Lane, inquiry: Inquiry): WholeReply {
  const answers = replies.flatMap(({ answer }) => (answer?.operation === "chat" ? [answer] : []));
  return rendered(mergeAnswers(answers, lane.parts), lane, inquiry);
}
