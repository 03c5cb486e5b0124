// Errors: as upstreams of this dialect write them, and as its clients read them.
import type { ErrorKind, GatewayError } from "../../canonical/error.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { Frame } from "../../lib/sse.ts";
import { refusalError } from "../upstream-error.ts";

/** The status of each error type, for errors within a stream, which have none. */
const statuses = new Map<unknown, number>([
  ["invalid_request_error", 400],
  ["authentication_error", 401],
  ["billing_error", 402],
  ["permission_error", 403],
  ["not_found_error", 404],
  ["conflict_error", 409],
  ["request_too_large", 413],
  ["rate_limit_error", 429],
  ["api_error", 500],
  ["timeout_error", 504],
  ["overloaded_error", 529],
]);

function text(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The error object in the shapes that servers use: under `error`, bare, in a list, or as text. */
function errorOf(body: unknown): JsonObject {
  if (typeof body === "string") return { message: body };
  if (Array.isArray(body)) return errorOf(body[0]);
  if (!isObject(body)) return {};
  const { error, errors, detail } = body;
  if (isObject(error) || typeof error === "string") return errorOf(error);
  if (Array.isArray(errors)) return errorOf(errors[0]);
  return body["message"] === undefined && text(detail) !== undefined ? { message: detail } : body;
}

/** The gateway's error for an upstream's status and body. */
export function parseError(status: number, body: unknown, retryAfterMs?: number): GatewayError {
  const error = errorOf(body);
  const type = text(error["type"]);
  const code = text(error["code"]);
  const param = text(error["param"]);
  return refusalError({
    status,
    message: text(error["message"]) ?? "",
    ...(type ? { type } : {}),
    ...(code ? { code } : {}),
    ...(param ? { param } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** The same for an error within a stream or in a reply of status 200, where only the type is known. */
export function parseErrorEvent(body: JsonObject): GatewayError {
  return parseError(statuses.get(errorOf(body)["type"]) ?? 500, body);
}

const typeOfStatus: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  409: "conflict_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
};

/** Kinds that have an error type of their own in this dialect. */
const ofKind: { readonly [kind in ErrorKind]?: { readonly type: string; readonly status?: number } } = {
  insufficient_quota: { type: "billing_error" },
  overloaded: { type: "overloaded_error", status: 529 },
  upstream_overloaded: { type: "overloaded_error", status: 529 },
};

/** Clients look for this text to decide that they must shorten the conversation. */
const tooLong = "prompt is too long";

function messageOf({ kind, message, overflow = {} }: GatewayError): string {
  if (kind !== "context_length_exceeded") return message;
  const { tokens, limit } = overflow;
  if (tokens !== undefined && limit !== undefined && !/prompt is too long: \d+ tokens > \d+/.test(message))
    return `${tooLong}: ${tokens} tokens > ${limit} maximum`;
  return message.toLowerCase().includes(tooLong) ? message : `${tooLong}: ${message}`;
}

/** The official SDK retries without the previous thread when it finds this error code. */
function detailsOf(error: GatewayError): JsonObject {
  if (error.kind !== "unsupported_parameter" || error.param !== "thread") return {};
  return { details: { error_code: "thread_unsupported_request", unsupported: ["thread"] } };
}

/** Status and body for the client. `requestId` is left out when it is unknown. */
export function renderError(error: GatewayError, requestId?: string): { status: number; body: JsonObject } {
  const own = ofKind[error.kind];
  const byStatus = error.status >= 500 ? "api_error" : "invalid_request_error";
  const type = own?.type ?? typeOfStatus[error.status] ?? byStatus;
  const body: JsonObject = {
    type: "error",
    error: { type, message: messageOf(error), param: error.param, code: error.code, ...detailsOf(error) },
    ...(requestId ? { request_id: requestId } : {}),
  };
  return { status: own?.status ?? error.status, body };
}

/** The error event. No event may follow it. */
export function errorFrames(error: GatewayError, requestId?: string): Frame[] {
  return [{ event: "error", data: JSON.stringify(renderError(error, requestId).body) }];
}
