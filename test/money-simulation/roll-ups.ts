// The index of a simulated ledger: whatever it was when it was last brought up to date, its sums are those of the rows.
import { Database, type SQLQueryBindings } from "bun:sqlite";
import { expect } from "bun:test";
import { indexLedger, makeTables } from "../../src/gateway/ledger/usage-index.ts";
import type { Row } from "./model.ts";

const database = new Database(":memory:", { safeIntegers: true });
makeTables(database);
const tables = ["files", "late", "feed", "zones", "blocks", "sums", "cells"];
const levels = database.prepare("select level, sum(requests) as requests, sum(price) as price from sums group by 1");
const cells = database.prepare(
  "select level, name, sum(requests) as requests, sum(price) as price from cells where level <> 'minute' group by 1, 2",
);
const feed = database.prepare("select seq from feed order by seq");

interface Sum {
  readonly level: string;
  readonly name?: string;
  readonly requests: bigint;
  readonly price: bigint | null;
}

export function emptyIndex(): void {
  for (const table of tables) database.run(`delete from ${table}`);
}

export function index(ledger: Database): void {
  const all = (sql: string, values: SQLQueryBindings[]) =>
    ledger
      .query(sql)
      .safeIntegers(true)
      .all(...values);
  const valuesOf = (sql: string, values: SQLQueryBindings[]) => {
    using statement = ledger.prepare(sql);
    return statement.safeIntegers(false).values(...values);
  };
  const indexPart = (): boolean =>
    indexLedger(
      database,
      "1",
      (sql, ...values) => all(sql, values),
      (sql, ...values) => valuesOf(sql, values),
    );
  let isPart = true;
  while (isPart) isPart = indexPart();
}

/** All of these rows are settled. */
export function checkIndex(ledger: Database, rows: readonly Row[]): void {
  index(ledger);
  const price = rows.reduce((sum, row) => sum + (row.price ?? 0n) + row.adjusted, 0n);
  const found = [...levels.all(), ...cells.all()] as Sum[];
  // Five levels of sums; all requests, six dimensions and their 15 pairs by the hour and by the day.
  expect(found.length).toBe(rows.length === 0 ? 0 : 5 + 2 * 22);
  for (const sum of found)
    if (sum.requests !== BigInt(rows.length) || (sum.price ?? 0n) !== price)
      expect(sum).toEqual({ ...sum, requests: BigInt(rows.length), price });
  expect(feed.all().length).toBe(rows.length);
}
