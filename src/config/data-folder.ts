// The data folder: created and made private, and refused if its files do not belong together.
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readRequests } from "../gateway/ledger/read.ts";
import { listKeys } from "../store/keys.ts";
import { readSetting } from "../store/settings.ts";
import type { Store } from "../store/store.ts";
import { adminSetting } from "./secrets.ts";

const folderMode = 0o700;
const fileMode = 0o600;
/** Files that the process creates are private to its user. */
const privateMask = 0o077;

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause ? String(cause.code) : "unknown reason";

/** Removes permissions of other users from the folder and its files. False if another user owns them. */
function tighten(folder: string): boolean {
  try {
    chmodSync(folder, folderMode);
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      chmodSync(join(folder, entry.name), entry.isDirectory() ? folderMode : fileMode);
    return true;
  } catch (cause) {
    // A socket or a temporary file may have been deleted meanwhile.
    if (codeOf(cause) === "EPERM" || codeOf(cause) === "ENOENT") return false;
    throw cause;
  }
}

/** Creates the data folder. Throws an Error with one sentence if it cannot be used. The warnings are for the log. */
export function prepareDataFolder(folder: string): readonly string[] {
  process.umask(privateMask);
  try {
    mkdirSync(folder, { recursive: true, mode: folderMode });
    writeFileSync(join(folder, ".writable"), "");
    return tighten(folder)
      ? []
      : [`The permissions of ${folder} could not be changed, so other users may be able to read it.`];
  } catch (cause) {
    throw new Error(
      `The data folder ${folder} is not writable (${codeOf(cause)}). Set TURNPIKE_DATA to a writable folder.`,
      { cause },
    );
  }
}

/**
 * Refuses an empty database next to a ledger with requests, because the keys of the installation must have been lost.
 */
export async function refuseEmptiedStore(store: Store, dataFolder: string): Promise<void> {
  if (store.engine !== "sqlite") return;
  const isNew = (await readSetting(store, adminSetting)) === undefined && (await listKeys(store)).length === 0;
  if (!isNew || readRequests(dataFolder, { limit: 1 }).length === 0) return;
  throw new Error(
    `The database turnpike.db in ${dataFolder} is empty, but ledger.db has requests. ` +
      "Restore turnpike.db from a backup, or move ledger.db away to start a new installation.",
  );
}
