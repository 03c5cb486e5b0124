// The catalog: an immutable snapshot of providers and routes. A request keeps the snapshot that it began with.
import type { Provider } from "../../providers/provider.ts";

/** Somebody who may answer: a provider and its own name for the model. */
export interface Candidate {
  readonly provider: Provider;
  readonly model: string;
  /** Voices of this model by the names that clients give them; absent: those of its provider. */
  readonly voices?: Voices;
}

/** The provider's own name of each voice. */
export type Voices = Readonly<Record<string, string>>;

/** A model name of ours and who stands behind it, in the order in which they are tried. */
export interface Route {
  readonly name: string;
  readonly candidates: readonly Candidate[];
  /** Declared to moderate, though its models do other things too. */
  readonly moderates?: true;
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
