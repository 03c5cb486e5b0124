// Google's long-running operations: whether one is done, and what became of it.
import type { VideoFailure } from "../../../../canonical/video.ts";
import { isObject, type JsonObject } from "../../../../lib/json.ts";
import { invalidUpstreamResponse } from "../../../errors.ts";
import { isErrorBody, parseError } from "../../../gemini/error.ts";
import { faultFailure, matchErrorCode, type VideoErrorName } from "../../error-codes.ts";
import { numberOf, objectOf, textOf } from "../../json-helpers.ts";
import { policyWords } from "../../result-urls.ts";
import type { UpstreamAnswer, VideoProgress } from "../../upstream.ts";

/** https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto */
const faults: { readonly [code: number]: VideoErrorName } = {
  3: "input",
  4: "timeout",
  7: "credentials",
  8: "rate",
  9: "input",
  14: "busy",
  16: "credentials",
};

/** A name that can stand in a path: segments of plain words. */
const safeName = /^(?!.*(?:^|\/)\.+(?:\/|$))[\w.:@~-]+(?:\/[\w.:@~-]+)*$/;

/** The name that a submit is answered with. Throws the error that came in its place. */
export function nameIn({ status, body }: UpstreamAnswer): string {
  if (!isObject(body)) throw invalidUpstreamResponse("expected a JSON object");
  if (isErrorBody(body)) throw parseError(status, body);
  const name = textOf(body.name);
  if (!safeName.test(name)) throw invalidUpstreamResponse("the response has no operation name");
  return name;
}

function failureOf(error: JsonObject): VideoFailure {
  const message = textOf(error.message);
  return faultFailure(matchErrorCode(policyWords, message) ?? faults[numberOf(error.code) ?? 0], message);
}

/** Videos that were made and then held back leave a count and reasons. */
function heldBack(response: JsonObject): VideoProgress | null {
  const [reason] = Array.isArray(response.raiMediaFilteredReasons) ? response.raiMediaFilteredReasons : [];
  if (!(numberOf(response.raiMediaFilteredCount) ?? 0) && reason === undefined) return null;
  return { state: "failed", failure: faultFailure("content", reason) };
}

/** What an operation says; `read` finds the videos in its response. */
export function operationTold(
  { status, body }: UpstreamAnswer,
  responseIn: (response: JsonObject) => JsonObject,
  read: (response: JsonObject) => NonNullable<VideoProgress["results"]>,
): VideoProgress | null {
  if (status === 404) return { isGone: true };
  if (status >= 300 || !isObject(body) || textOf(body.name) === "") return null;
  if (body.done !== true) return { state: "in_progress" };
  if (isErrorBody(body)) return { state: "failed", failure: failureOf(objectOf(body.error)) };
  const response = responseIn(objectOf(body.response));
  const results = read(response);
  return (results.length === 0 ? heldBack(response) : null) ?? { state: "completed", results };
}
