// One query over every ledger file of a data folder, for readers that change nothing.
import { Database, type SQLQueryBindings } from "bun:sqlite";
import { ledgerPaths } from "./files.ts";
import { hasTable, selectsOfOlder } from "./older-files.ts";
import { emptyTables } from "./schema.ts";

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
  if (!hasTable(database, "entries")) return "";
  using today = emptyTables();
  const older = selectsOfOlder(database, today);
  return older === null ? "" : `with requests as (${older.requests}), attempts as (${older.attempts})`;
}
