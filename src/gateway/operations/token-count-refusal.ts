// What the refusal of a token count means: a server without such an endpoint, or a request that it does not accept.
import { GatewayError } from "../../canonical/error.ts";

const noSuchPath = new Set([404, 405, 501]);

/** `counter_missing` for a server that has no endpoint that counts tokens, else the failure itself. */
export function countRefusal(status: number, failure: GatewayError): GatewayError {
  if (!noSuchPath.has(status) || failure.kind === "upstream_model_not_found") return failure;
  return new GatewayError("counter_missing", "The provider does not offer token counting.", { cause: failure });
}
