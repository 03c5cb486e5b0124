// The index of the ledger, derived so that queries over large ledgers are fast: sums by hour and day, where values
// occur, ids, and the order of settlement.
import { Database, type SQLQueryBindings } from "bun:sqlite";
import { join } from "node:path";
import { Type } from "typebox";
import { IntColumn, rowReader } from "../../store/rows.ts";
import { adjustedRows, adjustmentSumsSql, isBooked, lastBookedSql } from "./adjustments.ts";
import { columnOf } from "./columns.ts";
import { type LedgerFile, ledgerFiles, type QueryFile, queryFile } from "./files.ts";
import { addRequestIds, requestIdTable } from "./request-ids.ts";
import { addRollUps, rollUpTables } from "./roll-ups.ts";
import { sumNames, sumOf, sumsShape, sumsSql, type UsageSums } from "./usage-sums.ts";

/** Rows in a block: a page of requests with a rare value reads few blocks. */
export const blockRows = 512;
/** Rows that are read at once. */
const chunkRows = 50_000;
export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** Columns with sums. */
const groupColumns = ["organization", "project", "key_id", "end_user", "model", "provider", "operation"] as const;

/** Columns whose values are indexed by block. */
const zoneColumns: readonly string[] = [...groupColumns, "session", "state", columnOf("errorCode")];

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
    ${sumNames.map((name) => `${columnOf(name)} integer`).join(", ")},
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
  database.transaction(makeTables).immediate(database);
  for (const file of files) database.transaction(catchUp).immediate(database, file);
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

const catchUp = (database: Database, { path, id }: LedgerFile): void =>
  queryFile(path, (query) => indexLedger(database, id, query));

/** Indexes everything that was settled in one state of the ledger, so that the feed misses nothing. */
export function indexLedger(database: Database, id: string, query: QueryFile): void {
  const adjusted = adjustedThrough(database, id);
  let through = placeOf(database, id).through;
  const late = readNumbers(database.query("select n from late where ledger = ?").all(id)).map(({ n }) => n);
  const last = readNumbers(query("select coalesce(max(n), 0) as n from requests"))[0]?.n ?? 0;
  const booked = readNumbers(query(lastBookedSql))[0]?.n ?? 0;
  if (last === through && late.length === 0 && booked === adjusted) return;
  if (late.length > 0) addLate(database, query, id, late);
  for (; through < last; through += chunkRows) addChunk(database, query, id, [through, through + chunkRows]);
  if (booked !== adjusted) addAdjustments(database, query, id, adjusted);
  database.query("insert or replace into files (ledger, through, adjusted) values (?, ?, ?)").run(id, last, booked);
}

function addLate(database: Database, query: QueryFile, ledger: string, late: readonly number[]): void {
  const numbers = JSON.stringify(late);
  const where = "n in (select value from json_each(?))";
  const settled = readNumbers(query(`select n from requests where ${where} and settled_seq is not null`, numbers));
  if (settled.length === 0) return;
  const remove = database.query("delete from late where ledger = ? and n = ?");
  for (const { n } of settled) remove.run(ledger, n);
  addSettled(database, query, ledger, { where, values: [JSON.stringify(settled.map(({ n }) => n))] });
}

function addChunk(database: Database, query: QueryFile, ledger: string, range: readonly [number, number]): void {
  const where = "n > ? and n <= ?";
  const insert = database.query("insert into late (ledger, n) values (?, ?)");
  for (const { n } of readNumbers(query(`select n from requests where ${where} and settled_seq is null`, ...range)))
    insert.run(ledger, n);
  const times = `select n / ${blockRows} as block, min(at_ms) as low, max(at_ms) as high from requests where ${where} group by 1`;
  const put = database.query(`insert into blocks (ledger, block, min_at, max_at) values (?, ?, ?, ?)
    on conflict do update set min_at = min(min_at, excluded.min_at), max_at = max(max_at, excluded.max_at)`);
  for (const row of query(times, ...range)) put.run(ledger, ...(Object.values(Object(row)) as SQLQueryBindings[]));
  addRequestIds(database, query, ledger, range);
  addSettled(database, query, ledger, { where, values: [...range] });
}

