// Resolves a model name to its candidates, in order. Pure: a snapshot and the model lists in, a list out.
import { GatewayError } from "../../canonical/error.ts";
import type { Operation } from "../../canonical/operation.ts";
import { isImageModelName } from "../../providers/model-list.ts";
import { type Provider, serves } from "../../providers/provider.ts";
import type { Candidate, Catalog, Route } from "./catalog.ts";
import type { ModelListState } from "./model-lists.ts";

/** How a model name was resolved; only for the log. */
export type Found = "route" | "prefix" | "listed" | "unlisted";

export interface Plan {
  readonly found: Found;
  readonly candidates: readonly Candidate[];
  /** The route, if one names the model. */
  readonly route?: Route;
}

/**
 * The candidates of a route that support an operation: always the same list, so that values cached for it live as long
 * as the route.
 */
const servingByRoute = new WeakMap<readonly Candidate[], Map<Operation, readonly Candidate[]>>();

/** The candidates of a plan that support an operation. */
export function serving(
  { candidates, route }: Pick<Plan, "candidates" | "route">,
  operation: Operation,
): readonly Candidate[] {
  if (route === undefined) return candidates.filter((candidate) => doesWith(candidate, operation));
  const known = servingByRoute.get(candidates) ?? new Map<Operation, readonly Candidate[]>();
  const found = known.get(operation);
  if (found !== undefined) return found;
  const timeouts = { ...route.timeouts, ...route.operations?.[operation] };
  const hasTimeouts = Object.keys(timeouts).length > 0;
  const serves = candidates.filter((candidate) => doesWith(candidate, operation));
  const able = hasTimeouts ? serves.map((each) => ({ ...each, timeouts })) : serves;
  servingByRoute.set(candidates, known.set(operation, able));
  return able;
}

/** A model with every credential of its provider. */
const underEach = (provider: Provider, model: string): Candidate[] =>
  [provider, ...(provider.others ?? [])].map((each) => ({ provider: each, model }));

/** True where that provider does it with that very model. */
const doesWith = ({ provider, model }: Candidate, operation: Operation): boolean =>
  serves(provider, operation, model) && (operation !== "video" || isFirstCredential(provider));

/** Tasks are followed under the credential that the provider has first. */
const isFirstCredential = ({ entry, others }: Provider): boolean =>
  entry.credentialName === undefined || others !== undefined;

function byPrefix(catalog: Catalog, model: string): Candidate[] {
  const slash = model.indexOf("/");
  if (slash <= 0 || slash === model.length - 1) return [];
  const provider = catalog.providers.find((candidate) => candidate.entry.name === model.slice(0, slash));
  return provider === undefined ? [] : underEach(provider, model.slice(slash + 1));
}

function byList(listings: readonly ModelListState[], model: string): Candidate[] {
  const found: Candidate[] = [];
  for (const { ids, provider } of listings) if (ids.has(model)) found.push(...underEach(provider, model));
  return found;
}

/**
 * Providers without a readable list may have the model: calling them is better than refusing. Providers without the
 * operation certainly do not.
 */
function unlistedCandidates(listings: readonly ModelListState[], model: string, operation: Operation): Candidate[] {
  const able = listings.filter(({ provider }) => serves(provider, operation) || serves(provider, "chat"));
  return able.filter((listing) => listing.models === null).flatMap(({ provider }) => underEach(provider, model));
}

/**
 * Looks a model up as a route, then as `provider/model`, then in the providers' lists. `fallback` answers for a known
 * model whose own candidates cannot. Throws `model_not_found`, or `unsupported_parameter` if no candidate supports the
 * operation.
 */
export function resolve(
  catalog: Catalog,
  listingOf: (provider: Provider) => ModelListState,
  model: string,
  operation: Operation,
  fallback?: Provider,
): Plan {
  const plan = lookUp(catalog, listingOf, model, operation);
  if (plan === null)
    throw new GatewayError("model_not_found", `The model '${printable(model)}' does not exist or is not configured.`, {
      param: "model",
    });
  const candidates = serving(plan, operation);
  if (candidates.length > 0) return { ...plan, candidates };
  if (fallback !== undefined && serves(fallback, operation))
    return { ...plan, candidates: [{ provider: fallback, model }] };
  if (plan.candidates.length > 0 && plan.candidates.every(({ provider }) => provider.entry.isDisabled))
    throw new GatewayError("model_not_found", `Every provider of '${printable(model)}' is disabled.`, {
      param: "model",
    });
  throw new GatewayError(
    "unsupported_parameter",
    `No provider of '${printable(model)}' supports this operation (${operation}).`,
    {
      param: "model",
    },
  );
}

/**
 * Whether a candidate of the name generates images as an operation of its own, not as part of a chat. For a provider
 * with both, the model's name decides.
 */
export function servesImages(
  catalog: Catalog,
  listingOf: (provider: Provider) => ModelListState,
  model: string,
): boolean {
  const candidates = lookUp(catalog, listingOf, model, "image")?.candidates ?? [];
  return candidates.some(({ provider, model: own }) => {
    if (provider.entry.options.makesImages === true || !serves(provider, "image", own)) return false;
    return !serves(provider, "chat", own) || isImageModelName(own);
  });
}

