// What settled requests come to at other prices, and the booking of the differences as adjustments, all or none.
import type { Database, SQLQueryBindings } from "bun:sqlite";
import { Type } from "typebox";
import { NullableBigInt, rowReader } from "../../store/rows.ts";
import { amountsOf } from "../prices/cost.ts";
import type { Prices } from "../prices/prices.ts";
import { addAdjustmentTables, isBooked } from "./adjustments.ts";
import { type RequestRow, readRequestRows, requestsSql } from "./columns.ts";
import { ledgerPath, queryFile } from "./files.ts";
import { priceQueryOf, type StoryPrices, usageOfRow } from "./row-price.ts";
import { hasTable, openForChanges } from "./schema.ts";
import { spendBucketMs } from "./spend.ts";

export interface RepriceQuery {
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Only requests that named this model. */
  readonly model?: string;
  /** Only requests of this key. */
  readonly keyId?: string;
}

/** Sums as they are, with earlier adjustments, and at the given prices, of the requests that these can price. */
export interface RepricedSums {
  requests: number;
  changed: number;
  /** Requests without a price in the given prices: they stay as they are. */
  unpriced: number;
  /** Requests whose recorded figures do not follow from the prices of their time: they stay as they are. */
  unexplained: number;
  bookedCost: bigint;
  newCost: bigint;
  bookedPrice: bigint;
  newPrice: bigint;
}

interface RepricedGroup extends RepricedSums {
  readonly keyId: string;
  readonly model: string;
}

export interface RepricingReport {
  readonly costVersion: string;
  readonly priceVersion: string;
  readonly total: RepricedSums;
  /** By key and model, those in which something changes. */
  readonly groups: readonly RepricedGroup[];
  /** The number of the repricing; null where nothing was booked. */
  readonly repricing: number | null;
}

/** A request whose figures change. */
interface Change {
  readonly n: number;
  readonly cost: bigint;
  readonly price: bigint;
  readonly wasUnpriced: boolean;
}

const pageRows = 2_000;
/** A gateway writes the same file, and must never wait long. */
const changesAtOnce = 200;
const pauseMs = 1;

const noSums = (): RepricedSums => ({
  ...{ requests: 0, changed: 0, unpriced: 0, unexplained: 0 },
  ...{ bookedCost: 0n, newCost: 0n, bookedPrice: 0n, newPrice: 0n },
});

const bookedShape = Type.Object({ costChange: NullableBigInt, priceChange: NullableBigInt });
const readBooked = rowReader("adjustments", bookedShape);

/** A row with the sums of its adjustments. */
interface AdjustedRow {
  readonly row: RequestRow;
  readonly costChange: bigint | null;
  readonly priceChange: bigint | null;
}

const adjustmentOf = (change: string): string =>
  `(select sum(${change}) from adjustments where adjustments.n = requests.n and ${isBooked})`;

const pageSql = `${requestsSql.replace(
  " from requests",
  `, ${adjustmentOf("cost_change")} as "costChange",
  ${adjustmentOf("price_change")} as "priceChange" from requests`,
)} where n > ? and at_ms >= ? and at_ms < ?
  and coalesce(?, model) = model and coalesce(?, key_id) = key_id and settled_seq is not null
  and state <> 'replayed' order by n limit ${pageRows}`;

function* settledRows(path: string, { sinceMs, untilMs, model, keyId }: RepriceQuery): Generator<AdjustedRow> {
  for (let n = 0, count = pageRows; count === pageRows; ) {
    const found = queryFile(path, (query) => query(pageSql, n, sinceMs, untilMs, model ?? null, keyId ?? null));
    const rows = readRequestRows(found);
    const booked = readBooked(found);
    for (const [index, row] of rows.entries())
      yield { row, ...(booked[index] ?? { costChange: null, priceChange: null }) };
    count = rows.length;
    n = rows.at(-1)?.n ?? n;
  }
}

