// Errors of MiniMax, of videos and of speech: a number in the body, also where the status is that of a success.
import type { GatewayError } from "../../../canonical/error.ts";
import { isObject, type JsonObject } from "../../../lib/json.ts";
import { faultError, matchErrorCode, type VideoErrorTable } from "../error-codes.ts";
import { at, numberOf, objectOf, textOf } from "../json-helpers.ts";

/** https://platform.minimax.io/docs/api-reference/errorcode */
export const faults: VideoErrorTable = [
  [[1001], "timeout"],
  [[1002, 1039, 1041, 2056], "rate"],
  [[1004, 2049], "credentials"],
  [[1008, 2061], "funds"],
  [[1026, 1027], "content"],
  [[1042, 2013], "input"],
];

export interface Outcome {
  /** 0 where all went well. */
  readonly code: number;
  readonly message: string;
}

export const faultOf = ({ code }: Outcome) => (code === 0 ? undefined : (matchErrorCode(faults, code) ?? "broken"));

/** `base_resp` of the older wire, `error` of the newer one, which ends its message with the number. */
export function outcomeOf(body: unknown): Outcome {
  const { base_resp: base, error } = objectOf(body);
  if (isObject(base)) return { code: numberOf(base.status_code) ?? 0, message: textOf(base.status_msg) };
  const message = textOf(at(error, "message"));
  const code = numberOf(at(error, "code")) ?? Number(/\((\d{4})\)\s*$/.exec(message)?.[1] ?? 0);
  return { code, message };
}

export function parseError(status: number, body: unknown, retryAfterMs?: number): GatewayError {
  const outcome = outcomeOf(body);
  return faultError(faultOf(outcome), { status, message: outcome.message || textOf(body), retryAfterMs });
}

/** True for a refusal: the number says what is wrong, also next to the status of a success. */
export const isRefusal = (body: JsonObject): boolean => outcomeOf(body).code !== 0 || isObject(body.error);
