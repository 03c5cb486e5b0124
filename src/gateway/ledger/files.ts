// The files of the ledger in a data folder: the current one, its lock, and one query over all of them for readers.
import { Database, type SQLQueryBindings } from "bun:sqlite";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { emptyTables, hasTable, selectsOfOlder } from "./schema.ts";

export function ledgerPath(dataFolder: string): string {
  return join(dataFolder, "ledger.db");
}

const otherFile = /^ledger-.+\.db$/;

/**
 * All ledgers in the folder, the one that is written first: files that were moved aside as `ledger-2026-01.db`, or that other
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
 * Takes the data folder for this process; an Error with one sentence when another has it. The lock is a file
 * lock on an empty SQLite file: unlike a written process number it cannot be stale, and a number that the
 * system has given to another process, as containers do, cannot be mistaken for a holder.
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

/** The rows of each file. A copy of a file that was read before it is left out: its requests would count twice. */
export function readFiles(dataFolder: string, sql: string, values: SQLQueryBindings[]): unknown[][] {
  const ids = new Set<string>();
  const rowsOf = (path: string): unknown[][] => {
    using database = readerOf(path);
    // A gateway is about to make its tables.
    if (!hasTable(database, "marks")) return [];
    const id = idOf(database);
    if (id !== null && ids.has(id)) return [];
    if (id !== null) ids.add(id);
    return [database.query(`${inPlaceOfOlder(database)} ${sql}`).all(...values)];
  };
  return ledgerPaths(dataFolder).flatMap((path) => {
    try {
      return rowsOf(path);
    } catch (cause) {
      throw new Error(`The ledger ${path} cannot be read: ${String(Object(cause).message ?? cause)}.`, { cause });
    }
  });
}

/** `query_only` instead of a read-only file: after a crash the first reader has to rebuild the index of the log. */
function readerOf(path: string): Database {
  const database = new Database(path, { readwrite: true, safeIntegers: true });
  database.run("pragma query_only = 1");
  database.run("pragma busy_timeout = 2000");
  return database;
}

/** Null in a file of which the gateway that makes it has not yet written its name. */
function idOf(database: Database): string | null {
  const row = database.query("select n from marks where name = 'id'").get();
  return row === null ? null : String(Object(row).n);
}

/** A reader changes nothing: tables of an older version are put in the place of today's for the one statement. */
function inPlaceOfOlder(database: Database): string {
  using today = emptyTables();
  const older = selectsOfOlder(database, today);
  return older === null ? "" : `with requests as (${older.requests}), attempts as (${older.attempts})`;
}
