// The values that a dimension of requests has, from the roll-ups.
import { levelMs, type RollUpDimension } from "./roll-ups.ts";
import { withUsageIndex } from "./usage-index.ts";

/** A value of a dimension, with its requests. */
export interface Facet {
  readonly value: string;
  readonly requests: number;
}

export interface FacetQuery {
  readonly dimension: RollUpDimension;
  readonly sinceMs: number;
  readonly limit: number;
}

/** The values with most requests first. */
export function readFacets(dataFolder: string, { dimension, sinceMs, limit }: FacetQuery): Facet[] {
  const sql = `select a, sum(requests) from cells where level = 'day' and name = ? and at_ms >= ? and a <> ''
    group by 1 order by 2 desc, 1 limit ?`;
  return withUsageIndex(dataFolder, ({ database }) =>
    database
      .query(sql)
      .values(dimension, Math.floor(sinceMs / levelMs.day) * levelMs.day, limit)
      .map(([value, requests]) => ({ value: String(value), requests: Number(requests) })),
  );
}
