// The catalog: an immutable snapshot of providers and routes. A request keeps the snapshot that it began with.
import type { Operation } from "../../canonical/operation.ts";
import type { Provider } from "../../providers/provider.ts";
import type { Timeouts } from "../../providers/timeouts.ts";

/** A provider, under one of its credentials, and its own name for the model. */
export interface Candidate {
  readonly provider: Provider;
  readonly model: string;
  /** Voices of this model by the names that clients give them; absent: those of its provider. */
  readonly voices?: Voices;
  /** Candidates of a lower tier come first. Absent: 1. */
  readonly tier?: number;
  /** Its share where requests are spread. Absent: 1. */
  readonly weight?: number;
  /** What its model accepts. Absent: what the provider declares of its models. */
  readonly supports?: Supports;
  /** Asked only after a failure of this kind. Absent: in its turn. */
  readonly after?: FallbackCause;
  /** In place of the provider's. */
  readonly timeouts?: Partial<Timeouts>;
}

/** What a model accepts; a member that is absent is not known and refuses nothing. */
export interface Supports {
  readonly images?: boolean;
  readonly tools?: boolean;
  readonly jsonSchema?: boolean;
  readonly maxInputTokens?: number;
  readonly maxOutputTokens?: number;
}

/** What a request needs of the model that answers it. */
export interface RequestNeeds {
  readonly images: boolean;
  readonly tools: boolean;
  readonly jsonSchema: boolean;
  /** An estimate, without reserve. */
  readonly inputTokens: number;
  /** 0 where the client sets no bound. */
  readonly outputTokens: number;
}

/** `error`: no candidate before it answered. The others: the request was too long, or its content was refused. */
export type FallbackCause = "error" | "context_length" | "content_refusal";

/** The provider's own name of each voice. */
export type Voices = Readonly<Record<string, string>>;

/** How requests of a route wait that are refused for now. */
export interface WaitingRule {
  /** How many may wait at one time. */
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
}

/** How candidates of one tier are put in order. */
export type Strategy = "ordered" | "weighted" | "least_busy" | "fastest" | "cheapest";

/** A model name of ours and its candidates. */
export interface Route {
  readonly name: string;
  readonly candidates: readonly Candidate[];
  /** Declared to moderate, though its models do other things too. */
  readonly moderates?: true;
  /** A candidate uses the model name of the client. */
  readonly isOpen?: true;
  /** Absent: in the order in which they are written. */
  readonly strategy?: Strategy;
  /** Of requests on a `fastest` route, the share from 0 to 1 that measures another candidate. */
  readonly explorationShare?: number;
  /** How long a conversation stays where it was answered last. Absent: not at all. */
  readonly affinityMs?: number;
  /** How often a candidate is tried again before the next one. Absent: not at all. */
  readonly repeats?: number;
  /** Requests may wait in place of 429 or 503. Absent: they do not. */
  readonly waiting?: WaitingRule;
  /** In place of those of its providers. */
  readonly timeouts?: RouteTimeouts;
  /** For single operations, in place of these. */
  readonly operations?: OperationTimeouts;
}

/** `totalMs`: from the arrival of a request to its response, or to the first event of its stream. */
export interface RouteTimeouts extends Partial<Timeouts> {
  readonly totalMs?: number;
}

export type OperationTimeouts = { readonly [operation in Operation]?: RouteTimeouts };

export interface Catalog {
  readonly version: number;
  /** In the order of the configuration. */
  readonly providers: readonly Provider[];
  /** By name and by alias. */
  readonly routes: ReadonlyMap<string, Route>;
  /** Routes whose name is a pattern, the most specific first. Absent: none. */
  readonly patterns?: readonly RoutePattern[];
}

export interface RoutePattern {
  readonly matches: (model: string) => boolean;
  readonly route: Route;
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
