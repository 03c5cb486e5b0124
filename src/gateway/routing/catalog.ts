// The catalog: an immutable snapshot of providers and routes. A request uses one snapshot from start to end.
import type { Provider, Timeouts } from "../../providers/provider.ts";

/** A provider, with one of its credentials, and its own name for the model. */
export interface Candidate {
  readonly provider: Provider;
  readonly model: string;
  /** Voices of this model by the names that clients use; absent: those of its provider. */
  readonly voices?: Voices;
  /** Candidates of a lower tier are called first. Absent: 1. */
  readonly tier?: number;
  /** Its share if requests are distributed. Absent: 1. */
  readonly weight?: number;
  /** What its model supports. Absent: the declaration of the provider. */
  readonly supports?: Supports;
  /** Called only after a failure of this kind. Absent: in its turn. */
  readonly after?: FallbackCause;
  /** Replaces the provider's. */
  readonly timeouts?: Partial<Timeouts>;
}

/** What a model supports; an absent member is unknown and refuses nothing. */
export interface Supports {
  readonly images?: boolean;
  readonly tools?: boolean;
  readonly jsonSchema?: boolean;
  readonly maxInputTokens?: number;
  readonly maxOutputTokens?: number;
}

/** `error`: all candidates before it failed. The others: the request was too long, or its content was refused. */
export type FallbackCause = "error" | "context_length" | "content_refusal";

/** The provider's own name of each voice. */
export type Voices = Readonly<Record<string, string>>;

/** How candidates of one tier are ordered. */
export type Strategy = "ordered" | "weighted" | "least_busy" | "fastest" | "cheapest";

/** A configured model name and its candidates. */
export interface Route {
  readonly name: string;
  readonly candidates: readonly Candidate[];
  /** Declared for moderation, though its models support other operations too. */
  readonly moderates?: true;
  /** A candidate is called with the model that the client named. */
  readonly isOpen?: true;
  /** Absent: in the configured order. */
  readonly strategy?: Strategy;
  /** The share of requests on a `fastest` route, from 0 to 1, that measures another candidate. */
  readonly explorationShare?: number;
  /** How long a conversation stays with the upstream that answered it last. Absent: not at all. */
  readonly affinityMs?: number;
  /** How often a candidate is called again before the next one. Absent: not at all. */
  readonly repeats?: number;
  /** From the arrival of a request to its response, or to the first event of its stream. */
  readonly totalMs?: number;
}

export interface Catalog {
  readonly version: number;
  /** In the order of the configuration. */
  readonly providers: readonly Provider[];
  /** By name and by alias. */
  readonly routes: ReadonlyMap<string, Route>;
  /** Routes with a pattern as name, the most specific first. Absent: none. */
  readonly patterns?: readonly RoutePattern[];
}

export interface RoutePattern {
  readonly matches: (model: string) => boolean;
  readonly route: Route;
}

/** Holds the reference that is replaced when the catalog changes. */
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
