// What commands need to use the store: the settings, the store, the pepper.
import { existsSync } from "node:fs";
import { readSettings, type Settings } from "../config/environment.ts";
import { openRoot, pepperOf, readExistingSecret } from "../config/secrets.ts";
import type { Secret } from "../lib/secret.ts";
import { openStore, type Store } from "../store/store.ts";

export interface Opened {
  readonly settings: Settings;
  readonly store: Store;
  /** The root secret of the installation's keys. */
  readonly root: Secret;
  readonly pepper: Uint8Array;
}

/** A command in the wrong folder must not create a second installation. */
function requireInstallation({ databaseUrl, dataFolder }: Settings): void {
  if (databaseUrl !== undefined || existsSync(dataFolder)) return;
  throw new Error(
    `The data folder ${dataFolder} does not exist. Start the gateway first, or set TURNPIKE_DATA to its data folder.`,
  );
}

/** Opens the store for a task and closes it afterwards. Throws if the secret does not match the store. */
export async function withStore(work: (opened: Opened) => Promise<void>): Promise<void> {
  const settings = readSettings(process.env, process.cwd());
  requireInstallation(settings);
  const secret = readExistingSecret(settings);
  const store = await openStore({ dataFolder: settings.dataFolder, databaseUrl: settings.databaseUrl });
  try {
    const root = await openRoot(store, secret);
    await work({ settings, store, root, pepper: pepperOf(root) });
  } finally {
    await store.close();
  }
}
