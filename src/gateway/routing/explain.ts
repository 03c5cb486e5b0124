// Explains the routing of a model: who would be called in which order and why, and why others would not. For the admin
// API and the command line; requests do not use it.
import { GatewayError } from "../../canonical/error.ts";
import type { Operation } from "../../canonical/operation.ts";
import { type Provider, type ProviderLimits, serves } from "../../providers/provider.ts";
import { concealerOf } from "../../providers/redaction.ts";
import { authorizeModel, permitsCandidate } from "../policy/access.ts";
import type { Caller } from "../policy/caller.ts";
import { type CandidatePrices, pricesPerMillion } from "../prices/per-million.ts";
import type { Prices } from "../prices/prices.ts";
import type { Candidate, Catalog, FallbackCause, RequestNeeds, Route, Strategy, Supports } from "./catalog.ts";
import { classOf, supportsOf } from "./compiled-route.ts";
import { placeReason, type Reason } from "./explain-reasons.ts";
import type { Health } from "./health.ts";
import type { ModelListState } from "./model-lists.ts";
import { type Found, lookUp, modelNamed, resolve, serving } from "./resolve.ts";
import type { RoutePreview, Router } from "./router.ts";
import { type MeasuredState, measuredState } from "./upstream-state.ts";

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
  /** Its share of the requests that come to its place; null where chance does not decide. */
  readonly share: number | null;
  /** Only after a failure of this kind; null in its turn. */
  readonly after: FallbackCause | null;
  /** What is known about the model; a request that needs more is not sent to it. */
  readonly supports: Supports;
  /** Which of it only the list of its provider contains. */
  readonly listed: readonly (keyof Supports)[];
  /** Those of its provider, then those of its credential. */
  readonly limits: readonly ProviderLimits[];
  /** Why it has its place. */
  readonly reason: Reason;
  /** Of its model, or of its credential where no route names it. */
  readonly state: MeasuredState;
  readonly prices: CandidatePrices;
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

/** A candidate that is not called, or a provider without the model, which is null. */
export interface SkippedCandidate {
  readonly provider: string;
  readonly model: string | null;
  readonly credential: string | null;
  readonly reason: Reason;
}

export interface RouteExplanation {
  /** The name that is looked up: the default model of the project for `default`. */
  readonly model: string;
  /** How the name was found; null for an unknown name. */
  readonly found: Found | null;
  /** Null for a name that is not of a route. */
  readonly route: ExplainedRoute | null;
  /** The error that a request would get now; null where candidates are called. */
  readonly refusal: GatewayError | null;
  readonly candidates: readonly RoutedCandidate[];
  readonly skipped: readonly SkippedCandidate[];
}

/** The state that orders depend on. */
export interface ExplainedParts {
  readonly catalog: Catalog;
  listingOf(provider: Provider): ModelListState;
  readonly router: { readonly health: Pick<Health, "modelOf" | "upstreamOf" | "nowMs">; preview: Router["preview"] };
  readonly prices: Prices;
  readonly nowMs: number;
}

interface ExplainedQuery {
  readonly model: string;
  readonly operation: Operation;
  /** Absent: a key that may do everything. */
  readonly caller?: Caller | undefined;
  readonly isStream?: boolean | undefined;
  readonly needs?: RequestNeeds | undefined;
}

const noNeeds: RequestNeeds = { images: false, tools: false, jsonSchema: false, inputTokens: 0, outputTokens: 0 };

const dialectNames = ({ provider: { kind }, model }: Candidate, operation: Operation): string[] =>
  kind.dialects
    .filter((dialect) => dialect.operation === operation && (kind.supports?.(dialect, model) ?? true))
    .map(({ name }) => name);

/** Why a provider that the lookup did not return is not called. */
function absentReason(found: Found | null, listing: ModelListState): Reason {
  if (found === "route") return { code: "not_in_route", text: "The route does not name it." };
  if (found === "prefix") return { code: "other_prefix", text: "The name before the slash is another provider's." };
  if (listing.models !== null) return { code: "not_listed", text: "Its models do not include this name." };
  const text =
    found === "listed"
      ? "Its model list is not available, and another provider lists this name."
      : "Its model list is not available, and it does not serve this operation.";
  return { code: "list_unavailable", text };
}

function explainedRoute({ routes }: Catalog, route: Route): ExplainedRoute {
  const { name, strategy = "ordered", affinityMs = 0, repeats = 0 } = route;
  const aliases = [...routes].filter(([alias, each]) => each === route && alias !== name).map(([alias]) => alias);
  return { name, strategy, aliases, affinityMs, repeats };
}

const weightOf = ({ weight = 1, provider: { entry } }: Candidate): number => weight * (entry.credentialWeight ?? 1);

/** Weights decide within a tier where they are the strategy, and among the credentials of one provider. */
function shareOf(candidate: Candidate, all: readonly Candidate[], strategy: Strategy): number | null {
  const isRival = (other: Candidate): boolean =>
    classOf(other) === classOf(candidate) &&
    (strategy === "weighted" ||
      (other.provider.entry.name === candidate.provider.entry.name && other.model === candidate.model));
  const rivals = strategy === "weighted" || strategy === "ordered" ? all.filter(isRival) : [];
  const sum = rivals.reduce((total, each) => total + weightOf(each), 0);
  return rivals.length < 2 || sum === 0 ? null : weightOf(candidate) / sum;
}

