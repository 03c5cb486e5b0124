// The order of the candidates of a route, with a reason for each that is left out. Reads the state of upstreams, changes nothing.
import type { PassedOver } from "../ledger/types.ts";
import type { Candidate, RequestNeeds, Strategy } from "./catalog.ts";
import { type CompiledRoute, type CompiledSupports, fallbackClass, features, gone } from "./compiled-route.ts";
import type { OverLimit } from "./provider-limits.ts";
import type { Ailment, UpstreamModel } from "./upstream.ts";

/** Why a candidate cannot serve a request. */
type Misfit = "lacks_images" | "lacks_tools" | "lacks_json_schema" | "context_too_short" | "output_too_short";

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
  /** Whether a limit of the operator keeps a candidate out. Null where none has any. */
  readonly overLimit: ((candidate: Candidate) => OverLimit | null) | null;
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
const first = new Int32Array(chosenPlaces);

function reserve(count: number): void {
  if (count <= keys.length) return;
  keys = new Float64Array(count * 2);
  scores = new Float64Array(count * 2);
}

/** The features that a request needs and that some candidate lacks. */
const neededFeatures = ({ anyLack }: CompiledSupports, needs: RequestNeeds): number =>
  features.reduce((bits, [feature, , bit]) => bits | ((anyLack & bit) !== 0 && needs[feature] ? bit : 0), 0);

/** Sets the scores: lower is earlier, among candidates of one class. */
function setScores(route: CompiledRoute, { isStream, random }: OrderInput): void {
  const { models, weights, groups, costs, candidates, strategy } = route;
  const count = candidates.length;
  switch (strategy) {
    case "ordered":
      // Credentials of one provider share its place by their weights.
      for (let at = 0; at < count; at++) {
        const group = groups[at] ?? -1;
        scores[at] = group < 0 ? at : group + 1 - random() ** (1 / (weights[at] ?? 1));
      }
      return;
    case "weighted":
      return;
    case "least_busy":
      for (let at = 0; at < count; at++) scores[at] = (models[at]?.inFlight ?? 0) / (weights[at] ?? 1);
      return;
    case "fastest":
      for (let at = 0; at < count; at++) scores[at] = (isStream ? models[at]?.firstTokenMs : models[at]?.replyMs) ?? 0;
      return;
    case "cheapest":
      for (let at = 0; at < count; at++) scores[at] = costs?.[at] ?? 0;
  }
}

/**
 * The places with the lowest keys and scores, in order; from `start` on where several have the same. Returns how many.
 * With `weights` scores are drawn so that the lowest of several is each one's with the probability of its share of their
 * weights (Efraimidis and Spirakis): one pass draws a whole order.
 */
function selectFirst(count: number, start: number, weights: Float64Array | null, random: () => number): number {
  let found = 0;
  let worstKey = gone;
  let worstScore = 0;
  for (let step = 0, at = start; step < count; step++, at++) {
    if (at === count) at = 0;
    const key = keys[at] ?? gone;
    const isFull = found === chosenPlaces;
    if (key === gone || (isFull && key > worstKey)) continue;
    if (weights !== null) {
      const weight = weights[at] ?? 1;
      const number = random();
      // The logarithm can only be larger.
      if (isFull && key === worstKey && number >= worstScore * weight) continue;
      scores[at] = weight > 0 ? -Math.log(1 - number) / weight : Number.MAX_VALUE;
    }
    const score = scores[at] ?? 0;
    if (isFull && key === worstKey && score >= worstScore) continue;
    if (!isFull) found++;
    insert(at, key, score, found);
    const worst = first[found - 1] ?? 0;
    worstKey = keys[worst] ?? gone;
    worstScore = scores[worst] ?? 0;
  }
  return found;
}