interface Selection {
  readonly where: string;
  readonly values: SQLQueryBindings[];
}

function addSettled(database: Database, query: QueryFile, ledger: string, { where, values }: Selection): void {
  const from = `from requests where ${where} and settled_seq is not null`;
  const put = database.query("insert or ignore into feed (ledger, seq, n) values (?, ?, ?)");
  for (const row of query(`select settled_seq, n ${from}`, ...values))
    put.run(ledger, ...(Object.values(Object(row)) as SQLQueryBindings[]));
  const zone = database.query("insert or ignore into zones (ledger, name, value, block) values (?, ?, ?, ?)");
  for (const name of zoneColumns)
    for (const row of query(
      `select distinct coalesce(${name}, '') as value, n / ${blockRows} as block ${from}`,
      ...values,
    ))
      zone.run(ledger, name, ...(Object.values(Object(row)) as SQLQueryBindings[]));
  addSums(database, ledger, query(groupsOf(sumsSql, from), ...values));
  addRollUps(database, { ledger, query, sums: sumsSql, hasLatency: true, from, values, nowMs: Date.now() });
}

const groupsOf = (sums: string, from: string): string => `select at_ms / ${hourMs} * ${hourMs} as at_ms,
  ${groupColumns.map((name) => `coalesce(${name}, '') as ${name}`).join(", ")}, ${sums} ${from}
  group by ${[0, ...groupColumns].map((_, index) => index + 1).join(", ")}`;

/** What was booked since the last one that the index has. */
function addAdjustments(database: Database, query: QueryFile, ledger: string, adjusted: number): void {
  const from = `from ${adjustedRows} where ${isBooked} and repricing > ?`;
  const sums = adjustmentSumsSql(sumNames);
  addSums(database, ledger, query(groupsOf(sums, from), adjusted));
  addRollUps(database, { ledger, query, sums, hasLatency: false, from, values: [adjusted], nowMs: Date.now() });
}

const groupShape = Type.Object({
  at_ms: IntColumn,
  ...Object.fromEntries(groupColumns.map((name) => [name, Type.String()])),
  ...sumsShape.properties,
});
const readGroups = rowReader("requests", groupShape);

type GroupRow = UsageSums & { readonly at_ms: number } & Readonly<Record<(typeof groupColumns)[number], string>>;

const levels: readonly SumLevel[] = ["user", "user_day", "hour", "day", "month"];

const atLevel = (level: SumLevel, row: GroupRow): GroupRow => ({
  ...row,
  end_user: level === "user" || level === "user_day" ? row.end_user : "",
  at_ms: startOfSum(level, row.at_ms),
});

const sumColumns = sumNames.map(columnOf);
const addition = `insert into sums (level, ledger, at_ms, ${[...groupColumns, ...sumColumns].join(", ")})
  values (${[0, 0, 0, ...groupColumns, ...sumColumns].map(() => "?").join(", ")}) on conflict do update set
  ${sumColumns.map((name) => `${name} = iif(${name} is null, excluded.${name}, ${name} + coalesce(excluded.${name}, 0))`).join(", ")}`;

function addSums(database: Database, ledger: string, rows: readonly unknown[]): void {
  const groups = readGroups(rows) as unknown as GroupRow[];
  const add = database.query(addition);
  for (const level of levels) {
    const merged = new Map<string, GroupRow>();
    for (const group of groups.map((each) => atLevel(level, each))) {
      const name = JSON.stringify([group.at_ms, ...groupColumns.map((column) => group[column])]);
      const before = merged.get(name);
      merged.set(name, before === undefined ? group : { ...group, ...sumOf(before, group) });
    }
    for (const group of merged.values())
      add.run(
        level,
        ledger,
        group.at_ms,
        ...groupColumns.map((name) => group[name]),
        ...sumNames.map((name) => group[name]),
      );
  }
}
