// Why a candidate has its place in an order, or none: a code, as in the ledger, and a sentence.
import type { Operation } from "../../canonical/operation.ts";
import type { FallbackCause, RequestNeeds, Strategy, Supports } from "./catalog.ts";
import type { MeasuredState, UpstreamCondition } from "./upstream-state.ts";

export interface Reason {
  readonly code: string;
  readonly text: string;
}

interface Place {
  readonly state: MeasuredState;
  readonly isFirst: boolean;
  readonly tier: number;
  readonly firstTier: number;
  readonly after: FallbackCause | null;
  readonly strategy: Strategy;
}

const afterTexts: { readonly [cause in FallbackCause]: string } = {
  error: "Only if no candidate before it responds.",
  context_length: "Only if the request is too long for those before it.",
  content_refusal: "Only if the content is refused by those before it.",
};

const avoidedTexts: { readonly [condition in UpstreamCondition]?: string } = {
  rate_limited: "Its provider limits the rate of this credential, so that it is asked last.",
  breaker_open: "It failed too often, so that it is asked last until it is tried again.",
  probe_in_progress: "One request finds out whether it works again; others ask it last.",
  cooling_down: "Its provider does not have the model, or refuses the credential, so that it is asked last.",
};

const firstTexts: { readonly [strategy in Strategy]: string } = {
  ordered: "The first in the order of the route.",
  weighted: "The highest weight: the most requests begin here, each is drawn by weight.",
  least_busy: "The fewest requests in progress for its weight.",
  fastest: "The lowest mean time, or not measured yet.",
  cheapest: "The lowest cost of three input tokens and one output token.",
};

const nextTexts: { readonly [strategy in Strategy]: string } = {
  ordered: "The next in the order of the route.",
  weighted: "The next by weight.",
  least_busy: "The next by requests in progress.",
  fastest: "The next by mean time.",
  cheapest: "The next by cost.",
};

function placed({ state, isFirst, tier, firstTier, after, strategy }: Place): Reason {
  if (after !== null) return { code: `after_${after}`, text: afterTexts[after] };
  const avoided = avoidedTexts[state.condition];
  if (avoided !== undefined) return { code: state.condition, text: avoided };
  if (isFirst) return { code: `chosen_by_${strategy}`, text: firstTexts[strategy] };
  if (tier > firstTier)
    return { code: "later_tier", text: `Tier ${tier}: only if no candidate of a lower tier responds.` };
  return { code: `next_by_${strategy}`, text: nextTexts[strategy] };
}

const leftOutTexts: Readonly<Record<string, string>> = {
  lacks_images: "It does not support images, which the request has.",
  lacks_tools: "It does not support tools, which the request has.",
  lacks_json_schema: "It does not support a JSON Schema for the output.",
  over_requests_per_minute: "The limit on its requests per minute is reached.",
  over_tokens_per_minute: "The limit on its tokens per minute is reached.",
  over_concurrent_requests: "The limit on its concurrent requests is reached.",
  over_cost_per_day: "The limit on its cost per day is reached.",
};

function leftOut(code: string, { maxInputTokens, maxOutputTokens }: Supports, needs: RequestNeeds): Reason {
  if (code === "context_too_short")
    return { code, text: `It accepts ${maxInputTokens} input tokens, and the request has ${needs.inputTokens}.` };
  if (code === "output_too_short")
    return {
      code,
      text: `It returns at most ${maxOutputTokens} output tokens, and the request allows ${needs.outputTokens}.`,
    };
  return { code, text: leftOutTexts[code] ?? code };
}

/** A reason for each way to have a place, or none. */
export const placeReason = {
  placed,
  leftOut,
  unable: (operation: Operation): Reason => ({
    code: "unsupported_operation",
    text: `It does not serve the operation '${operation}' with this model.`,
  }),
  disabled: { code: "disabled", text: "The provider is disabled." },
  notPermitted: { code: "not_permitted", text: "A rule of the key or its project does not allow it." },
} as const;

/** Texts of the codes that the ledger has, where the figures of the moment are not known any more. */
const recordedTexts: Readonly<Record<string, string>> = {
  ...avoidedTexts,
  ...leftOutTexts,
  ...Object.fromEntries(Object.entries(firstTexts).map(([strategy, text]) => [`chosen_by_${strategy}`, text])),
  context_too_short: "It accepts fewer input tokens than the request has.",
  output_too_short: "It returns fewer output tokens than the request allows.",
  not_permitted: placeReason.notPermitted.text,
  unsupported_field: "It does not support a field of the request.",
  unsupported_operation: "It does not serve the operation with this model.",
};

/** A sentence for a decision in the ledger; null for the code of an error. */
export const recordedReason = (code: string): string | null => recordedTexts[code] ?? null;
