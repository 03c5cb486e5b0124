// The effect of each kind of failure on the state of its upstream.
import type { ErrorKind, GatewayError } from "../../canonical/error.ts";

/**
 * The effect of a failure on its upstream. Kinds that are not listed have none: the request, the client or the gateway
 * was at fault.
 */
type Effect =
  /** Counts against the model and, if no response was understood, against the credential. */
  | "model_failure"
  | "upstream_failure"
  /** The upstream requests a wait. */
  | "credential_limited"
  /** It does not have the model, or refuses the credential. */
  | "needs_operator";

export const effects: { readonly [kind in ErrorKind]?: Effect } = {
  upstream_unreachable: "upstream_failure",
  upstream_reset: "upstream_failure",
  upstream_timeout: "model_failure",
  upstream_truncated: "model_failure",
  upstream_failed: "model_failure",
  upstream_protocol_error: "model_failure",
  upstream_overloaded: "model_failure",
  upstream_rate_limited: "credential_limited",
  upstream_credentials: "needs_operator",
  upstream_model_not_found: "needs_operator",
};

/** Faults of a candidate that only the operator can resolve. */
export const needsOperator = ({ kind }: GatewayError): boolean => effects[kind] === "needs_operator";
