// The order of the candidates of a route, with a reason for each that is left out. Reads the state of upstreams, changes nothing.
import type { PassedOver } from "../ledger/types.ts";
import type { Candidate, Strategy } from "./catalog.ts";
import {
  type CompiledRoute,
  type CompiledSupports,
  fallbackClass,
  features,
  gone,
  type RequestNeeds,
} from "./compiled-route.ts";
import type { Ailment, UpstreamModel } from "./upstream.ts";

/** Why a candidate cannot serve a request. */
export type Misfit = "lacks_images" | "lacks_tools" | "lacks_json_schema" | "context_too_short" | "output_too_short";

/** Why the first candidate is the first. */
export type Reason = Strategy | "affinity" | "exploration";

/** What an order depends on apart from the route. */
export interface OrderInput {
  readonly nowMs: number;
  readonly isStream: boolean;
  /** Null where no candidate declares what it supports. */
  readonly needs: RequestNeeds | null;
  /** True where no upstream has to be looked at. */
  readonly isQuiet: boolean;
  /** Where the conversation was answered last. */
  readonly stay: UpstreamModel | null;
  random(): number;
}

export interface CandidateOrder {
  readonly candidates: readonly Candidate[];
  readonly reason: Reason;
  /** Empty where none was. */
  readonly passedOver: readonly PassedOver[];
}

const nonePassed: readonly PassedOver[] = [];
const ailingClass = 1e3;
const restBounds = [
  [0, ailingClass],
  [ailingClass, fallbackClass],
  [fallbackClass, gone],
] as const;
/** How many of an order are chosen; the others follow as they are written. */
const chosenPlaces = 6;
/** Working memory: an order is made without pause, so that one is enough for all. */
let keys = new Float64Array(64);
let scores = new Float64Array(64);

function reserve(count: number): void {
  if (count <= keys.length) return;
  keys = new Float64Array(count * 2);
  scores = new Float64Array(count * 2);
}

/** The features that a request needs and that some candidate lacks. */
const neededFeatures = ({ anyLack }: CompiledSupports, needs: RequestNeeds): number =>
  features.reduce((bits, [feature, , bit]) => bits | ((anyLack & bit) !== 0 && needs[feature] ? bit : 0), 0);

/** Lower is earlier, among candidates of one class. */
function scoreOf(route: CompiledRoute, at: number, { isStream, random }: OrderInput): number {
  const model = route.models[at];
  const group = route.groups[at] ?? -1;
  switch (route.strategy) {
    case "ordered":
      // Credentials of one provider share its place by their weights.
      return group < 0 ? at : group + 1 - random() ** (1 / (route.weights[at] ?? 1));
    case "weighted":
      return 0;
    case "least_busy":
      return (model?.inFlight ?? 0) / (route.weights[at] ?? 1);
    case "fastest":
      return (isStream ? model?.firstTokenMs : model?.replyMs) ?? 0;
    case "cheapest":
      return route.costs?.[at] ?? 0;
  }
}

/** The place with the lowest key and score, from `start` on where several have them; -1 where none is left. */
function lowest(count: number, start: number): number {
  let best = -1;
  let bestKey = gone;
  let bestScore = 0;
  for (let step = 0; step < count; step++) {
    const at = start + step < count ? start + step : start + step - count;
    const key = keys[at] ?? gone;
    if (key > bestKey || key === gone) continue;
    const score = scores[at] ?? 0;
    if (key === bestKey && score >= bestScore) continue;
    best = at;
    bestKey = key;
    bestScore = score;
  }
  return best;
}

/** A place of those with the lowest key, at random by weight; -1 where none is left. */
function drawn(count: number, weights: Float64Array, random: () => number): number {
  let bestKey = gone;
  let sum = 0;
  for (let at = 0; at < count; at++) {
    const key = keys[at] ?? gone;
    if (key < bestKey) {
      bestKey = key;
      sum = 0;
    }
    if (key === bestKey) sum += weights[at] ?? 1;
  }
  if (bestKey === gone) return -1;
  let rest = random() * sum;
  let last = -1;
  for (let at = 0; at < count; at++) {
    if (keys[at] !== bestKey) continue;
    last = at;
    rest -= weights[at] ?? 1;
    if (rest < 0) break;
  }
  return last;
}

const rowOf = ({ provider, model }: Candidate, reason: Misfit | Ailment): PassedOver => ({
  provider: provider.entry.name,
  upstreamModel: model,
  reason,
});

/** What the keys of one request came to. */
interface Keyed {
  readonly lastWell: number;
  readonly hasPassed: boolean;
  readonly hasStayed: boolean;
}

