// Checks the ledger's file before it is opened, so that damage is detected at the start and not in a bill.
import { Database } from "bun:sqlite";
import { existsSync, statSync } from "node:fs";
import { createThread } from "../../lib/thread.ts";
import { workerAddress } from "../../lib/worker.ts";
import { ledgerPath } from "./files.ts";

/** Up to this size the check takes less time than starting a thread. */
const inPlaceBytes = 4 * 1024 * 1024;

/** What is wrong with the file; null if nothing is. Uses its own connection, which writes nothing. */
export function faultIn(path: string): string | null {
  try {
    using database = new Database(path, { readwrite: true });
    database.run("pragma query_only = 1");
    database.run("pragma busy_timeout = 2000");
    const rows = database.query("pragma quick_check(1)").values();
    const found = String(rows[0]?.[0] ?? "no answer");
    return found === "ok" ? null : found.replace(/^\*\*\*.*\n/, "").replaceAll(/\s+/g, " ");
  } catch (cause) {
    return String(Object(cause).message ?? cause);
  }
}

function damaged(path: string, fault: string): Error {
  return new Error(
    `The ledger ${path} is damaged (${fault.slice(0, 200)}). Restore it from a backup, or move it away ` +
      "together with ledger.db-wal and ledger.db-shm to begin with an empty one.",
  );
}

/**
 * Throws an Error with one sentence for a damaged file. A large file is checked in a thread for at most `timeoutMs`;
 * what is found later is passed to `later`.
 */
export async function checkLedger(
  dataFolder: string,
  timeoutMs: number,
  later: (damage: Error) => void,
): Promise<void> {
  const path = ledgerPath(dataFolder);
  if (!existsSync(path)) return;
  if (statSync(path).size <= inPlaceBytes) {
    const fault = faultIn(path);
    if (fault !== null) throw damaged(path, fault);
    return;
  }
  const thread = createThread<string, string | null>(() =>
    workerAddress("gateway/ledger/integrity-worker.ts", import.meta),
  );
  const looked = thread.run(path).then(({ result }) => (result === null ? null : damaged(path, result)));
  const late = Promise.withResolvers<"late">();
  const timer = setTimeout(() => late.resolve("late"), timeoutMs);
  const damage = await Promise.race([looked, late.promise]);
  clearTimeout(timer);
  if (damage === "late") void looked.then((found) => found !== null && later(found), later).finally(thread.close);
  else thread.close();
  if (damage instanceof Error) throw damage;
}
