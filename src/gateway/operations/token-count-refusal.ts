// The meaning of a failed token count: a server without such an endpoint, or a request that it does not accept.
import { GatewayError } from "../../canonical/error.ts";

const noSuchPath = new Set([404, 405, 501]);

/** `counter_missing` for a server without an endpoint for token counts, otherwise the failure itself. */
export function countRefusal(status: number, failure: GatewayError): GatewayError {
  if (!noSuchPath.has(status) || failure.kind === "upstream_model_not_found") return failure;
  return new GatewayError("counter_missing", "The provider does not offer token counting.", { cause: failure });
}
