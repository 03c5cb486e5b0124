// The cost of a usage by one book: each bucket and unit once, rounded up; null if one of them has no price.
import { type BilledUnits, type TokenBucket, tokenBuckets, type Usage } from "../../canonical/usage.ts";
import { divideUp } from "../../lib/decimal.ts";
import { findRow, type PriceBook } from "./price-book.ts";
import type { Priced, PriceQuery, PriceRow, Variant } from "./price-row.ts";

/** The bucket whose price applies to one without a row of its own. */
const countsAs: { readonly [bucket in TokenBucket]?: TokenBucket } = {
  cacheReadTokens: "inputTokens",
  cacheWriteTokens: "inputTokens",
  cacheWrite1hTokens: "cacheWriteTokens",
  reasoningTokens: "outputTokens",
};

/** An amount of a request with its price. */
export interface PricedAmount {
  readonly of: Priced;
  readonly variant: Variant;
  readonly amount: number;
  readonly nanoDollars: bigint;
}

/** The row for an amount, possibly of the bucket that it counts as; undefined if there is none. */
export function rowFor(
  rows: readonly PriceRow[],
  query: PriceQuery,
  of: Priced,
  variant: Variant | undefined,
): PriceRow | undefined {
  const row = findRow(rows, query, of, variant);
  const other = countsAs[of as TokenBucket];
  return row ?? (other === undefined ? undefined : rowFor(rows, query, other, variant));
}

/** The cost of one amount by the rows of its place; null if none of them applies. */
export function costOfAmount(
  rows: readonly PriceRow[],
  query: PriceQuery,
  { of, amount, variant }: Omit<PricedAmount, "nanoDollars">,
): bigint | null {
  const row = rowFor(rows, query, of, variant);
  return row === undefined ? null : divideUp(BigInt(amount) * row.nanoDollars, row.per);
}

const noVariant: Variant = {};

const variantOf = ({ size, quality }: BilledUnits): Variant => ({
  ...(size === undefined ? {} : { size }),
  ...(quality === undefined ? {} : { quality }),
});

/** Everything in a usage that is above 0. */
export function amountsOf(usage: Usage): Omit<PricedAmount, "nanoDollars">[] {
  const amounts: Omit<PricedAmount, "nanoDollars">[] = [];
  for (const of of tokenBuckets) {
    const amount = usage[of] ?? 0;
    if (amount > 0) amounts.push({ of, amount, variant: noVariant });
  }
  for (const unit of usage.units ?? [])
    if (unit.amount > 0) amounts.push({ of: unit.kind, amount: unit.amount, variant: variantOf(unit) });
  return amounts;
}

/** The amounts of a usage with their costs; null where one of them has no price. */
export function costsOf(book: PriceBook, query: PriceQuery, usage: Usage): PricedAmount[] | null {
  const priced: PricedAmount[] = [];
  const rows = book.at(query);
  for (const amount of amountsOf(usage)) {
    const nanoDollars = costOfAmount(rows, query, amount);
    if (nanoDollars === null) return null;
    priced.push({ ...amount, nanoDollars });
  }
  return priced;
}

export const sumOf = (amounts: readonly PricedAmount[]): bigint =>
  amounts.reduce((sum, { nanoDollars }) => sum + nanoDollars, 0n);
