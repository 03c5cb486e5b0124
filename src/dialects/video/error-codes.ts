// All upstream errors in one list: every wire's own codes map to it, and it maps to errors and failures.
import type { GatewayError } from "../../canonical/error.ts";
import type { VideoFailure } from "../../canonical/video.ts";
import { refusalError, sanitise } from "../upstream-error.ts";

const kinds = {
  content: { status: 400, code: "content_policy_violation" },
  input: { status: 400, code: "invalid_parameter" },
  credentials: { status: 401, code: "upstream_auth" },
  funds: { status: 402, code: "upstream_quota" },
  rate: { status: 429, code: "rate_limit_exceeded" },
  busy: { status: 503, code: "upstream_overloaded" },
  timeout: { status: 504, code: "upstream_timeout" },
  broken: { status: 500, code: "generation_failed" },
} as const;

type VideoErrorName = keyof typeof kinds;

/** Rows by text or by number; the first match is used. */
export type VideoErrorTable = readonly (readonly [RegExp | readonly number[], VideoErrorName])[];

export function matchErrorCode(table: VideoErrorTable, code: unknown): VideoErrorName | undefined {
  if (typeof code !== "string" && typeof code !== "number") return undefined;
  return table.find(([codes]) =>
    codes instanceof RegExp ? codes.test(String(code)) : codes.includes(Number(code)),
  )?.[1];
}

/** For upstreams that explain a content refusal only in text. */
export const policyWords: VideoErrorTable = [
  [
    /risk control|content.{0,12}(?:polic|safety|filter|inspection)|sensitive|moderat|inappropriate|prohibited|responsible ai|usage guidelines|safety/i,
    "content",
  ],
];

/** An unsuccessful reply to a submit or a poll. `fault` is undefined where only the status decides. */
interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly retryAfterMs?: number | undefined;
}

/** The error for a refusal; a known code takes precedence over the status. */
export function faultError(
  fault: VideoErrorName | undefined,
  { status, message, retryAfterMs }: Refusal,
): GatewayError {
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  if (fault === undefined) return refusalError({ status, message, ...wait });
  const isOwn = fault === "input" && status >= 400 && status < 500;
  return refusalError({ status: isOwn ? status : kinds[fault].status, code: kinds[fault].code, message, ...wait });
}

/** Neutral messages for errors that concern only the operator and the provider. */
const ownWords: { readonly [fault in VideoErrorName]?: string } = {
  credentials: "The provider refused the gateway's credential or account.",
  funds: "The provider refused the gateway's credential or account.",
};

/** The failure of an accepted task. */
export function faultFailure(fault: VideoErrorName | undefined, message: unknown): VideoFailure {
  const text = typeof message === "string" ? sanitise(message).trim() : "";
  const kind = fault ?? "broken";
  return { code: kinds[kind].code, message: ownWords[kind] ?? (text || "The provider could not generate the video.") };
}