const defaultName = "default";

/** `default` is the default model of the caller's project, if it has one and there is no such route. */
export function modelNamed(catalog: Catalog, model: string, { defaultModel }: DefaultModel): string {
  if (model !== defaultName || defaultModel === null || catalog.routes.has(defaultName)) return model;
  return defaultModel;
}

interface DefaultModel {
  readonly defaultModel: string | null;
}

/** All candidates of a model name, for any operation. */
export const candidatesOf = (
  catalog: Catalog,
  listingOf: (provider: Provider) => ModelListState,
  model: string,
): readonly Candidate[] => lookUp(catalog, listingOf, model, "chat")?.candidates ?? [];

/** Providers with a default model for an operation, the most certain first. */
function defaultCandidates(
  { providers }: Catalog,
  listingOf: (provider: Provider) => ModelListState,
  operation: Operation,
): { listed: Candidate | undefined; others: Candidate[] } {
  const usual = providers.flatMap((provider): Candidate[] => {
    const model = provider.kind.defaultModels?.[operation];
    return model === undefined ? [] : [{ provider, model }];
  });
  const unlisted = usual.filter(({ provider }) => listingOf(provider).models === null);
  const listed = usual.find(({ provider, model }) => listingOf(provider).ids.has(model));
  return { listed, others: [...unlisted, ...usual] };
}

/** The model of a provider that answers while no other provider is configured. */
function fallbackCandidate({ providers: [only, ...others] }: Catalog, operation: Operation): Candidate | null {
  const model = others.length === 0 ? only?.kind.fallbackModels?.[operation] : undefined;
  return only === undefined || model === undefined ? null : { provider: only, model };
}

/**
 * The candidates of a request without a model. `usual`, the default of its dialect, is looked up like a given name;
 * otherwise the first provider that lists a model for the operation is used, otherwise the first route declared for
 * it, otherwise a provider that may have one, otherwise the only provider, if it answers in place of all others.
 * Throws `missing_required_parameter` if there is none.
 */
export function resolveUnnamed(
  catalog: Catalog,
  listingOf: (provider: Provider) => ModelListState,
  usual: string,
  operation: Operation,
): Plan {
  const named = lookUp(catalog, listingOf, usual, operation);
  const able = named === null ? [] : serving(named, operation);
  if (named !== null && named.found !== "unlisted" && able.length > 0) return { ...named, candidates: able };
  const { listed, others } = defaultCandidates(catalog, listingOf, operation);
  if (listed !== undefined) return { found: "listed", candidates: [listed] };
  const route = [...catalog.routes.values()].find(({ moderates }) => operation === "moderate" && moderates);
  if (route !== undefined) return { found: "route", candidates: route.candidates, route };
  const [unlisted] = others;
  if (unlisted !== undefined) return { found: "unlisted", candidates: [unlisted] };
  const last = fallbackCandidate(catalog, operation);
  if (last !== null) return { found: "listed", candidates: [last] };
  const message = "Missing required parameter 'model': no default model is configured for this operation.";
  throw new GatewayError("missing_required_parameter", message, { param: "model" });
}

/** The route with this name or alias, otherwise the first whose pattern matches. */
export const routeOf = ({ routes, patterns }: Catalog, model: string): Route | undefined =>
  routes.get(model) ?? patterns?.find(({ matches }) => matches(model))?.route;

/** The candidates of a name, for any operation; null for an unknown name. */
export function lookUp(
  catalog: Catalog,
  listingOf: (provider: Provider) => ModelListState,
  model: string,
  operation: Operation,
): Plan | null {
  const route = routeOf(catalog, model);
  if (route !== undefined) return { found: "route", candidates: namedBy(route, model), route };
  const prefixed = byPrefix(catalog, model);
  if (prefixed.length > 0) return { found: "prefix", candidates: prefixed };
  const listings = catalog.providers.map(listingOf);
  const listed = byList(listings, model);
  if (listed.length > 0) return { found: "listed", candidates: listed };
  const unlisted = unlistedCandidates(listings, model, operation);
  return unlisted.length > 0 ? { found: "unlisted", candidates: unlisted } : null;
}

/** The names that clients used with a pattern, by route: the most recent ones. */
const namedByRoute = new WeakMap<Route, Map<string, readonly Candidate[]>>();
const maxNames = 1_000;

/** The candidates of a route; a model `*` is replaced by the name that the client used. */
function namedBy(route: Route, model: string): readonly Candidate[] {
  if (!route.isOpen) return route.candidates;
  const known = namedByRoute.get(route) ?? new Map<string, readonly Candidate[]>();
  const found = known.get(model);
  if (found !== undefined) return found;
  if (known.size >= maxNames) known.clear();
  const named = route.candidates.map((each) => (each.model === "*" ? { ...each, model } : each));
  namedByRoute.set(route, known.set(model, named));
  return named;
}

/** A model name from a client for a message: short, on one line. */
function printable(model: string): string {
  const line = model.replace(/[\u0000-\u001f\u007f]+/g, " ");
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}
