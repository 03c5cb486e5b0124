// Builds the catalog from the file, the environment and the stored entries: an immutable snapshot for each change.
import type { Prices } from "../gateway/prices/prices.ts";
import type { Catalog } from "../gateway/routing/catalog.ts";
import type { Provider } from "../providers/provider.ts";
import { checkSchema, type Path, type SchemaFault } from "./check-schema.ts";
import { ConfigFault, type FaultList } from "./faults.ts";
import type { ReadConfig } from "./file.ts";
import { type StoredPrice, withStoredPrices } from "./prices.ts";
import { buildCatalog, type ProviderCache } from "./providers.ts";

/** Entries written through the admin API. */
export interface StoredConfig {
  readonly providers: Readonly<Record<string, unknown>>;
  readonly models: Readonly<Record<string, unknown>>;
  readonly prices: readonly StoredPrice[];
}

export interface BuiltCatalog {
  readonly catalog: Catalog;
  readonly prices: Prices;
  /** Faults of stored entries, which are left out. */
  readonly faults: readonly SchemaFault[];
}

/** What the file and the environment declare. */
export interface DeclaredCatalog {
  readonly file: ReadConfig;
  /** Of the file, and those that are shipped. */
  readonly prices: Prices;
}

interface CatalogBuilder {
  build(declared: DeclaredCatalog, stored: StoredConfig): BuiltCatalog;
}

class StoredFault extends ConfigFault {
  readonly path: Path;
  readonly problem: string;

  constructor(path: Path, problem: string) {
    super(`${path.join(".")}: ${problem}.`);
    this.path = path;
    this.problem = problem;
  }
}

function gathering(found: SchemaFault[]): FaultList {
  const add = (fault: ConfigFault): void => {
    if (fault instanceof StoredFault) found.push({ path: fault.path, problem: fault.problem });
  };
  return {
    add,
    attempt(check) {
      try {
        return check();
      } catch (thrown) {
        if (!(thrown instanceof ConfigFault)) throw thrown;
        add(thrown);
        return undefined;
      }
    },
    any: () => found.length > 0,
    throwIfAny: () => undefined,
  };
}

/** Providers by their configuration, for as long as anything uses them. */
function createCache(): ProviderCache {
  const made = new Map<string, WeakRef<Provider>>();
  return (configuration, make) => {
    const found = made.get(configuration)?.deref();
    if (found !== undefined) return found;
    for (const [key, provider] of made) if (provider.deref() === undefined) made.delete(key);
    const provider = make();
    made.set(configuration, new WeakRef(provider));
    return provider;
  };
}

/** Those of the file first, with its values. */
const inOrder = <Entry>(
  file: Readonly<Record<string, Entry>> | undefined,
  stored: Readonly<Record<string, Entry>> | undefined,
): Record<string, Entry> => ({ ...file, ...stored, ...file });

/** The file takes precedence over a stored entry of the same name. A provider whose configuration did not change stays the same one. */
export function createCatalogBuilder(): CatalogBuilder {
  const cache = createCache();
  let version = 0;
  return {
    build({ file, prices }, stored) {
      const { config, faults: shapeFaults } = checkSchema({
        providers: structuredClone(stored.providers),
        models: structuredClone(stored.models),
      });
      const faults = [...shapeFaults];
      const merged: ReadConfig = {
        ...file,
        config: {
          ...file.config,
          ...{ providers: inOrder(file.config.providers, config.providers) },
          ...{ models: inOrder(file.config.models, config.models) },
        },
        providerNames: [...new Set([...file.providerNames, ...Object.keys(config.providers ?? {})])],
        faults: gathering(faults),
        fault: (path, problem) => new StoredFault(path, problem),
      };
      const catalog = { ...buildCatalog(merged, cache), version: ++version };
      const report = (path: Path, problem: string): void => void faults.push({ path, problem });
      return { catalog, prices: withStoredPrices(prices, stored.prices, report), faults };
    },
  };
}
