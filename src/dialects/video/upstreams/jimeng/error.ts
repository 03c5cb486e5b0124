// Errors of Jimeng: a code of the service beside a message, or the envelope of the layer before it that checks signatures.
import { isObject } from "../../../../lib/json.ts";
import type { ErrorCodec } from "../../../dialect.ts";
import {
  faultError,
  faultFailure,
  matchErrorCode,
  type VideoErrorName,
  type VideoErrorTable,
} from "../../error-codes.ts";
import { numberOf, objectOf, textOf } from "../../json-helpers.ts";
import type { VideoProgress } from "../../upstream.ts";

/** All is well. */
export const fine = 10_000;

/** https://www.volcengine.com/docs/85621/1544774 */
const faults: { readonly [code: number]: VideoErrorName } = {
  50400: "credentials",
  50411: "content",
  50412: "content",
  50413: "content",
  50429: "rate",
  50430: "rate",
  50500: "broken",
  50501: "broken",
  50511: "content",
  50512: "content",
  50516: "content",
  50517: "content",
  50518: "content",
  50519: "content",
  50520: "content",
  50521: "content",
  50522: "content",
};

/** Words of the layer before the service. */
const layerFaults: VideoErrorTable = [
  [/Limit|Throttl/i, "rate"],
  [/Signature|AccessKey|AccessDenied|Credential|Token|Authoriz|Forbidden|Timestamp|RequestExpired/i, "credentials"],
  [/Arrear|Overdue|Balance/i, "funds"],
];

/** Faults of the moment or of the account, which say nothing of a task. */
const passing: ReadonlySet<VideoErrorName | undefined> = new Set<VideoErrorName>([
  "credentials",
  "rate",
  "broken",
  "busy",
  "timeout",
]);

/** The code of the service; undefined where it did not answer. */
export const codeIn = (body: unknown): number | undefined => numberOf(objectOf(body).code);

export const parseError: ErrorCodec["parse"] = (status, body, retryAfterMs) => {
  const layer = objectOf(objectOf(objectOf(body).ResponseMetadata).Error);
  const code = codeIn(body);
  const fault = code === undefined ? matchErrorCode(layerFaults, textOf(layer.Code)) : faults[code];
  const message = textOf(objectOf(body).message) || textOf(layer.Message) || textOf(body);
  return faultError(fault, { status, message, retryAfterMs });
};

/** What an answer to a poll with a code other than `fine` says of the task. */
export function failureIn(status: number, body: unknown): VideoProgress | null {
  const code = codeIn(body);
  if (!isObject(body) || code === undefined || code === fine) return null;
  const fault = faults[code];
  const isDone = objectOf(body.data).status === "done";
  const isOfTheTask = fault === undefined ? status === 400 : !passing.has(fault);
  return isDone || isOfTheTask ? { state: "failed", failure: faultFailure(fault, body.message) } : null;
}
