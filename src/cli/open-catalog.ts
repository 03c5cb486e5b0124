// The catalog for commands about models: as the gateway would use it, with its providers' lists.
import { createSealer } from "../admin/stored-entries.ts";
import { openLiveCatalog } from "../app/live-catalog.ts";
import { type Configuration, readConfiguration } from "../config/configuration.ts";
import { readSettings, type Settings } from "../config/environment.ts";
import type { ReadConfig } from "../config/file.ts";
import { buildCatalog } from "../config/providers.ts";
import { credentialKeyOf, readExistingSecret, readRoot } from "../config/secrets.ts";
import type { Prices } from "../gateway/prices/prices.ts";
import type { Catalog } from "../gateway/routing/catalog.ts";
import { createModelLists, type ModelLists } from "../gateway/routing/model-lists.ts";
import { systemClock } from "../lib/clock.ts";
import { openStoreReadOnly, storeExists } from "../store/store.ts";

/** A catalog with the entries of the admin API, as far as they can be read. */
interface ServedEntries {
  readonly catalog: Catalog;
  readonly prices: Prices;
  /** Names of providers that are defined in the store. */
  readonly stored: ReadonlySet<string>;
  /** Sentences about entries that are missing. */
  readonly notes: readonly string[];
}

const textOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/**
 * The catalog of the file, the environment and the store, which is opened read-only. A shared database is not
 * contacted `offline`.
 */
export async function readServedEntries(
  settings: Settings,
  { file, prices }: Pick<Configuration, "file" | "prices">,
  offline: boolean,
): Promise<ServedEntries> {
  const { dataFolder, databaseUrl } = settings;
  const declared = buildCatalog(file);
  const none = (...notes: string[]): ServedEntries => ({ catalog: declared, prices, stored: new Set(), notes });
  if (databaseUrl === undefined ? !storeExists(dataFolder) : offline)
    return databaseUrl === undefined ? none() : none("Entries of the database are not included.");
  const store = openStoreReadOnly({ dataFolder, databaseUrl });
  try {
    const root = await readRoot(store, readExistingSecret(settings));
    if (root === null) return none("Entries of the database could not be read: TURNPIKE_SECRET does not match.");
    const sealer = createSealer(credentialKeyOf(root));
    const notes: string[] = [];
    const events = { backgroundTaskFailed: (_: string, cause: unknown): void => void notes.push(textOf(cause)) };
    const live = await openLiveCatalog({ declared: { file, prices }, store, sealer, events });
    live.close();
    const names = new Set(declared.providers.map(({ entry }) => entry.name));
    const providers = live.current().providers.map(({ entry }) => entry.name);
    return {
      catalog: live.current(),
      prices: live.prices(),
      stored: new Set(providers.filter((name) => !names.has(name))),
      notes,
    };
  } catch (thrown) {
    return none(`Entries of the database could not be read: ${textOf(thrown)}`);
  } finally {
    await store.close();
  }
}

export interface OpenedCatalog extends ServedEntries {
  readonly file: ReadConfig;
  readonly listings: ModelLists;
  /** Providers whose model list failed. */
  readonly unread: ReadonlySet<string>;
}

const listTimeoutMs = 10_000;

/** Sends no requests: only models that the configuration declares are listed. */
function withoutLists(lists: ModelLists): ModelLists {
  return { ...lists, now: (provider) => lists.now({ ...provider, list: {} }), supports: () => undefined };
}

/**
 * Reads the configuration and, unless `offline`, the providers' lists. Throws with every fault of the configuration.
 */
export async function openCatalog(offline: boolean): Promise<OpenedCatalog> {
  const settings = readSettings(process.env, process.cwd());
  const configuration = readConfiguration(settings);
  const { file } = configuration;
  const served = await readServedEntries(settings, configuration, offline);
  const { catalog } = served;
  const unread = new Set<string>();
  const lists = createModelLists(systemClock, (provider) => void unread.add(provider));
  if (!offline) await lists.refreshAll(catalog.providers, listTimeoutMs);
  return { ...served, file, listings: offline ? withoutLists(lists) : lists, unread };
}
