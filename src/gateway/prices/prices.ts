// What a request costs and what its caller pays: the cost book, and the price book or the rules over it.
import { totalInput, type Usage } from "../../canonical/usage.ts";
import { divideUp } from "../../lib/decimal.ts";
import { costOfAmount, costsOf, type PricedAmount, sumOf } from "./cost.ts";
import { indexed, type PriceBook } from "./price-book.ts";
import type { PriceQuery, PriceRule } from "./price-row.ts";

/** Null where something that was used has no price. */
export interface Money {
  readonly costNanoDollars: bigint | null;
  readonly priceNanoDollars: bigint | null;
}

export interface Prices {
  readonly costVersion: string;
  readonly priceVersion: string;
  readonly cost: PriceBook;
  readonly price: PriceBook;
  readonly rules: readonly PriceRule[];
  /** `query` names the candidate that was asked, `model` the model as the client named it. */
  of(query: Omit<PriceQuery, "inputTokens">, model: string, usage: Usage): Money;
}

const millionths = 1_000_000n;
const noVariant = {};

export function createPrices(cost: PriceBook, price: PriceBook, rules: readonly PriceRule[]): Prices {
  const index = indexed(rules);
  const priceOf = (query: PriceQuery, rule: PriceRule | undefined, amount: PricedAmount): bigint => {
    const own = costOfAmount(price, query, amount);
    if (own !== null) return own;
    return rule === undefined ? amount.nanoDollars : divideUp(amount.nanoDollars * rule.factorMillionths, millionths);
  };
  return {
    costVersion: cost.version,
    priceVersion: price.version,
    cost,
    price,
    rules,
    of(candidate, model, usage) {
      const query = { ...candidate, inputTokens: totalInput(usage) };
      const costs = costsOf(cost, query, usage);
      const asked = { ...query, model };
      const rule = index.find(asked, noVariant, () => true);
      const costNanoDollars = costs === null ? null : sumOf(costs);
      // A model without a cost may have a price of its own.
      if (costs === null) {
        const own = costsOf(price, asked, usage);
        return { costNanoDollars, priceNanoDollars: own === null ? null : sumOf(own) };
      }
      if (costs.length === 0) return { costNanoDollars: 0n, priceNanoDollars: 0n };
      const amounts = costs.reduce((sum, amount) => sum + priceOf(asked, rule, amount), 0n);
      return { costNanoDollars, priceNanoDollars: amounts + (rule?.perRequestNanoDollars ?? 0n) };
    },
  };
}