/** What prices make of a row; null if its usage is not charged. */
function moneyOf(row: RequestRow, prices: Prices, kindOf: StoryPrices["kindOf"]) {
  const query = priceQueryOf(row, kindOf);
  return query && prices.of(query, row.model, usageOfRow(row));
}

/** Whether the recorded figures are those of the prices of their time, where these are stored. */
function isExplained(row: RequestRow, { earlier, kindOf }: StoryPrices): boolean {
  const own = earlier?.(row.costVersion, row.priceVersion) ?? null;
  if (own === null) return true;
  const money = moneyOf(row, own, kindOf);
  return money?.costNanoDollars === row.costNanoDollars && money.priceNanoDollars === row.priceNanoDollars;
}

function changeOf({ row, costChange, priceChange }: AdjustedRow, pricing: StoryPrices, sums: readonly RepricedSums[]) {
  const money = moneyOf(row, pricing.prices, pricing.kindOf);
  if (money === null) return null;
  const { costNanoDollars: cost, priceNanoDollars: price } = money;
  for (const each of sums) each.requests++;
  if (cost === null || price === null) {
    for (const each of sums) each.unpriced++;
    return null;
  }
  if (!isExplained(row, pricing)) {
    for (const each of sums) each.unexplained++;
    return null;
  }
  const [bookedCost, bookedPrice] = [
    (row.costNanoDollars ?? 0n) + (costChange ?? 0n),
    (row.priceNanoDollars ?? 0n) + (priceChange ?? 0n),
  ];
  const hasAmounts = row.costNanoDollars === null && amountsOf(usageOfRow(row)).length > 0;
  const wasUnpriced = hasAmounts && costChange === null;
  const isChanged = wasUnpriced || cost !== bookedCost || price !== bookedPrice;
  for (const each of sums) {
    each.bookedCost += bookedCost;
    each.newCost += cost;
    each.bookedPrice += bookedPrice;
    each.newPrice += price;
    if (isChanged) each.changed++;
  }
  return isChanged ? { n: row.n, cost: cost - bookedCost, price: price - bookedPrice, wasUnpriced } : null;
}

/** Books of earlier versions are read from files: each once. */
function remembering({ earlier, ...pricing }: StoryPrices): StoryPrices {
  const { costVersion, priceVersion } = pricing.prices;
  const found = new Map<string, Prices | null>([[JSON.stringify([costVersion, priceVersion]), pricing.prices]]);
  return {
    ...pricing,
    earlier(cost, price) {
      const name = JSON.stringify([cost, price]);
      const prices = found.get(name);
      if (prices !== undefined) return prices;
      const read = earlier?.(cost, price) ?? null;
      found.set(name, read);
      return read;
    },
  };
}

/** Computes the report; each change goes to `take`. */
function reprice(
  path: string,
  query: RepriceQuery,
  given: StoryPrices,
  take: (change: Change) => void,
): RepricingReport {
  const pricing = remembering(given);
  const total = noSums();
  const groups = new Map<string, RepricedGroup>();
  for (const each of settledRows(path, query)) {
    const { keyId, model } = each.row;
    const name = JSON.stringify([keyId, model]);
    const group = groups.get(name) ?? { keyId, model, ...noSums() };
    groups.set(name, group);
    const change = changeOf(each, pricing, [total, group]);
    if (change !== null) take(change);
  }
  const found = [...groups.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group);
  const { costVersion, priceVersion } = pricing.prices;
  const changed = found.filter((group) => group.changed + group.unpriced + group.unexplained > 0);
  return { costVersion, priceVersion, total, groups: changed, repricing: null };
}

const nothing = (): void => undefined;

/** Only the current ledger of the folder: files that were moved aside are closed. Nothing is written. */
export function previewRepricing(dataFolder: string, query: RepriceQuery, pricing: StoryPrices): RepricingReport {
  return reprice(ledgerPath(dataFolder), query, pricing, nothing);
}

