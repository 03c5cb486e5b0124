// Refusing a request that keeps coming back: a provider that leads to the gateway itself would multiply it for ever.
import { GatewayError } from "../canonical/error.ts";
import { hopsHeader, hopsOf, maxHops } from "../lib/hops.ts";

/** Throws the 508 of a request that has passed through too many gateways. */
export function checkHops({ headers }: Request): void {
  if (hopsOf(headers.get(hopsHeader)) < maxHops) return;
  throw new GatewayError(
    "loop_detected",
    `The request has already passed through ${maxHops} gateways. Check whether a provider's base URL leads back to this gateway.`,
  );
}