/** Into the first `count` places, behind those that are as low. */
function insert(at: number, key: number, score: number, count: number): void {
  let place = count - 1;
  for (; place > 0; place--) {
    const before = first[place - 1] ?? 0;
    const beforeKey = keys[before] ?? gone;
    if (beforeKey < key || (beforeKey === key && (scores[before] ?? 0) <= score)) break;
    first[place] = before;
  }
  first[place] = at;
}

const rowOf = ({ provider, model }: Candidate, reason: Misfit | Ailment | OverLimit): PassedOver => ({
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
  const { candidates, classes, models, supports } = route;
  const { nowMs, needs, stay, isQuiet, overLimit } = input;
  const needed = supports === null || needs === null ? 0 : neededFeatures(supports, needs);
  let lastWell = -1;
  let hasStayed = false;
  let hasPassed = false;
  for (let at = 0; at < classes.length; at++) {
    const isOut = supports !== null && needs !== null && isMisfit(supports, needs, needed, at);
    const candidate = overLimit === null ? undefined : candidates[at];
    if (isOut || (candidate !== undefined && overLimit?.(candidate) !== null)) {
      keys[at] = gone;
      hasPassed = true;
      continue;
    }
    const isIll = !isQuiet && models[at]?.ailment(nowMs) !== null;
    const stays = stay !== null && !isIll && models[at] === stay && classes[at] !== fallbackClass;
    keys[at] = stays ? 0 : (classes[at] ?? 1) + (isIll ? ailingClass : 0);
    if (stays) hasStayed = true;
    if (isIll) hasPassed = true;
    else if (classes[at] !== fallbackClass) lastWell = at;
  }
  return { lastWell, hasPassed, hasStayed };
}

const isMisfit = (
  { lacks, maxInput, maxOutput }: CompiledSupports,
  { inputTokens, outputTokens }: RequestNeeds,
  needed: number,
  at: number,
): boolean =>
  ((lacks[at] ?? 0) & needed) !== 0 || inputTokens > (maxInput[at] ?? gone) || outputTokens > (maxOutput[at] ?? gone);

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
  if (!isDrawn) setScores(route, input);
  const start = strategy === "least_busy" ? Math.floor(random() * count) : 0;
  const ordered: Candidate[] = [];
  const chosen = selectFirst(count, start, isDrawn ? weights : null, random);
  for (let place = 0; place < chosen; place++) {
    const at = first[place] ?? 0;
    const candidate = candidates[at];
    if (candidate !== undefined) ordered.push(candidate);
    keys[at] = gone;
  }
  if (count > chosen) addRest(ordered, candidates);
  const reason = hasStayed ? "affinity" : isExploring ? "exploration" : strategy;
  return { candidates: ordered, reason, passedOver: hasPassed ? passedOver(route, input, lastWell) : nonePassed };
}

/** Those that are well, those that are ill, the fallbacks; each as they are written. */
function addRest(ordered: Candidate[], candidates: readonly Candidate[]): void {
  for (const [from, to] of restBounds) {
    let isLast = true;
    for (let at = 0; at < candidates.length; at++) {
      const key = keys[at] ?? gone;
      const rest = candidates[at];
      if (key >= from && key < to && rest !== undefined) ordered.push(rest);
      else if (key >= to && key !== gone) isLast = false;
    }
    if (isLast) return;
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
function passedOver(route: CompiledRoute, { nowMs, needs, overLimit }: OrderInput, lastWell: number): PassedOver[] {
  const { candidates, models, strategy, supports } = route;
  const rows: PassedOver[] = [];
  for (const [at, candidate] of candidates.entries()) {
    const misfit = misfitOf(supports, needs, at) ?? overLimit?.(candidate) ?? null;
    const ailment = misfit === null ? (models[at]?.ailment(nowMs) ?? null) : null;
    const hasLost = strategy === "ordered" ? lastWell > at : lastWell >= 0;
    if (misfit !== null) rows.push(rowOf(candidate, misfit));
    else if (ailment !== null && hasLost) rows.push(rowOf(candidate, ailment));
  }
  return rows;
}
