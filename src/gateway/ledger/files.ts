// The files of the ledger in a data folder: the current one, its lock, and queries over all of them.
import { Database, type SQLQueryBindings } from "bun:sqlite";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { withoutAdjustments } from "./adjustments.ts";
import { emptyTables, hasTable, selectsOfOlder } from "./schema.ts";

export function ledgerPath(dataFolder: string): string {
  return join(dataFolder, "ledger.db");
}

const otherFile = /^ledger-.+\.db$/;

/**
 * All ledgers in the folder, the current one first: files that were moved aside as `ledger-2026-01.db`, or that other
 * instances wrote.
 */
function ledgerPaths(dataFolder: string): string[] {
  if (!existsSync(dataFolder)) return [];
  const others = readdirSync(dataFolder)
    .filter((name) => otherFile.test(name))
    .sort();
  return [ledgerPath(dataFolder), ...others.map((name) => join(dataFolder, name))].filter((path) => existsSync(path));
}

/** Unlocks the folder. */
export type Unlock = () => void;

/**
 * Locks the data folder for this process; an Error with one sentence if another process has it. The lock is a file
 * lock on an empty SQLite file: unlike a written process number it cannot be stale, and a reused process number, as in
 * containers, cannot be mistaken for the holder.
 */
export function lockFolder(dataFolder: string): Unlock {
  const database = new Database(join(dataFolder, "ledger.lock"), { create: true, readwrite: true });
  try {
    database.run("pragma busy_timeout = 0");
    database.run("begin exclusive");
  } catch (cause) {
    database.close();
    if (!String(Object(cause).code).startsWith("SQLITE_BUSY")) throw cause;
    throw new Error(`The data folder ${dataFolder} is in use by another running gateway.`, { cause });
  }
  return () => database.close();
}

/** One ledger of a data folder. */
export interface LedgerFile {
  readonly path: string;
  /** The same in a copy of the file. */
  readonly id: string;
}

/**
 * The ledgers, the current one first. A copy of an earlier file is left out, because its requests would count twice.
 */
export function ledgerFiles(dataFolder: string): LedgerFile[] {
  const files = new Map<string, LedgerFile>();
  for (const path of ledgerPaths(dataFolder)) {
    const id = reading(path, idOf);
    if (id !== null && !files.has(id)) files.set(id, { path, id });
  }
  return [...files.values()];
}

/** One query over a file, whatever its version. */
export type QueryFile = (sql: string, ...values: SQLQueryBindings[]) => unknown[];

/** The values of each row, in the order of the query. Integers are numbers: they have to be exact in these. */
export type QueryValues = (sql: string, ...values: SQLQueryBindings[]) => unknown[][];

/** Several queries over one state of a file. */
export function queryFile<Result>(path: string, work: (query: QueryFile, queryValues: QueryValues) => Result): Result {
  return reading(path, (database) => {
    const tables = inPlaceOfOlder(database);
    database.run("begin");
    const query: QueryFile = (sql, ...values) => database.query(`${tables} ${sql}`).all(...values);
    return work(query, (sql, ...values) => {
      using statement = database.prepare(`${tables} ${sql}`);
      return statement.safeIntegers(false).values(...values);
    });
  });
}

/** The rows of one file. */
function readFile(path: string, sql: string, values: SQLQueryBindings[]): unknown[] {
  return queryFile(path, (query) => query(sql, ...values));
}

/** The rows of each file. */
export function readFiles(dataFolder: string, sql: string, values: SQLQueryBindings[]): unknown[][] {
  return ledgerFiles(dataFolder).map(({ path }) => readFile(path, sql, values));
}

function reading<Result>(path: string, read: (database: Database) => Result): Result {
  try {
    using database = readerOf(path);
    return read(database);
  } catch (cause) {
    throw new Error(`The ledger ${path} cannot be read: ${String(Object(cause).message ?? cause)}.`, { cause });
  }
}

/** `query_only` instead of a read-only file: after a crash the first reader has to rebuild the index of the log. */
function readerOf(path: string): Database {
  const database = new Database(path, { readwrite: true, safeIntegers: true });
  database.run("pragma query_only = 1");
  database.run("pragma busy_timeout = 2000");
  return database;
}

/** Null for a file whose tables a gateway is about to create. One without a name yet has its path's. */
function idOf(database: Database): string | null {
  if (!hasTable(database, "marks")) return null;
  const row = database.query("select n from marks where name = 'id'").get();
  return row === null ? database.filename : BigInt(String(Object(row).n)).toString(36);
}

/** A reader changes nothing: for the one statement, tables of an older version are mapped to today's. */
function inPlaceOfOlder(database: Database): string {
  using today = emptyTables();
  const older = selectsOfOlder(database, today);
  const missing = hasTable(database, "adjustments") ? [] : withoutAdjustments;
  const tables = older === null ? [] : [`requests as (${older.requests})`, `attempts as (${older.attempts})`];
  return tables.length + missing.length === 0 ? "" : `with ${[...tables, ...missing].join(", ")}`;
}