/**
 * The same, and the differences are booked: prepared in small transactions, and made to count by one statement. An
 * interruption leaves nothing that counts.
 */
export function bookRepricing(dataFolder: string, query: RepriceQuery, pricing: StoryPrices): RepricingReport {
  const path = ledgerPath(dataFolder);
  using database = openForChanges(path);
  if (!hasTable(database, "requests")) throw new Error("The ledger is of an earlier version: start the gateway once.");
  addAdjustmentTables(database);
  const { costVersion, priceVersion } = pricing.prices;
  const booking = startBooking(database, costVersion, priceVersion);
  const report = reprice(path, query, pricing, booking.add);
  return { ...report, repricing: booking.book(report.total.changed) };
}

const deletions = ["adjustments", "adjusted_spend"] as const;

/** Deletes what a repricing left that did not come to its end, or that another process prepares at this moment. */
function deleteUnbooked(database: Database): void {
  const unbooked = "select number from repricings where booked_ms is null";
  const numbers = database.query(unbooked).values().flat().map(Number);
  for (const number of numbers) {
    database.run("delete from repricings where number = ?", [number]);
    for (const table of deletions) deleteSlowly(database, table, number);
  }
}

const keysOf = { adjustments: "n", adjusted_spend: "level, id, bucket" } as const;

function deleteSlowly(database: Database, table: (typeof deletions)[number], number: number): void {
  const key = keysOf[table];
  const some = `select ${key} from ${table} where repricing = ? limit ${changesAtOnce}`;
  const statement = database.query(`delete from ${table} where repricing = ? and (${key}) in (${some})`);
  while (statement.run(number, number).changes > 0) Bun.sleepSync(pauseMs);
}

const levelsOf = [
  ["organization", "organization"],
  ["key", "key_id"],
  ["project", "project"],
  ["end_user", "project || '/' || end_user"],
] as const;

const spendSql = levelsOf.map(
  ([level, id]) => `insert into adjusted_spend (level, id, bucket, repricing, price)
  select '${level}', ${id} as owner, at_ms / ${spendBucketMs}, repricing, sum(price_change)
  from adjustments join requests using (n) where repricing = ? and n >= ? and n <= ? and owner is not null group by 2, 3
  on conflict (level, id, bucket, repricing) do update set price = price + excluded.price`,
);

function startBooking(database: Database, costVersion: string, priceVersion: string) {
  deleteUnbooked(database);
  const insert = database.query("insert into repricings (cost_version, price_version) values (?, ?)");
  const number = Number(insert.run(costVersion, priceVersion).lastInsertRowid);
  const isMine = database.query("select 1 from repricings where number = ? and booked_ms is null");
  const requireMine = (): void => {
    if (isMine.get(number) === null) throw new Error("Another repricing has started: nothing was booked.");
  };
  const put = database.query("insert into adjustments values (?, ?, ?, ?, ?)");
  let waiting: Change[] = [];
  const write = (): void => {
    const [first, last] = [waiting[0]?.n ?? 0, waiting.at(-1)?.n ?? 0];
    requireMine();
    for (const { n, cost, price, wasUnpriced } of waiting) put.run(number, n, cost, price, wasUnpriced ? 1 : 0);
    for (const sql of spendSql) database.query(sql).run(...([number, first, last] as SQLQueryBindings[]));
    waiting = [];
  };
  const flush = (): void => {
    database.transaction(write).immediate();
    Bun.sleepSync(pauseMs);
  };
  return {
    add(change: Change) {
      waiting.push(change);
      if (waiting.length >= changesAtOnce) flush();
    },
    /** Null where there is nothing to book. */
    book(changed: number): number | null {
      flush();
      if (changed === 0) database.run("delete from repricings where number = ?", [number]);
      else {
        const sql = "update repricings set booked_ms = ? where number = ? and booked_ms is null";
        if (database.query(sql).run(Date.now(), number).changes === 0) requireMine();
      }
      return changed === 0 ? null : number;
    },
  };
}
