// Serves the catalog and the prices of the file, the environment and the store. A change takes effect at once here, and
// within a second in other instances.
import { entryConflict } from "../admin/entry-faults.ts";
import type { DefinedEntry, LiveCatalog } from "../admin/live-catalog.ts";
import { openedProvider, readEntry, type Sealer } from "../admin/stored-entries.ts";
import {
  type BuiltCatalog,
  createCatalogBuilder,
  type DeclaredCatalog,
  type StoredConfig,
} from "../config/catalog-builder.ts";
import type { ReadConfig } from "../config/file.ts";
import type { CostEntry, PriceEntry } from "../config/price-schema.ts";
import { ownAddress } from "../config/self-reference.ts";
import type { Prices } from "../gateway/prices/prices.ts";
import { type Catalog, type CatalogHolder, catalogHolder } from "../gateway/routing/catalog.ts";
import type { JsonObject } from "../lib/json.ts";
import type { Provider } from "../providers/provider.ts";
import { type CatalogEntry, type CatalogKind, catalogVersion, listCatalog } from "../store/catalog.ts";
import type { Store } from "../store/store.ts";
import type { Events } from "../telemetry/events.ts";

interface LiveCatalogParts {
  readonly declared: DeclaredCatalog;
  /** Where this gateway is reached: a stored provider there would send requests in circles. Absent where nothing is served. */
  readonly own?: Parameters<typeof ownAddress>[0];
  readonly store: Store;
  readonly sealer: Sealer;
  readonly events: Pick<Events, "backgroundTaskFailed">;
}

export interface ServedCatalog extends LiveCatalog {
  readonly holder: CatalogHolder;
  prices(): Prices;
  /** Providers that would be new if this was declared. */
  newProviders(declared: DeclaredCatalog): readonly Provider[];
  /** Serves what is declared now, with the stored entries that were read last. */
  declare(declared: DeclaredCatalog): void;
  close(): void;
}

const pollMs = 1_000;

type Failed = (cause: unknown) => void;

/** Entries that cannot be decrypted are left out: the others are served. */
function storedConfig(rows: readonly CatalogEntry[], sealer: Sealer, failed: Failed): StoredConfig {
  const [providers, models]: [Record<string, JsonObject>, Record<string, JsonObject>] = [{}, {}];
  const prices: StoredConfig["prices"][number][] = [];
  for (const row of rows) {
    try {
      const entry = readEntry(row);
      if (row.kind === "provider") providers[row.name] = openedProvider(row.name, entry, sealer);
      else if (row.kind === "route") models[row.name] = entry.config;
      else {
        const { book, ...config } = entry.config;
        const of = book === "price" ? "price" : "cost";
        prices.push({ id: row.name, book: of, entry: config as unknown as CostEntry | PriceEntry });
      }
    } catch (cause) {
      failed(cause);
    }
  }
  return { providers, models, prices };
}

const secretMembers = [
  "credential",
  "credentials",
  "service_account",
  "access_key_id",
  "secret_access_key",
  "session_token",
];

function withoutSecrets(config: object): JsonObject {
  const open = Object.entries(config).filter(([name]) => !secretMembers.includes(name) && name !== "headers");
  const shown = JSON.parse(JSON.stringify(Object.fromEntries(open))) as JsonObject;
  return typeof shown.proxy === "string" ? { ...shown, proxy: withoutPassword(shown.proxy) } : shown;
}

function withoutPassword(text: string): string {
  const url = URL.parse(text);
  return url === null ? "" : `${url.protocol}//${url.host}`;
}

/** Undefined for an in-process provider. */
const baseUrlOf = ({ dispatch }: Provider): string | undefined =>
  dispatch.form === "http" ? dispatch.baseUrl : undefined;

function definedProviders(file: ReadConfig, current: readonly Provider[], stored: ReadonlySet<string>): DefinedEntry[] {
  const declared = file.config.providers ?? {};
  return current.flatMap((provider): DefinedEntry[] => {
    const { name } = provider.entry;
    const own = declared[name];
    if (own !== undefined)
      return [{ id: name, source: "file", line: file.lineAt(["providers", name]), config: withoutSecrets(own) }];
    if (stored.has(name)) return [];
    const baseUrl = baseUrlOf(provider);
    const config: JsonObject = { kind: provider.kind.name, ...(baseUrl === undefined ? {} : { base_url: baseUrl }) };
    const source = baseUrl === undefined ? "built_in" : "environment";
    return [{ id: name, source, config }];
  });
}

