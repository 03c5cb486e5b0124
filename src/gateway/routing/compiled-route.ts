// What of a route is the same for every request: its candidates by tier, with what orders are made from, in arrays.
import type { Candidate, Route, Strategy, Supports } from "./catalog.ts";
import { isLimited } from "./provider-limits.ts";
import type { UpstreamModel } from "./upstream.ts";

/** What is the same for every request to a list of candidates, in the order of their tiers. */
export interface CompiledRoute {
  readonly candidates: readonly Candidate[];
  readonly models: readonly UpstreamModel[];
  readonly strategy: Strategy;
  readonly explorationShare: number;
  /** By candidate: those of a lower class come first, whatever the strategy. Fallbacks have the highest. */
  readonly classes: Float64Array;
  readonly weights: Float64Array;
  /** By candidate: the place of the first one that is the same but for its credential; -1 for one that has no such others. */
  readonly groups: Int32Array;
  /** Null where nothing is known about what any candidate supports. */
  readonly supports: CompiledSupports | null;
  /** The same without the lists of providers, which choose among candidates and refuse nothing. */
  readonly declared: CompiledSupports | null;
  /** True where a candidate has limits of the operator. */
  readonly isLimited: boolean;
  /** True where nothing but trouble changes the order. */
  readonly isFixed: boolean;
  /** Mean costs, where they decide; a cost that is not known is the highest. */
  readonly costs: Float64Array | null;
}

/** By candidate. */
export interface CompiledSupports {
  /** A bit for each feature that it lacks. */
  readonly lacks: Int32Array;
  readonly maxInput: Float64Array;
  readonly maxOutput: Float64Array;
  /** Every feature that some candidate lacks. */
  readonly anyLack: number;
}

export const fallbackClass = 1e6;
/** As a bound: none. As a key: not to be chosen. */
export const gone = Number.POSITIVE_INFINITY;
/** What a candidate may lack, by the member that needs it, and its bit. */
export const features = [
  ["images", "lacks_images", 1],
  ["tools", "lacks_tools", 2],
  ["jsonSchema", "lacks_json_schema", 4],
] as const;

/** Candidates of a lower class come first, whatever the strategy. */
export const classOf = ({ tier = 1, after }: Candidate): number => (after === undefined ? tier : fallbackClass);

/** What a route is made of, apart from its candidates. */
interface RouteParts {
  watch(candidate: Candidate): UpstreamModel;
  costOf(candidate: Candidate): number;
  /** What the list of its provider contains about the model of a candidate. */
  listed(candidate: Candidate): Supports | undefined;
}

export function compileRoute(
  given: readonly Candidate[],
  route: Route | undefined,
  { watch, costOf, listed }: RouteParts,
): CompiledRoute {
  const { strategy = "ordered", explorationShare = 0, affinityMs } = route ?? {};
  const candidates = given.toSorted((one, other) => classOf(one) - classOf(other));
  const same = (one: Candidate, other: Candidate): boolean =>
    one.provider.entry.name === other.provider.entry.name &&
    one.model === other.model &&
    classOf(one) === classOf(other);
  const groups = candidates.map((each) => candidates.findIndex((other) => same(each, other)));
  const isOnly = (group: number): boolean => groups.filter((each) => each === group).length === 1;
  const shared = groups.map((group) => (isOnly(group) ? -1 : group));
  const declared = compileSupports(candidates.map((each) => supportsOf(each)));
  // A single candidate leaves no choice.
  const isChoice = candidates.length > 1 && candidates.some((each) => listed(each) !== undefined);
  const supports = isChoice ? compileSupports(candidates.map((each) => supportsOf(each, listed(each)))) : declared;
  const isPlain = strategy === "ordered" && affinityMs === undefined && supports === null;
  const limited = candidates.some(isLimited);
  const isInPlace = candidates.every((each, at) => each === given[at] && each.after === undefined);
  return {
    ...{ candidates, strategy, explorationShare, supports, declared },
    models: candidates.map((each) => watch(each)),
    classes: Float64Array.from(candidates, classOf),
    weights: Float64Array.from(
      candidates,
      ({ weight = 1, provider }) => weight * (provider.entry.credentialWeight ?? 1),
    ),
    groups: Int32Array.from(shared),
    isLimited: limited,
    isFixed: isPlain && isInPlace && !limited && shared.every((group) => group < 0),
    costs: strategy === "cheapest" ? Float64Array.from(candidates, (each) => costOf(each)) : null,
  };
}

/** What the operator declared for this candidate, else for the models of its provider, else what that lists. */
export function supportsOf({ supports, provider: { entry }, model }: Candidate, listed?: Supports): Supports {
  const declared = entry.declared?.find(({ models }) => models.test(model))?.capabilities;
  return {
    ...listed,
    ...(declared?.imageInput === undefined ? {} : { images: declared.imageInput }),
    ...(declared?.tools === undefined ? {} : { tools: declared.tools }),
    ...(declared?.contextTokens === undefined ? {} : { maxInputTokens: declared.contextTokens }),
    ...supports,
  };
}

function compileSupports(all: readonly Supports[]): CompiledSupports | null {
  if (all.every((each) => Object.keys(each).length === 0)) return null;
  const lacks = Int32Array.from(all, (each) =>
    features.reduce((bits, [feature, , bit]) => bits | (each[feature] === false ? bit : 0), 0),
  );
  return {
    lacks,
    maxInput: Float64Array.from(all, ({ maxInputTokens = gone }) => maxInputTokens),
    maxOutput: Float64Array.from(all, ({ maxOutputTokens = gone }) => maxOutputTokens),
    anyLack: lacks.reduce((bits, each) => bits | each, 0),
  };
}
