// What a request costs and what its caller pays: the cost book, and the price book or the rules over it.
import { totalInput, type Usage } from "../../canonical/usage.ts";
import { divideUp } from "../../lib/decimal.ts";
import { costOfAmount, costsOf, type PricedAmount, sumOf } from "./cost.ts";
import { indexed, type PriceBook } from "./price-book.ts";
import { matchesRequest } from "./price-match.ts";
import type { PriceQuery, PriceRow, PriceRule } from "./price-row.ts";

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

/** A price of its own, else the rule over its cost, else its cost. */
function priceOf(
  amount: PricedAmount,
  query: PriceQuery,
  rows: readonly PriceRow[],
  rule: PriceRule | undefined,
): bigint {
  const own = costOfAmount(rows, query, amount);
  if (own !== null) return own;
  return rule === undefined ? amount.nanoDollars : divideUp(amount.nanoDollars * rule.factorMillionths, millionths);
}

export function createPrices(cost: PriceBook, price: PriceBook, rules: readonly PriceRule[]): Prices {
  const rulesAt = indexed(() => rules);
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
      const costNanoDollars = costs === null ? null : sumOf(costs);
      // A model without a cost may have a price of its own.
      if (costs === null) {
        const own = costsOf(price, asked, usage);
        return { costNanoDollars, priceNanoDollars: own === null ? null : sumOf(own) };
      }
      if (costs.length === 0) return { costNanoDollars: 0n, priceNanoDollars: 0n };
      const rule = rulesAt(asked).find((each) => matchesRequest(each, asked, noVariant));
      const rows = price.at(asked);
      if (rule === undefined && rows.length === 0) return { costNanoDollars, priceNanoDollars: costNanoDollars };
      const amounts = costs.reduce((sum, amount) => sum + priceOf(amount, asked, rows, rule), 0n);
      return { costNanoDollars, priceNanoDollars: amounts + (rule?.perRequestNanoDollars ?? 0n) };
    },
  };
}
