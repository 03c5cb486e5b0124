// What commands about models need: the catalog that the gateway would use, and the lists of its providers.
import { readConfiguration } from "../config/configuration.ts";
import { readSettings, type Settings } from "../config/environment.ts";
import type { ReadConfig } from "../config/file.ts";
import { buildCatalog } from "../config/providers.ts";
import type { Catalog } from "../gateway/routing/catalog.ts";
import { createModelLists, type ModelLists } from "../gateway/routing/model-lists.ts";
import { systemClock } from "../lib/clock.ts";

export interface OpenedCatalog {
  readonly settings: Settings;
  readonly file: ReadConfig;
  readonly catalog: Catalog;
  readonly listings: ModelLists;
  /** Providers whose list was requested without success. */
  readonly unread: ReadonlySet<string>;
}

const listTimeoutMs = 10_000;

/** Nothing is sent: only models that the configuration declares are listed. */
function withoutLists(catalog: Catalog): Catalog {
  return { ...catalog, providers: catalog.providers.map((provider) => ({ ...provider, list: {} })) };
}

/** Reads the configuration and, unless it is `offline`, the providers' lists. Throws with every fault of the configuration. */
export async function openCatalog(offline: boolean): Promise<OpenedCatalog> {
  const settings = readSettings(process.env, process.cwd());
  const { file } = readConfiguration(settings);
  const built = buildCatalog(file, settings.environment);
  const catalog = offline ? withoutLists(built) : built;
  const unread = new Set<string>();
  const listings = createModelLists(systemClock, (provider) => void unread.add(provider));
  if (!offline) await listings.refreshAll(catalog.providers, listTimeoutMs);
  return { settings, file, catalog, listings, unread };
}
