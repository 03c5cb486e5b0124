// The index of the ledger, derived so that queries over large ledgers are fast: sums by hour and day, where values
// occur, ids, and the order of settlement.
import { Database, type SQLQueryBindings } from "bun:sqlite";
import { join } from "node:path";
import { Type } from "typebox";
import { IntColumn, rowReader } from "../../store/rows.ts";
import { adjustedRows, isBooked, lastBookedSql } from "./adjustments.ts";
import { columnOf } from "./columns.ts";
import { type LedgerFile, ledgerFiles, type QueryFile, type QueryValues, queryFile } from "./files.ts";
import { groupColumns, type IndexRow, type RowValue, readIndexRows } from "./index-rows.ts";
import { addRequestIds, requestIdTable } from "./request-ids.ts";
import { addRollUps, rollUpTables } from "./roll-ups.ts";
import { addRowSums, adjustmentParts, columnValues, noSums, type RowSums, sumColumns, sumParts } from "./usage-sums.ts";

/** Rows in a block: a page of requests with a rare value reads few blocks. */
export const blockRows = 512;
/** Rows that are added in one transaction, so that the index of a large ledger is made in bounded memory. */
const chunkRows = 10_000;
export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** Columns whose values are indexed by block. */
const zoneColumns: readonly RowValue[] = [...groupColumns, "session", "state", "errorCode"];

const version = 6;
const tables = [
  "create table files (ledger text primary key, through integer not null, adjusted integer not null) without rowid",
  "create table late (ledger text not null, n integer not null, primary key (ledger, n)) without rowid",
  "create table feed (ledger text not null, seq integer not null, n integer not null, primary key (ledger, seq)) without rowid",
  `create table zones (ledger text not null, name text not null, value text not null, block integer not null,
    primary key (ledger, name, value, block)) without rowid`,
  `create table blocks (ledger text not null, block integer not null, min_at integer not null, max_at integer not null,
    primary key (ledger, block)) without rowid`,
  `create table sums (level text not null, ledger text not null, at_ms integer not null,
    ${groupColumns.map((name) => `${name} text not null`).join(", ")},
    ${sumColumns.map((name) => `${name} integer`).join(", ")},
    primary key (level, ledger, at_ms, ${groupColumns.join(", ")})) without rowid`,
  requestIdTable,
  ...rollUpTables,
];

/** `user` and `user_day`: by hour or day and end user; the others without end users. */
export type SumLevel = "user" | "user_day" | "hour" | "day" | "month";

/** The start of the hour, day or month (UTC) that a sum of this level is for. */
export function startOfSum(level: SumLevel, ms: number): number {
  if (level === "month") return Date.UTC(new Date(ms).getUTCFullYear(), new Date(ms).getUTCMonth());
  const lengthMs = level === "day" || level === "user_day" ? dayMs : hourMs;
  return Math.floor(ms / lengthMs) * lengthMs;
}

interface UsageIndex {
  readonly files: readonly LedgerFile[];
  readonly database: Database;
}

/** Opens the index, updates it and reads from it. It can be deleted, and is then rebuilt. */
export function withUsageIndex<Result>(dataFolder: string, read: (index: UsageIndex) => Result): Result {
  const files = ledgerFiles(dataFolder);
  using database = new Database(files.length === 0 ? ":memory:" : join(dataFolder, "usage.db"), {
    create: true,
    readwrite: true,
    safeIntegers: true,
  });
  // Making the index of a large ledger for the first time takes a minute or so: others wait for it.
  database.run("pragma busy_timeout = 600000");
  database.run("pragma journal_mode = wal");
  database.run("pragma synchronous = normal");
  database.run("pragma cache_size = -65536");
  database.transaction(makeTables).immediate(database);
  for (const file of files) {
    let isPart = true;
    while (isPart) isPart = database.transaction(catchUp).immediate(database, file);
  }
  return read({ files, database });
}