/** Sets the keys and scores: those that cannot serve the request are gone, those that are ill come behind all that are well. */
function setKeys(route: CompiledRoute, input: OrderInput): Keyed {
  const { classes, models, supports, strategy } = route;
  const { nowMs, needs, stay, isQuiet } = input;
  const needed = supports === null || needs === null ? 0 : neededFeatures(supports, needs);
  let lastWell = -1;
  let hasStayed = false;
  let hasPassed = false;
  for (let at = 0; at < classes.length; at++) {
    if (supports !== null && needs !== null) {
      const lacks = ((supports.lacks[at] ?? 0) & needed) !== 0 || needs.inputTokens > (supports.maxInput[at] ?? gone);
      if (lacks || needs.outputTokens > (supports.maxOutput[at] ?? gone)) {
        keys[at] = gone;
        hasPassed = true;
        continue;
      }
    }
    const isIll = !isQuiet && models[at]?.ailment(nowMs) !== null;
    const stays = stay !== null && !isIll && models[at] === stay && classes[at] !== fallbackClass;
    keys[at] = stays ? 0 : (classes[at] ?? 1) + (isIll ? ailingClass : 0);
    if (strategy !== "weighted") scores[at] = scoreOf(route, at, input);
    if (stays) hasStayed = true;
    if (isIll) hasPassed = true;
    else if (classes[at] !== fallbackClass) lastWell = at;
  }
  return { lastWell, hasPassed, hasStayed };
}

/**
 * The order for one request. Candidates that cannot serve it are left out; those that are ill come behind all that are
 * well, because a candidate that may fail is better than none.
 */
export function orderCandidates(route: CompiledRoute, input: OrderInput): CandidateOrder {
  const { candidates, strategy, weights } = route;
  const { random } = input;
  const count = candidates.length;
  reserve(count);
  const isExploring = route.explorationShare > 0 && random() < route.explorationShare;
  const { lastWell, hasPassed, hasStayed } = setKeys(route, input);
  const isDrawn = isExploring || strategy === "weighted";
  const start = strategy === "least_busy" ? Math.floor(random() * count) : 0;
  const ordered: Candidate[] = [];
  const places = Math.min(chosenPlaces, count);
  for (let place = 0; place < places; place++) {
    const at = isDrawn ? drawn(count, weights, random) : lowest(count, start);
    const chosen = candidates[at];
    if (chosen === undefined) break;
    ordered.push(chosen);
    keys[at] = gone;
  }
  if (count > places) addRest(ordered, candidates);
  const reason = hasStayed ? "affinity" : isExploring ? "exploration" : strategy;
  return { candidates: ordered, reason, passedOver: hasPassed ? passedOver(route, input, lastWell) : nonePassed };
}

/** Those that are well, those that are ill, the fallbacks; each as they are written. */
function addRest(ordered: Candidate[], candidates: readonly Candidate[]): void {
  for (const [from, to] of restBounds)
    for (let at = 0; at < candidates.length; at++) {
      const key = keys[at] ?? gone;
      const rest = candidates[at];
      if (key >= from && key < to && rest !== undefined) ordered.push(rest);
    }
}

/** Null where the request can be served. */
function misfitOf(supports: CompiledSupports | null, needs: RequestNeeds | null, at: number): Misfit | null {
  if (supports === null || needs === null) return null;
  const lacks = (supports.lacks[at] ?? 0) & neededFeatures(supports, needs);
  const found = features.find(([, , bit]) => (lacks & bit) !== 0);
  if (found !== undefined) return found[1];
  if (needs.inputTokens > (supports.maxInput[at] ?? gone)) return "context_too_short";
  return needs.outputTokens > (supports.maxOutput[at] ?? gone) ? "output_too_short" : null;
}

/** Those that were left out, and those that lost their place because they are ill. */
function passedOver(route: CompiledRoute, { nowMs, needs }: OrderInput, lastWell: number): PassedOver[] {
  const { candidates, models, strategy, supports } = route;
  const rows: PassedOver[] = [];
  for (const [at, candidate] of candidates.entries()) {
    const misfit = misfitOf(supports, needs, at);
    const ailment = misfit === null ? (models[at]?.ailment(nowMs) ?? null) : null;
    const hasLost = strategy === "ordered" ? lastWell > at : lastWell >= 0;
    if (misfit !== null) rows.push(rowOf(candidate, misfit));
    else if (ailment !== null && hasLost) rows.push(rowOf(candidate, ailment));
  }
  return rows;
}
