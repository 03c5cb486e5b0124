// Errors: as upstreams of this dialect write them, and as its clients read them.
import type { GatewayError } from "../../canonical/error.ts";
import { isObject, type Json, type JsonObject, parseJsonText } from "../../lib/json.ts";
import type { Frame } from "../../lib/sse.ts";
import type { ErrorCodec } from "../dialect.ts";
import { objectsIn } from "../shared/json-accessors.ts";
import { refusalError } from "../upstream-error.ts";

const typePrefix = "type.googleapis.com/google.rpc.";
/** Longer waits are reported as this, as for the Retry-After header. */
const maxRetryAfterMs = 60_000;

/** The HTTP statuses of this dialect's status names. */
const httpStatuses: ReadonlyMap<Json | undefined, number> = new Map<Json | undefined, number>([
  ["INVALID_ARGUMENT", 400],
  ["FAILED_PRECONDITION", 400],
  ["OUT_OF_RANGE", 400],
  ["UNAUTHENTICATED", 401],
  ["PERMISSION_DENIED", 403],
  ["NOT_FOUND", 404],
  ["ABORTED", 409],
  ["ALREADY_EXISTS", 409],
  ["RESOURCE_EXHAUSTED", 429],
  ["CANCELLED", 499],
  ["INTERNAL", 500],
  ["UNKNOWN", 500],
  ["DATA_LOSS", 500],
  ["UNIMPLEMENTED", 501],
  ["UNAVAILABLE", 503],
  ["DEADLINE_EXCEEDED", 504],
]);
const unknownStatus = 502;

const text = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** The error object in the shapes that servers use: under `error`, first in a list, as text, or bare. */
function errorOf(body: unknown): JsonObject {
  if (Array.isArray(body)) return errorOf(body[0]);
  if (typeof body === "string") return fromText(body.trim());
  if (!isObject(body)) return {};
  return isObject(body.error) || typeof body.error === "string" ? errorOf(body.error) : body;
}

function fromText(body: string): JsonObject {
  const parsed = body.startsWith("{") || body.startsWith("[") ? parseJsonText(body) : undefined;
  if (parsed !== undefined && typeof parsed === "object") return errorOf(parsed);
  return body.startsWith("<") ? {} : { message: body };
}

function detail(error: JsonObject, type: string): JsonObject {
  return objectsIn(error.details).find((each) => String(each["@type"]).endsWith(`.${type}`)) ?? {};
}

/** A wait such as `34.07s`, in milliseconds. */
function waitOf(error: JsonObject): number | undefined {
  const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(text(detail(error, "RetryInfo").retryDelay) ?? "")?.[1];
  return seconds === undefined ? undefined : Math.min(Math.ceil(Number(seconds) * 1000), maxRetryAfterMs);
}

/** Reasons for which the gateway's own key was refused. */
const refusedKey = /^API_KEY_|^ACCESS_TOKEN_|^CREDENTIALS_MISSING$/;
const refusedKeyWords = /API key not valid|API key expired|API_KEY_INVALID/i;

/** The status to classify by. A refused key or account of the gateway is reported as a bad request too. */
function effectiveStatus(status: number, error: JsonObject, reason: string | undefined): number {
  const { code } = error;
  const named = typeof code === "number" && code >= 400 && code < 600 ? code : httpStatuses.get(error.status);
  const known = status >= 400 ? status : (named ?? unknownStatus);
  if (known !== 400) return known;
  if (refusedKey.test(reason ?? "") || refusedKeyWords.test(text(error.message) ?? "")) return 401;
  return error.status === "FAILED_PRECONDITION" ? 403 : known;
}

/** The gateway's error for an upstream's status and body. */
export function parseError(status: number, body: unknown, retryAfterMs?: number): GatewayError {
  const error = errorOf(body);
  const reason = text(detail(error, "ErrorInfo").reason);
  const param = text(error.param) ?? text(objectsIn(detail(error, "BadRequest").fieldViolations)[0]?.field);
  const type = text(error.status);
  const code = reason ?? text(error.code) ?? type;
  const wait = retryAfterMs ?? waitOf(error);
  return refusalError({
    status: effectiveStatus(status, error, reason),
    message: text(error.message) ?? "",
    ...(type === undefined ? {} : { type }),
    ...(code === undefined ? {} : { code }),
    ...(param === undefined ? {} : { param }),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  });
}

/** Whether a body is an error, whatever its HTTP status is. */
export function isErrorBody(body: JsonObject): boolean {
  return isObject(body.error) || (typeof body.error === "string" && body.error !== "");
}

const wordsByStatus: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  405: "UNIMPLEMENTED",
  408: "DEADLINE_EXCEEDED",
  409: "ABORTED",
  426: "FAILED_PRECONDITION",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  501: "UNIMPLEMENTED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

function statusWord(status: number): string {
  return wordsByStatus[status] ?? (status < 500 ? "INVALID_ARGUMENT" : "INTERNAL");
}

/** The error code, the field at fault and the wait, where clients of this dialect expect them. */
function detailsOf(error: GatewayError, requestId: string): JsonObject[] {
  const details: JsonObject[] = [
    { "@type": `${typePrefix}ErrorInfo`, reason: error.code, domain: "turnpike", metadata: { type: error.type } },
  ];
  if (error.param !== null) {
    const fieldViolations = [{ field: error.param, description: error.message }];
    details.push({ "@type": `${typePrefix}BadRequest`, fieldViolations });
  }
  if (error.retryAfterMs !== undefined) {
    details.push({ "@type": `${typePrefix}RetryInfo`, retryDelay: `${error.retryAfterMs / 1000}s` });
  }
  if (requestId !== "") details.push({ "@type": `${typePrefix}RequestInfo`, requestId });
  return details;
}

/** Clients of this dialect recognize by this text that they must shorten the conversation. */
function messageOf({ kind, message, overflow }: GatewayError): string {
  if (kind !== "context_length_exceeded" || /input token count.{0,40}exceeds/i.test(message)) return message;
  const { tokens, limit } = overflow ?? {};
  if (tokens === undefined || limit === undefined)
    return `The input token count exceeds the maximum number of tokens allowed: ${message}`;
  return `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${limit}).`;
}

/** Status and body for the client: Google's members, plus the gateway's type and param. */
function renderError(error: GatewayError, requestId: string): { status: number; body: JsonObject } {
  const body: JsonObject = {
    error: {
      code: error.status,
      message: messageOf(error),
      status: statusWord(error.status),
      type: error.type,
      param: error.param,
      details: detailsOf(error, requestId),
    },
  };
  return { status: error.status, body };
}

function errorFrames(error: GatewayError, requestId: string): Frame[] {
  return [{ data: JSON.stringify(renderError(error, requestId).body) }];
}

export const geminiErrors: ErrorCodec = { parse: parseError, render: renderError, frames: errorFrames };
