// Orders the candidates of a route, with a reason for each excluded one. Reads the state of upstreams, changes nothing.
import type { PassedOver } from "../ledger/types.ts";
import type { Candidate, Route, Strategy, Supports } from "./catalog.ts";
import type { Ailment, UpstreamModel } from "./upstream.ts";

/** What a request needs from a model. */
export interface RequestNeeds {
  readonly images: boolean;
  readonly tools: boolean;
  readonly jsonSchema: boolean;
  /** An estimate, without a margin. */
  readonly inputTokens: number;
  /** 0 if the client sets no limit. */
  readonly outputTokens: number;
}

/** Why a candidate cannot serve a request. */
export type Misfit = "lacks_images" | "lacks_tools" | "lacks_json_schema" | "context_too_short" | "output_too_short";

/** Why the first candidate is first. */
export type Reason = Strategy | "affinity" | "exploration";

/** What is the same for every request to a list of candidates. */
export interface CompiledRoute {
  readonly candidates: readonly Candidate[];
  readonly models: readonly UpstreamModel[];
  readonly strategy: Strategy;
  readonly explorationShare: number;
  /** By candidate: those of a lower class come first, with any strategy. Fallbacks have the highest. */
  readonly classes: Float64Array;
  readonly weights: Float64Array;
  /** By candidate: the index of the first one that differs only in its credential; -1 if there are no others. */
  readonly groups: Int32Array;
  readonly supports: readonly (Supports | undefined)[];
  readonly hasSupports: boolean;
  /** True if only faults change the order. */
  readonly isFixed: boolean;
  /** Mean costs, if the strategy needs them; an unknown cost is the highest. */
  readonly costs: Float64Array | null;
}

/** The inputs of an order apart from the route. */
export interface OrderInput {
  readonly nowMs: number;
  readonly isStream: boolean;
  /** Null if no candidate declares what it supports. */
  readonly needs: RequestNeeds | null;
  /** The upstream that answered the conversation last. */
  readonly stay: UpstreamModel | null;
  random(): number;
}

export interface CandidateOrder {
  readonly candidates: readonly Candidate[];
  readonly reason: Reason;
  /** Empty if there are none. */
  readonly passedOver: readonly PassedOver[];
}

const nonePassed: readonly PassedOver[] = [];
const fallbackClass = 1e6;
const ailingClass = 1e3;
const unfit = Number.POSITIVE_INFINITY;

/** Working memory: ordering is synchronous, so one is enough for all requests. */
let keys = new Float64Array(64);
let scores = new Float64Array(64);
let places = new Int32Array(64);

function reserve(count: number): void {
  if (count <= keys.length) return;
  keys = new Float64Array(count * 2);
  scores = new Float64Array(count * 2);
  places = new Int32Array(count * 2);
}

export function compileRoute(
  candidates: readonly Candidate[],
  route: Route | undefined,
  watch: (candidate: Candidate) => UpstreamModel,
  costOf: (candidate: Candidate) => number,
): CompiledRoute {
  const { strategy = "ordered", explorationShare = 0, affinityMs } = route ?? {};
  const same = (one: Candidate, other: Candidate): boolean =>
    one.provider.entry.name === other.provider.entry.name && one.model === other.model && one.tier === other.tier;
  const groups = candidates.map((each) => candidates.findIndex((other) => same(each, other)));
  const supports = candidates.map(supportsOf);
  const hasSupports = supports.some((each) => each !== undefined);
  const hasTiers = candidates.some(({ tier = 1, after }) => tier !== 1 || after !== undefined);
  const isAlone = (group: number): boolean => groups.filter((each) => each === group).length === 1;
  const shared = groups.map((group) => (isAlone(group) ? -1 : group));
  const hasGroups = shared.some((group) => group >= 0);
  return {
    ...{ candidates, strategy, explorationShare, supports, hasSupports },
    models: candidates.map(watch),
    classes: Float64Array.from(candidates, ({ tier = 1, after }) => (after === undefined ? tier : fallbackClass)),
    weights: Float64Array.from(
      candidates,
      ({ weight = 1, provider }) => weight * (provider.entry.credentialWeight ?? 1),
    ),
    groups: Int32Array.from(shared),
    isFixed: strategy === "ordered" && affinityMs === undefined && !hasSupports && !hasTiers && !hasGroups,
    costs: strategy === "cheapest" ? Float64Array.from(candidates, costOf) : null,
  };
}

/** The declaration of this candidate, otherwise that of the provider's models. */
function supportsOf({ supports, provider: { entry }, model }: Candidate): Supports | undefined {
  const declared = entry.declared?.find(({ models }) => models.test(model))?.capabilities;
  const own: Supports = {
    ...(declared?.imageInput === undefined ? {} : { images: declared.imageInput }),
    ...(declared?.tools === undefined ? {} : { tools: declared.tools }),
    ...(declared?.contextTokens === undefined ? {} : { maxInputTokens: declared.contextTokens }),
    ...supports,
  };
  return Object.keys(own).length === 0 ? undefined : own;
}

