// A price book: immutable rows under one version, and the row that applies to an amount.
import { bySpecificity, matchesPlace, matchesRequest } from "./price-match.ts";
import type { Priced, PriceMatch, PriceQuery, PriceRow, Variant } from "./price-row.ts";

/** Rows by what decides most: one search for each pair of a candidate and an operation. */
interface Indexed<Row extends PriceMatch> {
  find(query: PriceQuery, variant: Variant, isWanted: (row: Row) => boolean): Row | undefined;
  /** Whether there is any row for this candidate and operation. */
  has(query: PriceQuery): boolean;
}

/** Clients name models, so that there may be any number of them. */
const maxPlaces = 1_000;

export function indexed<Row extends PriceMatch>(rows: readonly Row[]): Indexed<Row> {
  const sorted = [...rows].sort(bySpecificity);
  const places = new Map<string, readonly Row[]>();
  const at = (query: PriceQuery): readonly Row[] => {
    const key = `${query.provider}\n${query.kind}\n${query.operation}\n${query.model}`;
    const known = places.get(key);
    if (known !== undefined) return known;
    if (places.size >= maxPlaces) places.clear();
    const found = sorted.filter((row) => matchesPlace(row, query));
    places.set(key, found);
    return found;
  };
  return {
    find: (query, variant, isWanted) => at(query).find((row) => isWanted(row) && matchesRequest(row, query, variant)),
    has: (query) => at(query).length > 0,
  };
}

export interface PriceBook {
  /** Changes with every row. */
  readonly version: string;
  readonly rows: readonly PriceRow[];
  /** The row for one bucket or unit; undefined where there is none. */
  find(query: PriceQuery, of: Priced, variant?: Variant): PriceRow | undefined;
}

const everything: Variant = {};

/** `usual` holds the rows for models of which `rows` says nothing at all: a model's prices are never mixed from both. */
export function createPriceBook(
  version: string,
  rows: readonly PriceRow[],
  usual: readonly PriceRow[] = [],
): PriceBook {
  const [own, other] = [indexed(rows), indexed(usual)];
  return {
    version,
    rows: [...rows, ...usual],
    find: (query, of, variant = everything) =>
      (own.has(query) ? own : other).find(query, variant, (row) => row.of === of),
  };
}
