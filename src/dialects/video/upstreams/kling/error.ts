// Errors of Kling: a code beside a message, whatever the status of the answer.
import { GatewayError } from "../../../../canonical/error.ts";
import { isObject } from "../../../../lib/json.ts";
import type { ErrorCodec } from "../../../dialect.ts";
import { faultError, type VideoErrorName } from "../../error-codes.ts";
import { numberOf, objectOf, textOf } from "../../json-helpers.ts";

/** https://app.klingai.com/global/dev/document-api/apiReference/commonInfo */
const faults: { readonly [code: number]: VideoErrorName } = {
  1000: "credentials",
  1001: "credentials",
  1002: "credentials",
  1003: "credentials",
  1004: "credentials",
  1100: "funds",
  1101: "funds",
  1102: "funds",
  1103: "credentials",
  1200: "input",
  1201: "input",
  1300: "content",
  1301: "content",
  1302: "rate",
  1303: "rate",
  1304: "credentials",
  5000: "broken",
  5001: "busy",
  5002: "timeout",
};
/** No such method, and no such model or task. */
const unknownMethod = 1202;
const unknownTask = 1203;
/** A task that the older paths do not know is a parameter that is wrong. */
const unknownParameter = 1201;
/** The signature or the key is of another kind than the path takes. */
const invalidKey = 1002;

/** `{code, message, request_id}`. */
export const parseError: ErrorCodec["parse"] = (status, body, retryAfterMs) => {
  const code = numberOf(objectOf(body).code) ?? 0;
  const message = textOf(objectOf(body).message) || textOf(body);
  const judged = code === unknownMethod || code === unknownTask ? 404 : status;
  return faultError(faults[code], { status: judged, message, retryAfterMs });
};

/** As `parseError`, for the newer paths, which take no access key pairs. */
export const parseNewerError: ErrorCodec["parse"] = (status, body, retryAfterMs) => {
  const error = parseError(status, body, retryAfterMs);
  if (numberOf(objectOf(body).code) !== invalidKey) return error;
  const message =
    "The provider refused the gateway's credential: this model requires a Kling API key ('credential'). An access key pair works with the older models ('kling-v…') only.";
  return new GatewayError("upstream_credentials", message, { cause: error });
};

/** What an answer without a fault holds; undefined for any other, `gone` for one about a task that is not known. */
export function dataIn(status: number, body: unknown): unknown {
  const { code, data } = objectOf(body);
  const number = numberOf(code);
  if (status === 404 || number === unknownTask || number === unknownParameter) return "gone";
  return status < 300 && isObject(body) && number === 0 ? data : undefined;
}
