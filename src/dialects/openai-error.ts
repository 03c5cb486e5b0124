// The error envelope of all OpenAI-shaped wires, and the variants of compatible servers.
import type { GatewayError } from "../canonical/error.ts";
import { isObject, type Json, type JsonObject, parseJsonText } from "../lib/json.ts";
import type { Frame } from "../lib/sse.ts";
import type { ErrorCodec } from "./dialect.ts";
import { refusalError } from "./upstream-error.ts";

/** The parts found in a body. `status` only if the body itself contains one. */
interface Found {
  readonly message: string;
  readonly type?: string;
  readonly code?: string;
  readonly param?: string;
  readonly status?: number;
}

const nothing: Found = { message: "" };
const maxNesting = 4;

/** Statuses of errors that have none: in a stream, or in the body of a 200. */
const statusByWord: ReadonlyMap<string, number> = new Map([
  ["invalid_request_error", 400],
  ["invalid_argument", 400],
  ["badrequesterror", 400],
  ["context_length_exceeded", 400],
  ["content_policy_violation", 400],
  ["content_filter", 400],
  ["model_not_found", 404],
  ["not_found_error", 404],
  ["authentication_error", 401],
  ["invalid_api_key", 401],
  ["unauthenticated", 401],
  ["permission_error", 403],
  ["permission_denied", 403],
  ["insufficient_quota", 429],
  ["rate_limit_exceeded", 429],
  ["rate_limit_error", 429],
  ["resource_exhausted", 429],
  ["slow_down", 429],
  ["requests", 429],
  ["tokens", 429],
  ["overloaded_error", 503],
  ["server_is_overloaded", 503],
  ["service_unavailable_error", 503],
  ["unavailable", 503],
  ["timeout", 504],
  ["timeout_error", 504],
  ["deadline_exceeded", 504],
]);
const unknownStatus = 502;

/** Google's compatible endpoint reports an invalid key of the gateway as a bad request. */
const refusedKey = /API_KEY_INVALID|API key not valid/i;

function text(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function fromText(body: string, depth: number): Found {
  const trimmed = body.trim();
  if (trimmed.startsWith("{") || trimmed.startsWith("[")) {
    const parsed = parseJsonText(trimmed);
    if (parsed !== undefined) return find(parsed, depth + 1);
  }
  return trimmed.startsWith("<") ? nothing : { message: trimmed };
}

/** The first of several bodies with content. */
function firstOf(items: readonly Json[], depth: number): Found {
  for (const item of items) {
    const found = find(item, depth + 1);
    if (found.message !== "") return found;
  }
  return nothing;
}

function fromObject(body: JsonObject, depth: number): Found {
  for (const inner of [body.error, body.errors, body.detail]) {
    if (inner === undefined || inner === null || inner === false) continue;
    const found = find(inner, depth + 1);
    if (found.message !== "" || found.code !== undefined || found.type !== undefined) return found;
  }
  const { code } = body;
  const message = text(body.message) ?? text(body.msg) ?? text(body.error_msg) ?? "";
  const type = text(body.type) ?? text(body.status);
  const param = text(body.param);
  const named = text(code);
  const status = typeof code === "number" && code >= 400 && code < 600 ? code : undefined;
  return {
    message: message.trimStart().startsWith("{") ? fromText(message, depth).message || message : message,
    ...(type === undefined ? {} : { type }),
    ...(param === undefined ? {} : { param }),
    ...(status === undefined ? {} : { status }),
    ...(named === undefined ? {} : { code: named }),
  };
}

function find(body: Json, depth: number): Found {
  if (depth > maxNesting) return nothing;
  if (typeof body === "string") return fromText(body, depth);
  if (Array.isArray(body)) return firstOf(body.slice(0, 8), depth);
  return isObject(body) ? fromObject(body, depth) : nothing;
}

/**
 * The status to classify by: the HTTP status if it is an error, otherwise the one that the body contains or implies.
 */
function effectiveStatus(status: number, found: Found): number {
  if (status === 400 && refusedKey.test(`${found.message} ${found.code ?? ""}`)) return 401;
  if (status >= 400) return status;
  if (found.status !== undefined) return found.status;
  const words = [found.code, found.type].map((word) => statusByWord.get(word?.toLowerCase() ?? ""));
  return words.find((known) => known !== undefined) ?? unknownStatus;
}

/** Whether a body is an error, whatever its HTTP status is. */
export function isErrorBody(body: JsonObject): boolean {
  return Boolean(body.error) || body.object === "error";
}

/** Parses the error bodies of OpenAI-shaped servers: the envelope, `detail`, `errors`, a bare string, HTML. */
export function parseError(status: number, body: unknown, retryAfterMs?: number): GatewayError {
  const found = find(body as Json, 0);
  return refusalError({
    status: effectiveStatus(status, found),
    message: found.message,
    ...(found.type === undefined ? {} : { type: found.type }),
    ...(found.code === undefined ? {} : { code: found.code }),
    ...(found.param === undefined ? {} : { param: found.param }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** Clients look at the code first, and some only at this text. */
function messageOf({ kind, message, overflow }: GatewayError): string {
  if (kind !== "context_length_exceeded" || /maximum context length|context window/i.test(message)) return message;
  const { tokens, limit } = overflow ?? {};
  if (tokens === undefined || limit === undefined)
    return `Your input exceeds the context window of this model: ${message}`;
  return `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${tokens} tokens.`;
}

/** All four fields, with `param` null if none applies. */
export function errorBody(error: GatewayError): JsonObject {
  return { error: { message: messageOf(error), type: error.type, param: error.param, code: error.code } };
}

/** One record without a following `[DONE]`, so that the stream does not count as complete. */
export function errorFrames(error: GatewayError): Frame[] {
  return [{ data: JSON.stringify(errorBody(error)) }];
}

export const openaiErrors: ErrorCodec = {
  parse: parseError,
  render: (error) => ({ status: error.status, body: errorBody(error) }),
  frames: errorFrames,
};
