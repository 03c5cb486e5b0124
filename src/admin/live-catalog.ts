// The catalog for the admin API: what is served, its entries, and whether a change can be served.
import type { Catalog } from "../gateway/routing/catalog.ts";
import type { JsonObject } from "../lib/json.ts";
import type { CatalogKind } from "../store/catalog.ts";
import type { Store } from "../store/store.ts";

/** The source of an entry. Only entries of the API can be changed through it. */
type EntrySource = "api" | "file" | "environment" | "built_in" | "discovered";

export interface DefinedEntry {
  readonly id: string;
  readonly source: EntrySource;
  /** Its line in the configuration file; absent where it is not defined there. */
  readonly line?: number | undefined;
  /** As in the configuration file, without secrets. */
  readonly config: JsonObject;
}

export interface LiveCatalog {
  current(): Catalog;
  /** Entries that are not stored. */
  defined(kind: CatalogKind): readonly DefinedEntry[];
  /** Throws status 400 for a change that adds a fault; `store` is the one of its transaction. */
  check(store: Store): Promise<void>;
  /** Serves the stored state. */
  refresh(): Promise<void>;
}
