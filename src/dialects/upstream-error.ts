// The meaning of upstream errors: one classification for all dialects, and a message that is safe to show.
import { type ContextOverflow, type ErrorDetail, type ErrorKind, GatewayError } from "../canonical/error.ts";
import { overflowOf } from "./context-overflow.ts";
import { knownRefusal } from "./refusal-rules.ts";

/** The parts of an upstream's error that dialects extract from their envelopes. */
interface UpstreamRefusal {
  readonly status: number;
  readonly message: string;
  readonly type?: string;
  readonly code?: string;
  readonly param?: string;
  readonly retryAfterMs?: number;
}

const maxMessageChars = 500;
const hidden: readonly (readonly [RegExp, string])[] = [
  [/\bhttps?:\/\/[^\s"')]{1,300}/gi, "[address]"],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g, "[address]"],
  [/\b(?:[a-z0-9-]{1,63}\.){1,8}(?:com|net|org|io|ai|dev|cloud|internal|local|cn)\b(?::\d{1,5})?/gi, "[address]"],
  [/\b(?:sk|pk|rk|key|tp|gsk|xai|AIza)[-_][\w*.-]{4,200}/g, "[credential]"],
  [/\bAIza[\w-]{10,100}/g, "[credential]"],
  [/\b(?:api[_-]?)?key=[^\s&"']{4,200}/gi, "[credential]"],
  [/\bBearer\s{1,4}[^\s"']{4,300}/gi, "[credential]"],
  [/\b(?:org|proj|acct)[-_][A-Za-z0-9]{3,100}/g, "[account]"],
];

/** An upstream's message without credentials, hosts and account names, and of limited length. */
export function sanitise(message: string): string {
  const short = message.slice(0, maxMessageChars * 4).replace(/[\u0000-\u001f\u007f]+/g, " ");
  const clean = hidden.reduce((text, [pattern, instead]) => text.replace(pattern, instead), short);
  return clean.length > maxMessageChars ? `${clean.slice(0, maxMessageChars - 1)}…` : clean;
}

const byStatus: { readonly [status: number]: ErrorKind } = {
  401: "upstream_credentials",
  402: "upstream_credentials",
  403: "upstream_credentials",
  408: "upstream_timeout",
  429: "upstream_rate_limited",
  501: "upstream_unsupported",
  503: "upstream_overloaded",
  504: "upstream_timeout",
  508: "loop_detected",
  529: "upstream_overloaded",
};

/** Rate limit errors mention tokens too. Errors that disappear with time are not context overflows. */
function overflowIn({ status, code, type, message }: UpstreamRefusal): ContextOverflow | null {
  const isRate = status === 429 || code === "rate_limit_exceeded";
  return isRate || status > 500 ? null : overflowOf([code, type], message);
}

function kindOf(refusal: UpstreamRefusal, overflow: ContextOverflow | null): ErrorKind {
  if (overflow !== null) return "context_length_exceeded";
  const meant = knownRefusal(refusal.status, [refusal.code, refusal.type], refusal.message);
  if (meant !== undefined) return meant;
  const known = byStatus[refusal.status];
  if (known !== undefined) return known;
  if (refusal.status >= 400 && refusal.status < 500) return "upstream_rejected";
  return refusal.status >= 500 ? "upstream_failed" : "upstream_protocol_error";
}

const ownWords: { readonly [kind in ErrorKind]?: string } = {
  loop_detected: "The provider's base URL leads back to this gateway, or through too many gateways.",
  upstream_credentials:
    "The provider refused the gateway's credential or account. Contact the operator of this gateway.",
  upstream_model_not_found:
    "The provider does not have this model, has retired it, or does not offer it to the gateway's account.",
  upstream_protocol_error: "Unexpected response from the provider.",
};

/** A code is one word, and a param a path. Anything else is text that may contain secrets. */
const codeWord = /^[A-Za-z][\w.-]{0,63}$/;
const fieldPath = /^[A-Za-z_][\w.[\]-]{0,127}$/;

function safeWord(text: string | undefined, pattern: RegExp): string | undefined {
  return text !== undefined && pattern.test(text) && sanitise(text) === text ? text : undefined;
}

/**
 * The gateway's error for an upstream error. The upstream's code and status are used only for errors of the request.
 */
export function refusalError(refusal: UpstreamRefusal): GatewayError {
  const overflow = overflowIn(refusal);
  const kind = kindOf(refusal, overflow);
  const atFault = kind === "upstream_rejected" || kind === "context_length_exceeded";
  const message = ownWords[kind] ?? (sanitise(refusal.message) || `The provider returned status ${refusal.status}.`);
  const detail: ErrorDetail = {
    ...(atFault && refusal.status >= 400
      ? { status: refusal.status < 500 ? refusal.status : 400, param: safeWord(refusal.param, fieldPath) ?? null }
      : {}),
    ...(overflow === null ? {} : { overflow }),
    ...(kind === "upstream_rejected" ? { code: safeWord(refusal.code, codeWord) ?? "" } : {}),
    ...(refusal.retryAfterMs === undefined ? {} : { retryAfterMs: refusal.retryAfterMs }),
    upstreamStatus: refusal.status,
    cause: sanitise(`${refusal.status} ${refusal.type ?? ""} ${refusal.code ?? ""} ${refusal.message}`),
  };
  return new GatewayError(kind, message, detail);
}