/** Null if it can serve the request. */
export function misfitOf(supports: Supports | undefined, needs: RequestNeeds | null): Misfit | null {
  if (supports === undefined || needs === null) return null;
  if (needs.images && supports.images === false) return "lacks_images";
  if (needs.tools && supports.tools === false) return "lacks_tools";
  if (supports.jsonSchema === false && needs.jsonSchema) return "lacks_json_schema";
  if (supports.maxInputTokens !== undefined && needs.inputTokens > supports.maxInputTokens) return "context_too_short";
  if (supports.maxOutputTokens !== undefined && needs.outputTokens > supports.maxOutputTokens)
    return "output_too_short";
  return null;
}

/** Lower is earlier, among candidates of one class. */
function scoreOf(route: CompiledRoute, at: number, isExploring: boolean, { isStream, random }: OrderInput): number {
  const model = route.models[at];
  const weight = route.weights[at] ?? 1;
  const group = route.groups[at] ?? -1;
  if (isExploring) return random();
  switch (route.strategy) {
    case "ordered":
      // Credentials of one provider share its position by their weights.
      return group < 0 ? at : group + 1 - random() ** (1 / weight);
    case "weighted":
      return weight > 0 ? -Math.log(1 - random()) / weight : Number.MAX_VALUE;
    case "least_busy":
      return ((model?.inFlight ?? 0) + random() / 2) / weight;
    case "fastest":
      return (isStream ? model?.firstTokenMs : model?.replyMs) ?? 0;
    case "cheapest":
      return route.costs?.[at] ?? 0;
  }
}

/** Sorts the positions by key, then by score, otherwise stable: they are few, and mostly in order. */
function sortPlaces(count: number): void {
  for (let at = 1; at < count; at++) {
    const place = places[at] ?? 0;
    const key = keys[place] ?? 0;
    const score = scores[place] ?? 0;
    let to = at - 1;
    while (to >= 0) {
      const other = places[to] ?? 0;
      const otherKey = keys[other] ?? 0;
      if (otherKey < key || (otherKey === key && (scores[other] ?? 0) <= score)) break;
      places[to + 1] = other;
      to--;
    }
    places[to + 1] = place;
  }
}

const rowOf = ({ provider, model }: Candidate, reason: Misfit | Ailment): PassedOver => ({
  provider: provider.entry.name,
  upstreamModel: model,
  reason,
});

/**
 * The order for one request. Candidates that cannot serve it are excluded; unhealthy ones come after all healthy ones,
 * because a candidate that may fail is better than none.
 */
export function orderCandidates(route: CompiledRoute, input: OrderInput): CandidateOrder {
  const { candidates, models, classes } = route;
  const { nowMs, needs, stay, random } = input;
  const count = candidates.length;
  reserve(count);
  const isExploring = route.explorationShare > 0 && random() < route.explorationShare;
  let lastWell = -1;
  let chosen = 0;
  let hasStayed = false;
  let hasPassed = false;
  for (let at = 0; at < count; at++) {
    if (route.hasSupports && misfitOf(route.supports[at], needs) !== null) {
      keys[at] = unfit;
      hasPassed = true;
      continue;
    }
    const isIll = models[at]?.ailment(nowMs) !== null;
    const stays = !isIll && stay !== null && models[at] === stay && classes[at] !== fallbackClass;
    keys[at] = stays ? 0 : (classes[at] ?? 1) + (isIll ? ailingClass : 0);
    scores[at] = scoreOf(route, at, isExploring, input);
    places[chosen++] = at;
    hasStayed ||= stays;
    if (isIll) hasPassed = true;
    else if (classes[at] !== fallbackClass) lastWell = at;
  }
  sortPlaces(chosen);
  const ordered: Candidate[] = new Array(chosen);
  for (let at = 0; at < chosen; at++) ordered[at] = candidates[places[at] ?? 0] as Candidate;
  const reason = hasStayed ? "affinity" : isExploring ? "exploration" : route.strategy;
  return { candidates: ordered, reason, passedOver: hasPassed ? passedOver(route, input, lastWell) : nonePassed };
}

/** Excluded candidates, and those that were moved back because they are unhealthy. */
function passedOver(route: CompiledRoute, { nowMs, needs }: OrderInput, lastWell: number): PassedOver[] {
  const { candidates, models, strategy } = route;
  const rows: PassedOver[] = [];
  for (const [at, candidate] of candidates.entries()) {
    const misfit = misfitOf(route.supports[at], needs);
    const ailment = misfit === null ? (models[at]?.ailment(nowMs) ?? null) : null;
    const hasLost = strategy === "ordered" ? lastWell > at : lastWell >= 0;
    if (misfit !== null) rows.push(rowOf(candidate, misfit));
    else if (ailment !== null && hasLost) rows.push(rowOf(candidate, ailment));
  }
  return rows;
}
