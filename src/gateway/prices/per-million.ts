// What a candidate costs, and what its caller pays, for a million tokens of each kind.
import type { Operation } from "../../canonical/operation.ts";
import { zeroUsage } from "../../canonical/usage.ts";
import type { Provider } from "../../providers/provider.ts";
import type { Prices } from "./prices.ts";

/** In nano-dollars; null without a price. */
export interface TokenPrices {
  readonly input: bigint | null;
  readonly output: bigint | null;
}

export interface CandidatePrices {
  readonly cost: TokenPrices;
  readonly price: TokenPrices;
}

interface PricedCandidate {
  readonly provider: Provider;
  readonly model: string;
  /** The model that the client names. */
  readonly named: string;
  readonly operation: Operation;
  readonly atMs: number;
}

const million = 1_000_000;

/** The prices of short requests: those of long ones may be higher. */
export function pricesPerMillion(prices: Prices, candidate: PricedCandidate): CandidatePrices {
  const { provider, model, named, operation, atMs } = candidate;
  const own = { provider: provider.entry.name, kind: provider.kind.name, model, operation, atMs, inputTokens: 0 };
  const input = prices.of(own, named, { ...zeroUsage, inputTokens: million });
  const output = prices.of(own, named, { ...zeroUsage, outputTokens: million });
  return {
    cost: { input: input.costNanoDollars, output: output.costNanoDollars },
    price: { input: input.priceNanoDollars, output: output.priceNanoDollars },
  };
}
