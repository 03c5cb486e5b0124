// MiniMax's errors: a number in the body tells what is wrong, also where the status says that all is well.
import type { GatewayError } from "../../../../canonical/error.ts";
import { isObject } from "../../../../lib/json.ts";
import { faultError, type VideoErrorName } from "../../error-codes.ts";
import { numberOf, objectOf, textOf } from "../../json-helpers.ts";

/** https://platform.minimax.io/docs/api-reference/errorcode */
const faults: { readonly [code: number]: VideoErrorName } = {
  1000: "broken",
  1001: "timeout",
  1002: "rate",
  1004: "credentials",
  1008: "funds",
  1013: "broken",
  1024: "broken",
  1026: "content",
  1027: "content",
  1033: "broken",
  1039: "rate",
  1041: "rate",
  1042: "input",
  2013: "input",
  2049: "credentials",
  2056: "rate",
  2061: "funds",
};

/** What a body says went wrong. `code` is 0 where all went well. */
export interface Said {
  readonly code: number;
  readonly message: string;
}

export const faultOfCode = (code: number): VideoErrorName | undefined =>
  code === 0 ? undefined : (faults[code] ?? "broken");

const codeInText = (text: string): number => Number(/\((\d{4})\)\s*$/.exec(text)?.[1] ?? 0);

/** `base_resp` of the older wire, `error` of the newer one, which ends its message with the number. */
export function saidIn(body: unknown): Said {
  const { base_resp: base, error } = objectOf(body);
  if (isObject(base)) return { code: numberOf(base.status_code) ?? 0, message: textOf(base.status_msg) };
  if (!isObject(error)) return { code: 0, message: "" };
  const message = textOf(error.message);
  return { code: numberOf(error.code) ?? codeInText(message), message };
}

export function parseError(status: number, body: unknown, retryAfterMs?: number): GatewayError {
  const { code, message } = saidIn(body);
  return faultError(faultOfCode(code), { status, message: message || textOf(body), retryAfterMs });
}

/** Throws for a refusal that came with the status of a success. */
export function checkAccepted(status: number, body: unknown): void {
  if (saidIn(body).code !== 0 || isObject(objectOf(body).error)) throw parseError(status, body);
}
