// The refusals that every dialect throws: one wording for each kind of bad field or reply.
import { GatewayError } from "../canonical/error.ts";

/** A field that is present but makes no sense; `param` is its path on the client's wire. */
export function badValue(param: string, message: string): GatewayError {
  return new GatewayError("invalid_value", message, { param });
}

/** A member that this kind of part or message cannot do without. */
export function missing(path: string): GatewayError {
  return new GatewayError("missing_required_parameter", `Missing required parameter: '${path}'.`, { param: path });
}

/** A field that the upstream's dialect has no words for, and that must not be dropped in silence. */
export function unsupported(param: string, reason: string): GatewayError {
  return new GatewayError("unsupported_parameter", `'${param}' is not supported: ${reason}`, { param });
}

/** Why a model that only writes refuses to speak or to draw. */
export const textOnly = "this model returns text only";

/** The upstream's reply is not what its dialect promises. */
export function invalidUpstreamResponse(what: string): GatewayError {
  return new GatewayError("upstream_protocol_error", `Invalid response from the provider: ${what}.`);
}

/** The upstream's stream ended before its terminator. */
export function streamTruncated(): GatewayError {
  return new GatewayError("upstream_truncated", "The provider's stream ended before the response was complete.");
}
