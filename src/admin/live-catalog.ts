// The catalog as the admin API sees it: what is served now, what it is made of, and whether a change of it can be served.
import type { Catalog } from "../gateway/routing/catalog.ts";
import type { JsonObject } from "../lib/json.ts";
import type { CatalogKind } from "../store/catalog.ts";
import type { Store } from "../store/store.ts";

/** Where an entry is from. Only those of the API can be changed there. */
export type EntrySource = "api" | "file" | "environment" | "built_in" | "discovered";

export interface DefinedEntry {
  readonly id: string;
  readonly source: EntrySource;
  /** As in the configuration file, without secrets. */
  readonly config: JsonObject;
}

export interface LiveCatalog {
  current(): Catalog;
  /** Entries that are not stored. */
  defined(kind: CatalogKind): readonly DefinedEntry[];
  /** Throws the 400 of a change that adds a fault; `store` is that of its transaction. */
  check(store: Store): Promise<void>;
  /** Serves what is stored now. */
  refresh(): Promise<void>;
}
