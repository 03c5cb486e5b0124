// The one rule for strictness: with `x-turnpike-strict`, whatever would be lost on the way to a provider is refused instead.
import { GatewayError } from "../../canonical/error.ts";
import { isLoss, type Warning } from "../../canonical/warning.ts";

/** Throws `unsupported_parameter` for something lost. */
export function refuseWhenStrict({ strict }: { readonly strict: boolean }, warnings: readonly Warning[]): void {
  const lost = strict ? warnings.find(isLoss) : undefined;
  if (lost === undefined) return;
  const message = `'${lost.path}' would be ${lost.code} for this model, and strict mode is on.`;
  throw new GatewayError("unsupported_parameter", message, { param: lost.path });
}
