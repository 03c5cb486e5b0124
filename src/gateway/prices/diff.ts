// What differs between the prices of two versions: rows and rules that were added, removed or changed. Pure.
import type { PriceMatch, PriceRow, PriceRule } from "./price-row.ts";
import type { Prices } from "./prices.ts";

interface PriceDifference {
  readonly book: "cost" | "price";
  /** What the row matches, and what it is a price of. */
  readonly match: PriceMatch & { readonly of: string };
  /** Null where it was added. */
  readonly before: PriceRow | PriceRule | null;
  /** Null where it was removed. */
  readonly after: PriceRow | PriceRule | null;
}

type Row = PriceRow | PriceRule;

const figuresOf = (row: Row): string =>
  "of" in row ? `${row.nanoDollars}/${row.per}` : `${row.factorMillionths}+${row.perRequestNanoDollars}`;

function matchOf(row: Row): PriceDifference["match"] {
  const { model, provider, operation, region, tier, size, quality, fromInputTokens, validFromMs } = row;
  const of = "of" in row ? row.of : "everything";
  const all = { model, provider, operation, region, tier, size, quality, fromInputTokens, validFromMs, of };
  return JSON.parse(JSON.stringify(all)) as PriceDifference["match"];
}

/** A row that a row of an earlier layer hides is left out: the same match counts once. */
function byMatch(rows: readonly Row[]): Map<string, Row> {
  const found = new Map<string, Row>();
  for (const row of rows) {
    const key = JSON.stringify(matchOf(row));
    if (!found.has(key)) found.set(key, row);
  }
  return found;
}

function differences(book: "cost" | "price", before: readonly Row[], after: readonly Row[]): PriceDifference[] {
  const [old, next] = [byMatch(before), byMatch(after)];
  const keys = [...new Set([...old.keys(), ...next.keys()])].sort();
  return keys.flatMap((key) => {
    const [was, is] = [old.get(key) ?? null, next.get(key) ?? null];
    if (was !== null && is !== null && figuresOf(was) === figuresOf(is)) return [];
    const row = is ?? was;
    return row === null ? [] : [{ book, match: matchOf(row), before: was, after: is }];
  });
}

export function priceDifferences(before: Prices, after: Prices): PriceDifference[] {
  return [
    ...differences("cost", before.cost.rows, after.cost.rows),
    ...differences("price", [...before.price.rows, ...before.rules], [...after.price.rows, ...after.rules]),
  ];
}
