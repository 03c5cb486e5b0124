// A price book: immutable rows under one version, and those that may apply to a request.
import { bySpecificity, matchesPlace, matchesRequest } from "./price-match.ts";
import type { Priced, PriceMatch, PriceQuery, PriceRow, Variant } from "./price-row.ts";

/**
 * Finds rows by provider, model and operation, and caches them: one search for each candidate and operation. The most
 * specific ones come first.
 */
type PlaceIndex<Row extends PriceMatch> = (query: PriceQuery) => readonly Row[];

/** The rows for a model at a provider, and the first query for them. */
interface Place<Row> {
  readonly query: PriceQuery;
  readonly rows: readonly Row[];
}

const isAt = (place: PriceQuery, query: PriceQuery): boolean =>
  place.provider === query.provider && place.operation === query.operation && place.kind === query.kind;

/** Clients name models, so their number is unbounded. */
const maxPlaces = 1_000;

export function indexed<Row extends PriceMatch>(rows: () => readonly Row[]): PlaceIndex<Row> {
  // By model, and then one after the other: every request looks several times, and a joined key costs more than the rest.
  const places = new Map<string, Place<Row>[]>();
  return (query) => {
    const ofModel = places.get(query.model) ?? [];
    for (const place of ofModel) if (isAt(place.query, query)) return place.rows;
    if (places.size >= maxPlaces) places.clear();
    const found = rows()
      .filter((row) => matchesPlace(row, query))
      .sort(bySpecificity);
    places.set(query.model, [...ofModel, { query, rows: found }]);
    return found;
  };
}

export interface PriceBook {
  /** Changes with every row. */
  readonly version: string;
  readonly rows: readonly PriceRow[];
  /** The same rows: for a candidate and an operation, only the first layer that has any applies. */
  readonly layers: readonly (readonly PriceRow[])[];
  /** The rows for a candidate and an operation, most specific first. */
  at(query: PriceQuery): readonly PriceRow[];
  /** Builds the rows that are otherwise built for the first request that needs them. */
  prepare(): void;
}

const everything: Variant = {};

/** The row for one bucket or unit among those of a place; undefined if there is none. */
export function findRow(
  rows: readonly PriceRow[],
  query: PriceQuery,
  of: Priced,
  variant = everything,
): PriceRow | undefined {
  return rows.find((row) => row.of === of && matchesRequest(row, query, variant));
}

/** `usual` supplies the rows for models without any row in `own`: a model's prices are never mixed from both. */
export function createPriceBook(
  version: string,
  own: readonly PriceRow[],
  usual: () => readonly PriceRow[] = () => [],
): PriceBook {
  const [mine, others] = [indexed(() => own), indexed(usual)];
  return {
    version,
    get rows() {
      return [...own, ...usual()];
    },
    get layers() {
      return [own, usual()];
    },
    prepare: () => void usual(),
    at(query) {
      const rows = mine(query);
      return rows.length > 0 ? rows : others(query);
    },
  };
}

/** The rows of `over` if it has any for a candidate and an operation, otherwise those of `base`. */
export function layered(over: PriceBook, base: PriceBook): PriceBook {
  return {
    version: `${over.version}.${base.version}`,
    get rows() {
      return [...over.rows, ...base.rows];
    },
    get layers() {
      return [...over.layers, ...base.layers];
    },
    prepare: () => base.prepare(),
    at(query) {
      const rows = over.at(query);
      return rows.length > 0 ? rows : base.at(query);
    },
  };
}

/** A book that was stored. */
export function bookOfLayers(version: string, layers: PriceBook["layers"]): PriceBook {
  const indexes = layers.map((rows) => indexed(() => rows));
  return {
    version,
    layers,
    rows: layers.flat(),
    prepare: () => undefined,
    at(query) {
      for (const at of indexes) {
        const rows = at(query);
        if (rows.length > 0) return rows;
      }
      return [];
    },
  };
}
