// Adjustments: what a repricing adds to settled requests, in tables of their own. Rows of requests are never changed.
import type { Database, SQLQueryBindings } from "bun:sqlite";
import { type Static, Type } from "typebox";
import { BigIntColumn, IntColumn, rowReader } from "../../store/rows.ts";

/**
 * A repricing counts from the moment that it has `booked_ms`: before, its adjustments are only prepared. Numbers of
 * booked ones rise, because a new repricing deletes those that were not booked.
 */
const tables = [
  `create table if not exists repricings (number integer primary key autoincrement, booked_ms integer,
    cost_version text not null, price_version text not null)`,
  `create table if not exists adjustments (repricing integer not null, n integer not null, cost_change integer not null,
    price_change integer not null, priced integer not null, primary key (repricing, n)) without rowid`,
  "create index if not exists adjustments_of_request on adjustments (n)",
  `create table if not exists adjusted_spend (level text not null, id text not null, bucket integer not null,
    repricing integer not null, price integer not null, primary key (level, id, bucket, repricing)) without rowid`,
];

export function addAdjustmentTables(database: Database): void {
  for (const table of tables) database.run(table);
}

/** In place of the tables in a file of an earlier version. */
export const withoutAdjustments = [
  "repricings as (select 0 as number, null as booked_ms, '' as cost_version, '' as price_version where 0)",
  "adjustments as (select 0 as repricing, 0 as n, 0 as cost_change, 0 as price_change, 0 as priced where 0)",
];

/** Booked adjustments with the rows of their requests. */
export const adjustedRows = "adjustments join requests using (n)";
export const isBooked = "repricing in (select number from repricings where booked_ms is not null)";
export const lastBookedSql = "select coalesce(max(number), 0) as n from repricings where booked_ms is not null";

const adjustmentShape = Type.Object({
  repricing: IntColumn,
  n: IntColumn,
  /** The request. */
  id: Type.String(),
  /** When it was booked. */
  atMs: IntColumn,
  costNanoDollars: BigIntColumn,
  priceNanoDollars: BigIntColumn,
  costVersion: Type.String(),
  priceVersion: Type.String(),
});

/** A difference to the figures of one request; a correction is the next adjustment. */
export type Adjustment = Static<typeof adjustmentShape>;

export const readAdjustmentRows = rowReader("adjustments", adjustmentShape);

export const adjustmentsSql = `select repricing, n, requests.id as id, booked_ms as "atMs",
  cost_change as "costNanoDollars", price_change as "priceNanoDollars", repricings.cost_version as "costVersion",
  repricings.price_version as "priceVersion" from adjustments join repricings on number = repricing
  join requests using (n) where booked_ms is not null`;

/** The spend of a level since a time, from the ledger. */
export type SpentSince = (level: string, id: string, sinceMs: number) => bigint;

interface AdjustedSpend {
  /** With the adjustments up to the last call of `follow`. */
  readonly spent: SpentSince;
  /** What was booked since the last call, by this process or another; null if nothing was. */
  follow(): SpentSince | null;
}

/** The spend of a ledger's levels, with the adjustments of its requests. */
export function adjustedSpend(database: Database, spent: SpentSince, bucketMs: number): AdjustedSpend {
  const last = database.prepare(lastBookedSql);
  const sum = database.prepare(`select coalesce(sum(price), 0) as sum from adjusted_spend
    where level = ? and id = ? and bucket >= ? and repricing > ? and repricing <= ?`);
  sum.safeIntegers(true);
  const changed = (level: string, id: string, sinceMs: number, after: number, through: number): bigint => {
    const values: SQLQueryBindings[] = [level, id, Math.floor(sinceMs / bucketMs), after, through];
    return BigInt(Object(sum.get(...values)).sum);
  };
  let seen = Number(Object(last.get()).n);
  return {
    spent: (level, id, sinceMs) => spent(level, id, sinceMs) + changed(level, id, sinceMs, 0, seen),
    follow() {
      const [before, now] = [seen, Number(Object(last.get()).n)];
      if (now === before) return null;
      seen = now;
      return (level, id, sinceMs) => changed(level, id, sinceMs, before, now);
    },
  };
}
