// Refuses a request that returns to the gateway: a provider that leads to the gateway itself would repeat it without
// end.
import { GatewayError } from "../canonical/error.ts";
import { hopsHeader, hopsOf, maxHops } from "../lib/hops.ts";

/** Throws status 508 for a request that has passed through too many gateways. */
export function checkHops({ headers }: Request): void {
  if (hopsOf(headers.get(hopsHeader)) < maxHops) return;
  throw new GatewayError(
    "loop_detected",
    `The request has already passed through ${maxHops} gateways. Check whether a provider's base URL leads back to this gateway.`,
  );
}
