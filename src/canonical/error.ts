// The only error class that clients may see, and the table of its kinds.
import { causeOf } from "../lib/cause.ts";

/**
 * What happens after a failed attempt. `next`: the next candidate is tried, because nothing was generated.
 * `ambiguous`: the upstream may have generated and billed; the next candidate is tried, and the record shows it.
 * `never`: the request itself is at fault.
 */
type RetryRule = "next" | "ambiguous" | "never";

interface ErrorKindRow {
  readonly status: number;
  readonly type: string;
  readonly retry: RetryRule;
  /** Whether the same request can succeed later; sent to SDKs as x-should-retry. */
  readonly transient: boolean;
}

const invalid = "invalid_request_error";
const row = (status: number, type: string, retry: RetryRule = "never", transient = false): ErrorKindRow => ({
  status,
  type,
  retry,
  transient,
});

/** All kinds. The name is the `code` of the envelope unless the upstream returned its own. */
export const errorKinds = {
  missing_api_key: row(401, "authentication_error"),
  invalid_api_key: row(401, "authentication_error"),
  key_revoked: row(401, "authentication_error"),
  ip_not_allowed: row(403, "permission_error"),
  operation_not_allowed: row(403, "permission_error"),
  model_not_allowed: row(403, "permission_error"),
  model_not_priced: row(403, "permission_error"),
  permission_denied: row(403, "permission_error"),
  invalid_json: row(400, invalid),
  missing_required_parameter: row(400, invalid),
  invalid_type: row(400, invalid),
  invalid_value: row(400, invalid),
  unsupported_parameter: row(400, invalid),
  model_not_found: row(404, invalid),
  not_found: row(404, invalid),
  object_not_found: row(404, invalid),
  method_not_allowed: row(405, invalid),
  request_timeout: row(408, invalid, "never", true),
  idempotency_conflict: row(409, invalid),
  idempotency_in_progress: row(409, invalid, "never", true),
  already_exists: row(409, invalid),
  defined_in_file: row(409, invalid),
  version_conflict: row(412, invalid),
  request_too_large: row(413, invalid),
  unsupported_media_type: row(415, invalid),
  upgrade_required: row(426, invalid),
  too_many_headers: row(431, invalid),
  rate_limit_exceeded: row(429, "rate_limit_error", "never", true),
  concurrency_limit_exceeded: row(429, "rate_limit_error", "never", true),
  insufficient_quota: row(429, "insufficient_quota"),
  client_closed: row(499, invalid),
  context_length_exceeded: row(400, invalid),
  upstream_rejected: row(400, invalid),
  counter_missing: row(502, "upstream_error", "next"),
  upstream_model_not_found: row(404, invalid, "next"),
  upstream_unsupported: row(400, invalid, "next"),
  upstream_rate_limited: row(429, "rate_limit_error", "next", true),
  upstream_credentials: row(502, "upstream_error", "next"),
  upstream_unreachable: row(502, "upstream_error", "next", true),
  upstream_reset: row(502, "upstream_error", "ambiguous", true),
  upstream_truncated: row(502, "upstream_error", "ambiguous", true),
  upstream_failed: row(502, "upstream_error", "ambiguous", true),
  upstream_protocol_error: row(502, "upstream_error", "ambiguous", true),
  transcoding_failed: row(502, "upstream_error", "ambiguous"),
  submit_unconfirmed: row(502, "upstream_error"),
  upstream_overloaded: row(503, "unavailable_error", "next", true),
  no_provider_available: row(503, "unavailable_error", "never", true),
  overloaded: row(503, "unavailable_error", "never", true),
  draining: row(503, "unavailable_error", "never", true),
  upstream_timeout: row(504, "upstream_error", "ambiguous", true),
  loop_detected: row(508, invalid),
  internal_error: row(500, "internal_error", "never", true),
} as const satisfies Record<string, ErrorKindRow>;

export type ErrorKind = keyof typeof errorKinds;

