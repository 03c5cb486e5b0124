// Explains the routing of a model: which providers would be called in which order, and why others would not. Not used
// for requests.
import type { Operation } from "../../canonical/operation.ts";
import { type Provider, type ProviderLimits, serves } from "../../providers/provider.ts";
import type { Candidate, Catalog, FallbackCause, Route, Strategy, Supports } from "./catalog.ts";
import { classOf, supportsOf } from "./compiled-route.ts";
import type { ModelListState } from "./model-lists.ts";
import { type Found, lookUp } from "./resolve.ts";

/** A candidate that receives a request if all before it fail. */
export interface RoutedCandidate {
  readonly provider: string;
  readonly model: string;
  /** The dialects of the candidate, in the order of its provider. */
  readonly dialects: readonly string[];
  /** Null where its provider has only one. */
  readonly credential: string | null;
  readonly tier: number;
  readonly weight: number;
  /** Only after a failure of this kind; null in its turn. */
  readonly after: FallbackCause | null;
  /** What is declared about the model; a request that needs more is not sent to it. */
  readonly supports: Supports;
  /** Those of its provider, then those of its credential. */
  readonly limits: readonly ProviderLimits[];
}

/** The route of a name, which may be an alias or match a pattern. */
export interface ExplainedRoute {
  readonly name: string;
  readonly strategy: Strategy;
  readonly aliases: readonly string[];
  /** How long a conversation stays with its candidate; 0: not at all. */
  readonly affinityMs: number;
  readonly repeats: number;
}

/** A provider that is not called, with its name of the model; null if it has none. */
export interface SkippedCandidate {
  readonly provider: string;
  readonly model: string | null;
  readonly reason: string;
}

export interface RouteExplanation {
  /** How the name was found; null for an unknown name. */
  readonly found: Found | null;
  /** Null for a name that is not of a route. */
  readonly route: ExplainedRoute | null;
  readonly candidates: readonly RoutedCandidate[];
  readonly skipped: readonly SkippedCandidate[];
}

type ListingOf = (provider: Provider) => ModelListState;

function dialectNames({ provider, model }: Candidate, operation: Operation): string[] {
  const { kind } = provider;
  const able = kind.dialects.filter((dialect) => kind.supports?.(dialect, model) ?? true);
  return able.filter((dialect) => dialect.operation === operation).map(({ name }) => name);
}

/** Why a provider that the lookup did not return is not called. */
function skipReason(found: Found | null, listing: ModelListState): string {
  if (found === "route") return "The route does not name it.";
  if (found === "prefix") return "The name before the slash is another provider's.";
  if (listing.models !== null) return "Its models do not include this name.";
  return found === "listed"
    ? "Its model list is not available, and another provider lists this name."
    : "Its model list is not available, and it does not serve this operation.";
}

function explained({ routes }: Catalog, route: Route): ExplainedRoute {
  const { name, strategy = "ordered", affinityMs = 0, repeats = 0 } = route;
  const aliases = [...routes].filter(([alias, each]) => each === route && alias !== name).map(([alias]) => alias);
  return { name, strategy, aliases, affinityMs, repeats };
}

function explainedCandidate(candidate: Candidate, operation: Operation): RoutedCandidate {
  const { provider, model, tier = 1, weight = 1, after = null } = candidate;
  const { name, credentialName = null, credentialWeight = 1, limits, credentialLimits } = provider.entry;
  return {
    provider: name,
    model,
    dialects: dialectNames(candidate, operation),
    credential: credentialName,
    tier,
    weight: weight * credentialWeight,
    after,
    supports: supportsOf(candidate),
    limits: [limits, credentialLimits].filter((each) => each !== undefined),
  };
}

/** Looks the model up like a request. */
export function explainRoute(
  catalog: Catalog,
  listingOf: ListingOf,
  model: string,
  operation: Operation,
): RouteExplanation {
  const plan = lookUp(catalog, listingOf, model, operation);
  const candidates = (plan?.candidates ?? []).toSorted((one, other) => classOf(one) - classOf(other));
  const isAble = ({ provider, model: own }: Candidate): boolean => serves(provider, operation, own);
  const named = new Set(candidates.map(({ provider }) => provider.entry.name));
  const unable = candidates
    .filter((candidate) => !isAble(candidate))
    .map(({ provider, model: own }) => ({
      provider: provider.entry.name,
      model: own,
      reason: `It does not serve the operation '${operation}' with this model.`,
    }));
  const others = catalog.providers
    .filter(({ entry }) => !named.has(entry.name))
    .map((provider) => ({
      provider: provider.entry.name,
      model: null,
      reason: skipReason(plan?.found ?? null, listingOf(provider)),
    }));
  return {
    found: plan?.found ?? null,
    route: plan?.route === undefined ? null : explained(catalog, plan.route),
    candidates: candidates.filter(isAble).map((candidate) => explainedCandidate(candidate, operation)),
    skipped: [...unable, ...others],
  };
}