function definedIn(file: ReadConfig, kind: CatalogKind): DefinedEntry[] {
  const { models = {}, prices: { cost = [], price = [] } = {} } = file.config;
  const entry = (id: string, config: object, path: readonly string[]): DefinedEntry => ({
    ...{ id, source: "file", line: file.lineAt([...path]), config: withoutSecrets(config) },
  });
  if (kind === "route") return Object.entries(models).map(([id, config]) => entry(id, config, ["models", id]));
  const ofBook = (book: "cost" | "price", entries: readonly object[]): DefinedEntry[] =>
    entries.map((config, at) => entry(`file:${book}:${at}`, { ...config, book }, ["prices", book, String(at)]));
  return [...ofBook("cost", cost), ...ofBook("price", price)];
}

const newIn = ({ providers }: Catalog, { catalog }: BuiltCatalog): readonly Provider[] =>
  providers.filter((provider) => !catalog.providers.includes(provider));

/** Servers that were found on this machine. */
const discoveredIn = (current: Catalog, built: BuiltCatalog): DefinedEntry[] =>
  newIn(current, built).map(({ entry, kind: { name } }) => ({
    ...{ id: entry.name, source: "discovered", config: { kind: name } },
  }));

/** Those of the file and of variables were looked at before the start. */
function ownProviders({ providers }: Catalog, { config, providerNames }: ReadConfig, own: LiveCatalogParts["own"]) {
  const isOwn = own === undefined ? () => false : ownAddress(own, config.public_url);
  const isWrong = (provider: Provider): boolean =>
    !providerNames.includes(provider.entry.name) && isOwn(baseUrlOf(provider) ?? "");
  return providers.filter(isWrong).map(({ entry: { name } }) => ({
    path: ["providers", name, "base_url"],
    problem: "is the address of this gateway",
  }));
}

/** Reads the store once, then follows its changes. */
export async function openLiveCatalog(parts: LiveCatalogParts): Promise<ServedCatalog> {
  const { store, sealer, events } = parts;
  let { declared } = parts;
  const failed: Failed = (cause) => events.backgroundTaskFailed("catalog", cause);
  const builder = createCatalogBuilder();
  const builtFrom = (rows: readonly CatalogEntry[], given = declared): BuiltCatalog => {
    const built = builder.build(given, storedConfig(rows, sealer, failed));
    return { ...built, faults: [...built.faults, ...ownProviders(built.catalog, given.file, parts.own)] };
  };
  let version = await catalogVersion(store);
  let rows = await listCatalog(store);
  let built = builtFrom(rows);
  const holder = catalogHolder(built.catalog);
  const serve = (): void => {
    const found = newIn(holder.current(), built);
    built = builtFrom(rows);
    // Servers that were found on this machine stay.
    holder.replace({ ...built.catalog, providers: [...found, ...built.catalog.providers] });
    for (const { path, problem } of built.faults) failed(new Error(`${path.join(".")}: ${problem}`));
  };
  const load = async (): Promise<void> => {
    version = await catalogVersion(store);
    rows = await listCatalog(store);
    serve();
  };
  let last: Promise<void> = Promise.resolve();
  // One at a time, so that an older state never replaces a newer one.
  const refresh = (): Promise<void> => {
    last = last.catch(() => undefined).then(load);
    return last;
  };
  const follow = async (): Promise<void> => {
    if ((await catalogVersion(store)) !== version) await refresh();
  };
  const timer = setInterval(() => void follow().catch(failed), pollMs);
  timer.unref();
  return {
    holder,
    current: holder.current,
    prices: () => built.prices,
    newProviders: (given) => newIn(builtFrom(rows, given).catalog, built),
    declare(given) {
      declared = given;
      serve();
    },
    defined(kind) {
      const { file } = declared;
      if (kind !== "provider") return definedIn(file, kind);
      const stored = new Set(rows.filter((row) => row.kind === "provider").map(({ name }) => name));
      return [...definedProviders(file, built.catalog.providers, stored), ...discoveredIn(holder.current(), built)];
    },
    async check(inside) {
      const next = builtFrom(await listCatalog(inside));
      const conflict = entryConflict(built.faults, next.faults);
      if (conflict !== null) throw conflict;
    },
    refresh,
    close: () => clearInterval(timer),
  };
}
