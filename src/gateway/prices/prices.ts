// The cost of a request and the price for its caller: the cost book, and the price book or rules based on the cost.
import { totalInput, type Usage } from "../../canonical/usage.ts";
import { divideUp } from "../../lib/decimal.ts";
import { costOfAmount, costsOf, type PricedAmount, sumOf } from "./cost.ts";
import { indexed, layered, type PriceBook } from "./price-book.ts";
import { matchesRequest } from "./price-match.ts";
import type { PriceQuery, PriceRow, PriceRule } from "./price-row.ts";

/** Null if something that was used has no price. */
export interface Money {
  readonly costNanoDollars: bigint | null;
  readonly priceNanoDollars: bigint | null;
}

/** Rows of prices, and the rule based on the cost if there is one. */
interface AppliedPrices {
  readonly rows: readonly PriceRow[];
  readonly rule: PriceRule | undefined;
}

export interface Prices {
  readonly costVersion: string;
  readonly priceVersion: string;
  readonly cost: PriceBook;
  readonly price: PriceBook;
  readonly rules: readonly PriceRule[];
  /** What callers pay: only the first source with anything for a request applies. */
  readonly sources: readonly PriceSource[];
  /** The prices for a caller, for the model that the client named. */
  sellingFor(sellingQuery: PriceQuery): AppliedPrices;
  /** `query` names the candidate, `model` the model that the client named. */
  of(query: Omit<PriceQuery, "inputTokens"> & { readonly inputTokens?: number }, model: string, usage: Usage): Money;
}

const millionths = 1_000_000n;
const noVariant = {};

/** A separate price, otherwise the rule applied to the cost, otherwise the cost. */
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

/** The prices for callers: rows, and rules based on the cost. */
export interface PriceSource {
  readonly price: PriceBook;
  readonly rules: readonly PriceRule[];
}

interface Selling {
  readonly rows: readonly PriceRow[];
  readonly rules: readonly PriceRule[];
}

/** The first source with anything for a request supplies both its rows and its rules. */
function sellingOf(sources: readonly PriceSource[]): (query: PriceQuery) => Selling {
  const indexes = sources.map(({ price, rules }) => ({ price, rulesAt: indexed(() => rules) }));
  return (query) => {
    for (const { price, rulesAt } of indexes) {
      const [rows, rules] = [price.at(query), rulesAt(query)];
      if (rows.length > 0 || rules.length > 0) return { rows, rules };
    }
    return { rows: [], rules: [] };
  };
}

/** `over`: if it has anything for a request, it replaces `price` and `rules`. */
export function createPrices(
  cost: PriceBook,
  price: PriceBook,
  rules: readonly PriceRule[],
  over?: PriceSource,
): Prices {
  const base = { price, rules };
  if (over === undefined) return pricesOfSources(cost, price, [base]);
  return pricesOfSources(cost, layered(over.price, price), [over, base]);
}

/** `book` has the rows of all sources. */
export function pricesOfSources(cost: PriceBook, book: PriceBook, sources: readonly PriceSource[]): Prices {
  const sellingAt = sellingOf(sources);
  const sellingFor = (sellingQuery: PriceQuery): AppliedPrices => {
    const { rows, rules: found } = sellingAt(sellingQuery);
    return { rows, rule: found.find((each) => matchesRequest(each, sellingQuery, noVariant)) };
  };
  return {
    costVersion: cost.version,
    priceVersion: book.version,
    cost,
    price: book,
    rules: sources.flatMap(({ rules }) => rules),
    sources,
    sellingFor,
    of(candidate, model, usage) {
      const query = { ...candidate, inputTokens: candidate.inputTokens ?? totalInput(usage) };
      const costs = costsOf(cost, query, usage);
      const sellingQuery = { ...query, model };
      const costNanoDollars = costs === null ? null : sumOf(costs);
      // A model without a cost may have a separate price.
      if (costs === null) {
        const own = costsOf(book, sellingQuery, usage);
        return { costNanoDollars, priceNanoDollars: own === null ? null : sumOf(own) };
      }
      if (costs.length === 0) return { costNanoDollars: 0n, priceNanoDollars: 0n };
      const { rows, rule } = sellingFor(sellingQuery);
      if (rule === undefined && rows.length === 0) return { costNanoDollars, priceNanoDollars: costNanoDollars };
      const amounts = costs.reduce((sum, amount) => sum + priceOf(amount, sellingQuery, rows, rule), 0n);
      return { costNanoDollars, priceNanoDollars: amounts + (rule?.perRequestNanoDollars ?? 0n) };
    },
  };
}
