// Errors that every dialect throws: one wording for each kind of invalid field or reply.
import { GatewayError } from "../canonical/error.ts";

/** A field with an invalid value; `param` is its path on the client's wire. */
export function badValue(param: string, message: string): GatewayError {
  return new GatewayError("invalid_value", message, { param });
}

/** A required member that is missing. */
export function missing(path: string): GatewayError {
  return new GatewayError("missing_required_parameter", `Missing required parameter: '${path}'.`, { param: path });
}

/** A field that the upstream's dialect does not have and that must not be dropped silently. */
export function unsupported(param: string, reason: string): GatewayError {
  return new GatewayError("unsupported_parameter", `'${param}' is not supported: ${reason}`, { param });
}

/** The reason why a text model refuses audio and image output. */
export const textOnly = "this model returns text only";

/** The upstream's reply does not match its dialect. */
export function invalidUpstreamResponse(what: string): GatewayError {
  return new GatewayError("upstream_protocol_error", `Invalid response from the provider: ${what}.`);
}

/** The upstream's stream ended before its terminator. */
export function streamTruncated(): GatewayError {
  return new GatewayError("upstream_truncated", "The provider's stream ended before the response was complete.");
}