export interface ErrorDetail {
  /** Path of the invalid field as the client sent it, as in `messages[2].content[0].type`. */
  readonly param?: string | null;
  /** Replaces the kind's name; never empty. */
  readonly code?: string;
  /** Replaces the kind's status: the upstream's 4xx. */
  readonly status?: number;
  /** How long to wait before the next attempt, in milliseconds. */
  readonly retryAfterMs?: number;
  /** When a limit that was reached resets, in Unix milliseconds. */
  readonly resetAtMs?: number;
  /** For the log only. */
  readonly cause?: unknown;
  readonly attempted?: AttemptedProvider;
  readonly overflow?: ContextOverflow;
  /** The status that the provider returned. For operators only. */
  readonly upstreamStatus?: number;
}

/** A request that exceeds the model's context, in tokens, as far as the provider reported it. */
export interface ContextOverflow {
  readonly tokens?: number;
  readonly limit?: number;
}

/** The provider of the last attempt, its own name of the model, and the number of attempts. */
interface AttemptedProvider {
  readonly provider: string;
  readonly model: string;
  readonly attempts: number;
}

/** For errors that clients may see; the message must be safe to show. Anything else becomes `internal_error`. */
export class GatewayError extends Error {
  readonly kind: ErrorKind;
  readonly status: number;
  readonly type: string;
  readonly code: string;
  readonly param: string | null;
  readonly retryAfterMs: number | undefined;
  readonly resetAtMs: number | undefined;
  /** Undefined without an attempt. */
  readonly attempted: AttemptedProvider | undefined;
  readonly overflow: ContextOverflow | undefined;
  /** Undefined if the provider returned none. */
  readonly upstreamStatus: number | undefined;

  constructor(kind: ErrorKind, message: string, detail: ErrorDetail = {}) {
    super(message, { cause: detail.cause });
    this.name = "GatewayError";
    this.kind = kind;
    this.status = detail.status ?? errorKinds[kind].status;
    this.type = errorKinds[kind].type;
    this.code = detail.code || (codeOf[kind] ?? kind);
    this.param = detail.param ?? null;
    this.retryAfterMs = detail.retryAfterMs;
    this.resetAtMs = detail.resetAtMs;
    this.attempted = detail.attempted;
    this.overflow = detail.overflow;
    this.upstreamStatus = detail.upstreamStatus;
  }

  get retry(): RetryRule {
    return errorKinds[this.kind].retry;
  }

  get transient(): boolean {
    return errorKinds[this.kind].transient;
  }
}

/** Kinds that the gateway distinguishes and clients do not. */
const codeOf: { readonly [kind in ErrorKind]?: string } = {
  upstream_reset: "upstream_unreachable",
  upstream_overloaded: "overloaded",
  upstream_model_not_found: "model_not_found",
  upstream_unsupported: "unsupported_parameter",
};

/** The client has gone, or its key was revoked: the provider has done nothing wrong. */
export const isWithdrawn = ({ kind }: GatewayError): boolean => kind === "client_closed" || kind === "key_revoked";

/** The same error with another message or more detail. */
export function changed(error: GatewayError, detail: ErrorDetail & { readonly message?: string }): GatewayError {
  const { kind, message, param, code, status, retryAfterMs, resetAtMs, cause } = error;
  const { attempted, overflow, upstreamStatus } = error;
  const same = { param, code, status, cause };
  return new GatewayError(kind, detail.message ?? message, {
    ...same,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(resetAtMs === undefined ? {} : { resetAtMs }),
    ...(attempted === undefined ? {} : { attempted }),
    ...(overflow === undefined ? {} : { overflow }),
    ...(upstreamStatus === undefined ? {} : { upstreamStatus }),
    ...detail,
  });
}

/** The same error with all external text passed through `conceal`, including text for the log only. */
export function concealed(error: GatewayError, conceal: (text: string) => string): GatewayError {
  const { message, param, code, cause } = error;
  const safe = { message: conceal(message), param: param === null ? null : conceal(param), code: conceal(code) };
  const shown = causeOf(cause);
  const safeCause = conceal(shown) === shown ? cause : conceal(shown);
  if (safe.message === message && safe.param === param && safe.code === code && safeCause === cause) return error;
  return changed(error, { ...safe, cause: safeCause });
}

/** The single error for anything that clients must not see; the cause is only logged. */
export function toGatewayError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  return new GatewayError("internal_error", "An internal error occurred in the gateway.", { cause: thrown });
}
