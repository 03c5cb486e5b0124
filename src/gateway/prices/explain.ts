// A cost and a price term by term: each amount with its row, and the rule applied to them.
import { totalInput, type Usage } from "../../canonical/usage.ts";
import { divideUp } from "../../lib/decimal.ts";
import { amountsOf, rowFor } from "./cost.ts";
import type { Priced, PriceQuery, PriceRow, Variant } from "./price-row.ts";
import type { Prices } from "./prices.ts";

/** One amount of a request. */
export interface PriceTerm {
  readonly of: Priced;
  readonly variant: Variant;
  readonly amount: number;
  /** The cost of the amount; null if it has none. */
  readonly costRow: PriceRow | null;
  readonly costNanoDollars: bigint | null;
  /** A separate price; null if the price follows the cost. */
  readonly priceRow: PriceRow | null;
  readonly priceNanoDollars: bigint | null;
}

export interface PriceExplanation {
  readonly costVersion: string;
  readonly priceVersion: string;
  readonly terms: readonly PriceTerm[];
  /** Millionths of the cost; null without a rule. */
  readonly factorMillionths: bigint | null;
  readonly perRequestNanoDollars: bigint;
  readonly costNanoDollars: bigint | null;
  readonly priceNanoDollars: bigint | null;
}

const millionths = 1_000_000n;

/** By the given prices; they are those of the request if the versions match. */
export function explainPrice(
  prices: Prices,
  candidate: Omit<PriceQuery, "inputTokens">,
  model: string,
  usage: Usage,
): PriceExplanation {
  const query = { ...candidate, inputTokens: totalInput(usage) };
  const sellingQuery = { ...query, model };
  const { rule, rows: priceRows } = prices.sellingFor(sellingQuery);
  const costRows = prices.cost.at(query);
  const costOf = (row: PriceRow | null, amount: number): bigint | null =>
    row === null ? null : divideUp(BigInt(amount) * row.nanoDollars, row.per);
  const terms = amountsOf(usage).map(({ of, amount, variant }): PriceTerm => {
    const costRow = rowFor(costRows, query, of, variant) ?? null;
    const priceRow = rowFor(priceRows, sellingQuery, of, variant) ?? null;
    const costNanoDollars = costOf(costRow, amount);
    const byRule =
      costNanoDollars === null || rule === undefined
        ? costNanoDollars
        : divideUp(costNanoDollars * rule.factorMillionths, millionths);
    const priceNanoDollars = costOf(priceRow, amount) ?? byRule;
    return { of, variant, amount, costRow, costNanoDollars, priceRow, priceNanoDollars };
  });
  return {
    ...{ costVersion: prices.costVersion, priceVersion: prices.priceVersion, terms },
    factorMillionths: rule?.factorMillionths ?? null,
    perRequestNanoDollars: rule?.perRequestNanoDollars ?? 0n,
    ...prices.of(candidate, model, usage),
  };
}
