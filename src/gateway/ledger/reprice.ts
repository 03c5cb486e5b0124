// What recorded requests would cost at other prices. Nothing is written.

import type { PriceExplanation } from "../prices/explain.ts";
import { type RequestRow, readRequestRows, requestsSql } from "./columns.ts";
import { ledgerFiles, readFile } from "./files.ts";

export interface RepriceQuery {
  readonly sinceMs: number;
  readonly untilMs: number;
}

/**
 * Sums of one day and model, as recorded and at the given prices. Requests without a figure count as 0, and are
 * counted.
 */
export interface RepricedGroup {
  readonly day: string;
  readonly model: string;
  requests: number;
  changed: number;
  unpriced: number;
  bookedCost: bigint;
  newCost: bigint;
  bookedPrice: bigint;
  newPrice: bigint;
}

/** The figures of a row at other prices; null if its usage is not charged. */
type Explain = (row: RequestRow) => PriceExplanation | null;

const pageRows = 10_000;

/** The groups with a different figure, by day and model. */
export function repriced(dataFolder: string, { sinceMs, untilMs }: RepriceQuery, explain: Explain): RepricedGroup[] {
  const groups = new Map<string, RepricedGroup>();
  const sql = `${requestsSql} where n > ? and at_ms >= ? and at_ms < ? and settled_seq is not null order by n limit ${pageRows}`;
  for (const { path } of ledgerFiles(dataFolder))
    for (let n = 0, rows: RequestRow[] = []; n === 0 || rows.length === pageRows; n = rows.at(-1)?.n ?? n + 1) {
      rows = readRequestRows(readFile(path, sql, [n, sinceMs, untilMs]));
      for (const row of rows) add(groups, row, explain);
      if (rows.length === 0) break;
    }
  const found = [...groups.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group);
  return found.filter(({ changed }) => changed > 0);
}

function add(groups: Map<string, RepricedGroup>, row: RequestRow, explain: Explain): void {
  const figures = explain(row);
  if (figures === null) return;
  const day = new Date(row.atMs).toISOString().slice(0, 10);
  const name = JSON.stringify([day, row.model]);
  const none = { requests: 0, changed: 0, unpriced: 0, bookedCost: 0n, newCost: 0n, bookedPrice: 0n, newPrice: 0n };
  const group = groups.get(name) ?? { day, model: row.model, ...none };
  groups.set(name, group);
  const { costNanoDollars: cost, priceNanoDollars: price } = figures;
  group.requests++;
  if (cost !== row.costNanoDollars || price !== row.priceNanoDollars) group.changed++;
  if (cost === null) group.unpriced++;
  group.bookedCost += row.costNanoDollars ?? 0n;
  group.newCost += cost ?? 0n;
  group.bookedPrice += row.priceNanoDollars ?? 0n;
  group.newPrice += price ?? 0n;
}
