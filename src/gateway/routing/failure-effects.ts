// What each kind of failure says of the upstream that it came from.
import type { ErrorKind, GatewayError } from "../../canonical/error.ts";

/** What a failure says of an upstream. A kind that is not here says nothing: the request, the client or the gateway was at fault. */
type Effect =
  /** Counts against the model, and where nothing was understood, against the credential as well. */
  | "model_failure"
  | "upstream_failure"
  /** It asks to wait. */
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

/** Faults of a candidate that only the operator can repair. */
export const needsOperator = ({ kind }: GatewayError): boolean => effects[kind] === "needs_operator";