/** Deletes everything derived: the next reader rebuilds it. */
export function dropUsageIndex(dataFolder: string): void {
  withUsageIndex(dataFolder, ({ database }) => {
    database.run("pragma user_version = 0");
  });
}

/** Those of this version, empty, if the file does not have them. */
export function makeTables(database: Database): void {
  if (Number(Object(database.query("pragma user_version").get()).user_version) === version) return;
  for (const name of ["files", "late", "feed", "zones", "blocks", "sums", "cells", "ids"])
    database.run(`drop table if exists ${name}`);
  for (const table of tables) database.run(table);
  database.run(`pragma user_version = ${version}`);
}

const readNumbers = rowReader("requests", Type.Object({ n: IntColumn }));
const readPlaces = rowReader("files", Type.Object({ through: IntColumn, adjusted: IntColumn }));

const placeOf = (database: Database, ledger: string) =>
  readPlaces(database.query("select through, adjusted from files where ledger = ?").all(ledger))[0] ?? {
    through: 0,
    adjusted: 0,
  };

/** The last repricing of a ledger that the index has. */
export const adjustedThrough = (database: Database, ledger: string): number => placeOf(database, ledger).adjusted;

const catchUp = (database: Database, { path, id }: LedgerFile): boolean =>
  queryFile(path, (...queries) => indexLedger(database, id, ...queries));

/**
 * Adds what was settled in one state of the ledger, so that the feed misses nothing. True if there is more: then the
 * index has the first rows only, and nothing reads it before it has the others.
 */
export function indexLedger(database: Database, id: string, query: QueryFile, queryValues: QueryValues): boolean {
  const { through, adjusted } = placeOf(database, id);
  const late = readNumbers(database.query("select n from late where ledger = ?").all(id)).map(({ n }) => n);
  const last = readNumbers(query("select coalesce(max(n), 0) as n from requests"))[0]?.n ?? 0;
  const booked = readNumbers(query(lastBookedSql))[0]?.n ?? 0;
  if (last === through && late.length === 0 && booked === adjusted) return false;
  if (late.length > 0) addLate(database, queryValues, id, late);
  const end = Math.min(last, through + chunkRows);
  if (end > through) addChunk(database, queryValues, id, [through, end]);
  const isComplete = end === last;
  if (isComplete && booked !== adjusted) addAdjustments(database, queryValues, id, adjusted);
  const put = database.query("insert or replace into files (ledger, through, adjusted) values (?, ?, ?)");
  put.run(id, end, isComplete ? booked : adjusted);
  return !isComplete;
}

const requestsWhere = (where: string, values: readonly SQLQueryBindings[]) => ({
  ...{ parts: sumParts, hasLatency: true, from: `requests where ${where}`, values },
});

function addLate(database: Database, query: QueryValues, ledger: string, late: readonly number[]): void {
  const where = "n in (select value from json_each(?)) and settled_seq is not null";
  const settled = readIndexRows(query, requestsWhere(where, [JSON.stringify(late)]));
  const remove = database.query("delete from late where ledger = ? and n = ?");
  for (const { n } of settled) remove.run(ledger, n);
  addSettled(database, ledger, settled);
}

function addChunk(database: Database, query: QueryValues, ledger: string, range: readonly [number, number]): void {
  const rows = readIndexRows(query, requestsWhere("n > ? and n <= ?", range));
  const wait = database.query("insert into late (ledger, n) values (?, ?)");
  for (const { n, seq } of rows) if (seq === null) wait.run(ledger, n);
  addBlocks(database, ledger, rows);
  addRequestIds(database, ledger, rows);
  addSettled(
    database,
    ledger,
    rows.filter(({ seq }) => seq !== null),
  );
}

const blockOf = (n: number): number => Math.floor(n / blockRows);

