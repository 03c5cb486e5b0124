// The files of the ledger in a data folder: the one that is written, others in the folder, and the lock of the process that writes.
import { Database } from "bun:sqlite";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

export function ledgerPath(dataFolder: string): string {
  return join(dataFolder, "ledger.db");
}

const otherFile = /^ledger-.+\.db$/;

/**
 * All ledgers in the folder, the one that is written first: files that were moved aside as `ledger-2026-01.db`, or that other
 * instances wrote.
 */
export function ledgerPaths(dataFolder: string): string[] {
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
