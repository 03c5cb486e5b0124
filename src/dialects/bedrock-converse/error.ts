// Errors: as the service writes them, in responses and within a stream, and as clients of this dialect read them.
import type { GatewayError } from "../../canonical/error.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { refusalError } from "../upstream-error.ts";

/** The event name of an exception within a stream. */
export const exceptionEvent = "exception";

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html#API_runtime_ConverseStream_Errors */
const statuses: ReadonlyMap<string, number> = new Map([
  ["validationexception", 400],
  ["accessdeniedexception", 403],
  ["expiredtokenexception", 403],
  ["unrecognizedclientexception", 403],
  ["resourcenotfoundexception", 404],
  ["modeltimeoutexception", 408],
  ["modelerrorexception", 424],
  ["modelstreamerrorexception", 424],
  ["throttlingexception", 429],
  ["modelnotreadyexception", 429],
  ["servicequotaexceededexception", 429],
  ["internalserverexception", 500],
  ["serviceunavailableexception", 503],
]);
const unknownStatus = 502;
/** The model failed, not the request: https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html */
const failedModel = 424;

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** The bare name of `com.amazonaws…#Name:https://…`. */
function nameOf(type: Json | undefined): string {
  return text(type).replace(/^.*#/, "").replace(/:.*$/, "");
}

function statusOf(status: number, name: string): number {
  const effective = status >= 400 ? status : (statuses.get(name.toLowerCase()) ?? unknownStatus);
  return effective === failedModel ? unknownStatus : effective;
}

/** The gateway's error for an upstream's status and body. */
export function parseError(status: number, body: unknown, retryAfterMs?: number): GatewayError {
  const error: JsonObject = isObject(body) ? body : { message: typeof body === "string" ? body.trim() : "" };
  const message = text(error.message) || text(error.Message) || text(error.originalMessage);
  const type = nameOf(error.__type);
  const effective = statusOf(status, type);
  return refusalError({
    status: effective,
    message: message.startsWith("<") ? "" : message,
    ...(type === "" ? {} : { type }),
    ...(type === "" ? {} : { code: type }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}
