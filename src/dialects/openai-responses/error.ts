// Errors: the envelope that all OpenAI-shaped dialects share, and the failed response that ends a stream.
import type { ErrorKind, GatewayError } from "../../canonical/error.ts";
import type { Usage } from "../../canonical/usage.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { Frame } from "../../lib/sse.ts";
import type { ErrorCodec, ResponseFrame, WriteContext } from "../dialect.ts";
import { openaiErrors, parseError } from "../openai-error.ts";
import type { BrokenStream } from "../stored-responses.ts";
import { responseId } from "./ids.ts";
import { echo, identityOf, responseHead, type Standing } from "./response-object.ts";
import { renderUsage } from "./usage.ts";

/** Codes of errors in the request itself, within a stream that had started. */
const requestCodes =
  /^(?:invalid_|image_|empty_image|unsupported_image|failed_to_download_image|bio_policy|misalignment_policy|data_residency)/;

function statusOf(error: unknown): number {
  const code = isObject(error) ? error.code : undefined;
  return typeof code === "string" && requestCodes.test(code) ? 400 : 200;
}

/** The error of a failed response. */
export function parseFailure(response: JsonObject): GatewayError {
  const { error } = response;
  return parseError(statusOf(error), isObject(error) ? { error } : { error: { message: "", code: "server_error" } });
}

/** The error of an `error` event: flat as documented, or under `error` as the service sends it. */
export function parseErrorEvent(event: JsonObject): GatewayError {
  const inner = isObject(event.error) ? event.error : { message: event.message, code: event.code, param: event.param };
  return parseError(statusOf(inner), { error: inner });
}

/** Kinds with a code of their own in this dialect; agents decide by it whether to wait, to shorten or to give up. */
const codes: { readonly [kind in ErrorKind]?: string } = {
  rate_limit_exceeded: "rate_limit_exceeded",
  concurrency_limit_exceeded: "rate_limit_exceeded",
  upstream_rate_limited: "rate_limit_exceeded",
  insufficient_quota: "insufficient_quota",
  context_length_exceeded: "context_length_exceeded",
  overloaded: "server_is_overloaded",
  draining: "server_is_overloaded",
  upstream_overloaded: "server_is_overloaded",
  upstream_rejected: "invalid_prompt",
};

/** Agents parse the wait from this text. */
function wait(error: GatewayError, code: string): string {
  if (code !== "rate_limit_exceeded" || error.retryAfterMs === undefined || /try again in/i.test(error.message)) {
    return "";
  }
  return ` Please try again in ${Math.max(1, Math.ceil(error.retryAfterMs / 1000))}s.`;
}

/** The member `error` of a failed response. */
export function failureOf(error: GatewayError): JsonObject {
  const code = codes[error.kind] ?? (error.status < 500 ? error.code : "server_error");
  return { code, message: `${error.message}${wait(error, code)}`, param: error.param, type: error.type };
}

/** Higher than any number in the stream, whose actual count is unknown here. */
const lastSequenceNumber = 2 ** 31 - 1;

/**
 * A failed response for a stream whose writer is not available, without its output and with a made-up sequence number.
 * Where there is a writer, write the error with it.
 */
function errorFrames(error: GatewayError, requestId: string): Frame[] {
  const identity = { id: responseId(requestId), createdAt: 0, model: "" };
  const response = responseHead(identity, { status: "failed", output: [], usage: null, error: failureOf(error) });
  const type = "response.failed";
  return [{ event: type, data: JSON.stringify({ type, sequence_number: lastSequenceNumber, response }) }];
}

/** The last event of a stream that ended without one. */
function lastFrame(
  context: WriteContext,
  { response: head, number }: BrokenStream,
  standing: Standing,
): Required<Pick<ResponseFrame, "event" | "data" | "response" | "withResponse">> {
  const { model, created_at: createdAt } = head;
  const identity = identityOf(context, {
    model: typeof model === "string" ? model : "",
    ...(typeof createdAt === "number" ? { createdAt } : {}),
  });
  const type = `response.${standing.status}`;
  const dataOf = (response: JsonObject): string => JSON.stringify({ type, sequence_number: number, response });
  const response = { ...responseHead(identity, standing), ...echo(context) };
  return {
    ...{ event: type, data: dataOf(response), response },
    withResponse: (other) => ({ event: type, data: dataOf(other) }),
  };
}

/** The failed response that ends a stream. */
export function failedFrame(
  error: GatewayError,
  context: WriteContext,
  broken: BrokenStream = { response: {}, number: 0, items: [] },
): ResponseFrame {
  const { items } = broken;
  const failed: Standing = { status: "failed", output: [...items], usage: null, error: failureOf(error) };
  const { event, data, response } = lastFrame(context, broken, failed);
  return { event, data, response };
}

/** The response that ends a stream which must stop. */
export const incompleteFrame = (usage: Usage, context: WriteContext, broken: BrokenStream): ResponseFrame =>
  lastFrame(context, broken, {
    ...{ status: "incomplete", reason: "max_output_tokens" },
    ...{ output: [...broken.items], usage: renderUsage(usage) },
  });

export const error: ErrorCodec = { ...openaiErrors, frames: errorFrames };
