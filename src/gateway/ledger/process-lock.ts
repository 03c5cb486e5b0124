// One process for one ledger: a lock that the system itself lets go when its holder dies, however it dies.
import { Database } from "bun:sqlite";
import { join } from "node:path";

/** Lets the folder go. */
export type Unlock = () => void;

/**
 * Takes the data folder for this process; an Error with one sentence when another has it. The lock is a file
 * lock on an empty SQLite file: unlike a written process number it cannot be stale, and a number that the
 * system has given to somebody else, as containers do, cannot be mistaken for a holder.
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