function skippedOf({ provider: { entry }, model }: Candidate, reason: Reason): SkippedCandidate {
  return { provider: entry.name, model, credential: entry.credentialName ?? null, reason };
}

/** The error of the caller's rules; null without one. */
function refusedName({ model, operation, caller }: ExplainedQuery): GatewayError | null {
  if (caller === undefined) return null;
  try {
    authorizeModel(caller, operation, model);
    return null;
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown;
    throw thrown;
  }
}

/** The error that resolving the name throws; null without one. */
function unresolved({ catalog, listingOf }: ExplainedParts, model: string, operation: Operation): GatewayError | null {
  try {
    resolve(catalog, listingOf, model, operation);
    return null;
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown;
    throw thrown;
  }
}

const notPermitted = (): GatewayError =>
  new GatewayError("model_not_allowed", "This key is not allowed to use any provider of this model.");

/** Looks the model up like a request, and puts its candidates in order like one. */
export function explainRoute(parts: ExplainedParts, query: ExplainedQuery): RouteExplanation {
  const { catalog, listingOf, router } = parts;
  const { operation, caller, isStream = false, needs = noNeeds } = query;
  const model = caller === undefined ? query.model : modelNamed(catalog, query.model, caller);
  const plan = lookUp(catalog, listingOf, model, operation);
  const { candidates: all = [], route, found = null } = plan ?? {};
  const able = plan === null ? [] : serving(plan, operation);
  const permits = (candidate: Candidate): boolean => caller === undefined || permitsCandidate(caller, candidate);
  const permitted = able.every(permits) ? able : able.filter(permits);
  const order = router.preview(permitted, route, { isStream, needs: () => needs });
  const named = new Set(all.map(({ provider }) => provider.entry.name));
  const refusal =
    refusedName({ ...query, model }) ??
    unresolved(parts, model, operation) ??
    (permitted.length === 0 ? notPermitted() : order.refusal);
  return {
    ...{ model, found, refusal },
    route: route === undefined ? null : explainedRoute(catalog, route),
    candidates: order.candidates.map((candidate, at) =>
      explainedCandidate(parts, { candidate, at, order, permitted, route, operation }),
    ),
    skipped: [
      ...all
        .filter(({ provider, model: own }) => !serves(provider, operation, own))
        .map((each) =>
          skippedOf(each, each.provider.entry.isDisabled ? placeReason.disabled : placeReason.unable(operation)),
        ),
      ...able.filter((each) => !permitted.includes(each)).map((each) => skippedOf(each, placeReason.notPermitted)),
      ...leftOut(parts, order, permitted, needs),
      ...catalog.providers
        .filter(({ entry }) => !named.has(entry.name))
        .map((provider) => ({
          ...{ provider: provider.entry.name, model: null, credential: null },
          reason: absentReason(found, listingOf(provider)),
        })),
    ],
  };
}

/** Those that cannot serve this request, or are over a limit of the operator. */
function leftOut(
  parts: ExplainedParts,
  order: RoutePreview,
  permitted: readonly Candidate[],
  needs: RequestNeeds,
): SkippedCandidate[] {
  const isLeft = (each: Candidate): boolean => !order.candidates.includes(each);
  return permitted.filter(isLeft).flatMap((each): SkippedCandidate[] => {
    const rows = order.passedOver.filter(
      (row) => row.provider === each.provider.entry.name && row.upstreamModel === each.model,
    );
    const [row] = rows;
    return row === undefined
      ? []
      : [skippedOf(each, placeReason.leftOut(row.reason, knownSupports(parts, each).supports, needs))];
  });
}

function knownSupports({ listingOf }: ExplainedParts, candidate: Candidate) {
  const { provider, model } = candidate;
  const listed = listingOf(provider).models?.find(({ id }) => id === model)?.supports ?? {};
  const declared = supportsOf(candidate);
  const names = (Object.keys(listed) as (keyof Supports)[]).filter((name) => declared[name] === undefined);
  return { supports: { ...listed, ...declared }, listed: names };
}

interface Placed {
  readonly candidate: Candidate;
  /** From 0. */
  readonly at: number;
  readonly order: RoutePreview;
  readonly permitted: readonly Candidate[];
  readonly route: Route | undefined;
  readonly operation: Operation;
}

function explainedCandidate(parts: ExplainedParts, placed: Placed): RoutedCandidate {
  const { router, prices, nowMs } = parts;
  const { candidate, at, order, permitted, route, operation } = placed;
  const { provider, model, tier = 1, after = null } = candidate;
  const { name, credentialName = null, limits, credentialLimits } = provider.entry;
  const strategy = route?.strategy ?? "ordered";
  const { health } = router;
  const measured = health.modelOf(candidate) ?? health.upstreamOf(candidate);
  const state = measuredState(measured, health.nowMs(), concealerOf([provider]));
  const own = { state, isFirst: at === 0, tier, firstTier: order.candidates[0]?.tier ?? 1, after, strategy };
  return {
    provider: name,
    model,
    dialects: dialectNames(candidate, operation),
    credential: credentialName,
    tier,
    weight: weightOf(candidate),
    share: shareOf(candidate, permitted, strategy),
    after,
    ...knownSupports(parts, candidate),
    limits: [limits, credentialLimits].filter((each) => each !== undefined),
    reason: placeReason.placed(own),
    state,
    prices: pricesPerMillion(prices, { provider, model, named: route?.name ?? model, operation, atMs: nowMs }),
  };
}