function addBlocks(database: Database, ledger: string, rows: readonly IndexRow[]): void {
  const blocks = new Map<number, { low: number; high: number }>();
  for (const { n, atMs } of rows) {
    const { low, high } = blocks.get(blockOf(n)) ?? { low: atMs, high: atMs };
    blocks.set(blockOf(n), { low: Math.min(low, atMs), high: Math.max(high, atMs) });
  }
  const put = database.query(`insert into blocks (ledger, block, min_at, max_at) values (?, ?, ?, ?)
    on conflict do update set min_at = min(min_at, excluded.min_at), max_at = max(max_at, excluded.max_at)`);
  for (const [block, { low, high }] of blocks) put.run(ledger, block, low, high);
}

function addSettled(database: Database, ledger: string, rows: readonly IndexRow[]): void {
  if (rows.length === 0) return;
  const put = database.query("insert or ignore into feed (ledger, seq, n) values (?, ?, ?)");
  for (const { seq, n } of rows) put.run(ledger, seq, n);
  addZones(database, ledger, rows);
  addSums(database, ledger, rows);
  addRollUps(database, ledger, rows, Date.now());
}

function addZones(database: Database, ledger: string, rows: readonly IndexRow[]): void {
  const put = database.query("insert or ignore into zones (ledger, name, value, block) values (?, ?, ?, ?)");
  for (const name of zoneColumns) {
    const found = new Map<number, Set<string>>();
    for (const row of rows) {
      const block = blockOf(row.n);
      const values = found.get(block) ?? new Set();
      found.set(block, values.add(row[name]));
    }
    for (const [block, values] of found) for (const value of values) put.run(ledger, columnOf(name), value, block);
  }
}

/** What was booked since the last one that the index has. */
function addAdjustments(database: Database, query: QueryValues, ledger: string, adjusted: number): void {
  const from = `${adjustedRows} where ${isBooked} and repricing > ?`;
  const rows = readIndexRows(query, { parts: adjustmentParts, hasLatency: false, from, values: [adjusted] });
  addSums(database, ledger, rows);
  addRollUps(database, ledger, rows, Date.now());
}

/** Rows of the same time with the same values, added up. */
interface Group {
  readonly atMs: number;
  readonly values: readonly string[];
  readonly sums: RowSums;
}

/** Added up by their times at a level, and by their values. */
function groupsAt(level: SumLevel, rows: Iterable<Group>): Iterable<Group> {
  const found = new Map<string, Group>();
  for (const row of rows) {
    const atMs = startOfSum(level, row.atMs);
    const values = level === "user" || level === "user_day" ? row.values : row.values.with(userAt, "");
    const id = `${atMs}\0${values.join("\0")}`;
    let group = found.get(id);
    if (group === undefined) {
      group = { atMs, values, sums: noSums() };
      found.set(id, group);
    }
    addRowSums(group.sums, row.sums);
  }
  return found.values();
}

const userAt = groupColumns.indexOf("end_user");

const addition = `insert into sums (level, ledger, at_ms, ${[...groupColumns, ...sumColumns].join(", ")})
  values (${[0, 0, 0, ...groupColumns, ...sumColumns].map(() => "?").join(", ")}) on conflict do update set
  ${sumColumns.map((name) => `${name} = iif(${name} is null, excluded.${name}, ${name} + coalesce(excluded.${name}, 0))`).join(", ")}`;

function addSums(database: Database, ledger: string, rows: readonly IndexRow[]): void {
  const add = database.query(addition);
  const write = (level: SumLevel, from: Iterable<Group>): Iterable<Group> => {
    const groups = [...groupsAt(level, from)];
    for (const { atMs, values, sums } of groups)
      add.run(level, ledger, atMs, ...values, ...columnValues(sums).slice(0, sumColumns.length));
    return groups;
  };
  const each = rows.map((row) => ({
    atMs: row.atMs,
    values: groupColumns.map((name) => row[name]),
    sums: row.sums,
  }));
  const users = write("user", each);
  write("user_day", users);
  write("month", write("day", write("hour", users)));
}
