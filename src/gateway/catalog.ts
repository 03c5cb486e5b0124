// The catalog: an immutable snapshot of providers and routes. A request keeps the snapshot that it began with.
import type { Provider } from "../providers/provider.ts";

/** Somebody who may answer: a provider and its own name for the model. */
export interface Candidate {
  readonly provider: Provider;
  readonly model: string;
}

/** A model name of ours and who stands behind it, in the order in which they are tried. */
export interface Route {
  readonly name: string;
  readonly candidates: readonly Candidate[];
}

export interface Catalog {
  readonly version: number;
  /** In the order of the configuration. */
  readonly providers: readonly Provider[];
  readonly routes: ReadonlyMap<string, Route>;
}

/** Holds the one reference that is swapped when the catalog changes. */
export interface CatalogHolder {
  current(): Catalog;
  replace(catalog: Catalog): void;
}

export function catalogHolder(first: Catalog): CatalogHolder {
  let catalog = first;
  return {
    current: () => catalog,
    replace(next) {
      catalog = next;
    },
  };
}
