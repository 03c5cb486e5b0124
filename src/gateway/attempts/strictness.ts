// The only rule for strict mode: with `x-turnpike-strict`, any loss on the way to a provider is refused instead.
import { GatewayError } from "../../canonical/error.ts";
import { isLoss, type Warning } from "../../canonical/warning.ts";

/** Throws `unsupported_parameter` for a loss. */
export function refuseWhenStrict({ strict }: { readonly strict: boolean }, warnings: readonly Warning[]): void {
  const lost = strict ? warnings.find(isLoss) : undefined;
  if (lost === undefined) return;
  const message = `'${lost.path}' would be ${lost.code} for this model, and strict mode is on.`;
  throw new GatewayError("unsupported_parameter", message, { param: lost.path });
}
