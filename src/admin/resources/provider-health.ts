// The member `health` of a provider: the state of each credential, and of its models that routes name.
import { Type } from "typebox";
import type { LimitUse } from "../../gateway/routing/provider-limits.ts";
import {
  conditionNames,
  type LastError,
  type MeasuredState,
  type ModelState,
  type UpstreamState,
} from "../../gateway/routing/upstream-state.ts";
import type { JsonObject } from "../../lib/json.ts";
import { dollars, integer, isoTime, nullable, text, time } from "../fields.ts";

/** The present state of the upstreams, and the wall time of their monotonic times. */
export interface ProviderStates extends WallTime {
  /** Empty for a provider that is not served. */
  of(provider: string): readonly UpstreamState[];
  /** Its own limits and those of its credentials, with what is used of each. */
  limitUses(provider: string): readonly LimitUse[];
}

/** Unix milliseconds of a monotonic time. */
export interface WallTime {
  wallMs(monotonicMs: number): number;
}

const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

/** Schemas of the members of a state. */
export const measured = {
  state: Type.Enum([...new Set(Object.values(conditionNames))], {
    description:
      "`available`; `rate_limited` by the provider; `breaker_open` after failures; `half_open` while one request decides whether it is used again; `set_aside` because the provider does not have the model or refuses the credential for it.",
  }),
  breaker: Type.Enum(["closed", "open", "half_open"], { description: "State of its circuit breaker." }),
  until: nullable(time("Until when it is avoided; null where it is used.")),
  in_flight: integer("Requests in progress."),
  requests: integer("Attempts of the last one to two minutes."),
  error_rate: nullable(share("Share of them that failed; null without any.")),
  first_token_ms: nullable(Type.Number({ description: "Mean time until the first event of a stream." })),
  response_ms: nullable(Type.Number({ description: "Mean time of a response that is not streamed." })),
  last_error: nullable(
    Type.Object({
      code: text("Code."),
      status: nullable(integer("Status that the provider returned.")),
      message: text("What the provider answered, or why it could not be reached. Without credentials and addresses."),
      at: time("When it occurred."),
    }),
  ),
};

/** The schema of the member. */
export const healthSchema = Type.Array(
  Type.Object({
    credential: nullable(text("Name of the credential; null where the provider has only one.")),
    ...measured,
    models: Type.Array(Type.Object({ model: text("The provider's own name of the model."), ...measured }), {
      description: "Models that routes name and that were requested.",
    }),
  }),
  { description: "State of each credential in the process that answers; empty before the provider is served." },
);

const limitNames: { readonly [limit in LimitUse["limit"]]: string } = {
  requestsPerMinute: "requests_per_minute",
  tokensPerMinute: "tokens_per_minute",
  concurrentRequests: "concurrent_requests",
  costPerDay: "cost_per_day",
};

/** The schema of the member `limit_use`. */
export const limitUseSchema = Type.Array(
  Type.Object({
    credential: nullable(text("Name of the credential; null for the limits of the provider as a whole.")),
    limit: Type.Enum(["requests_per_minute", "tokens_per_minute", "concurrent_requests", "cost_per_day"], {
      description: "Which limit.",
    }),
    most: text("The limit. Costs are in US dollars."),
    used: text("What is used of it."),
  }),
  { description: "Limits of the provider and of its credentials, and how much the process that answers uses of them." },
);

const amountOf = (amount: number | bigint): string =>
  typeof amount === "bigint" ? (dollars(amount) ?? "0") : String(amount);

/** The member `limit_use` of one provider. */
export const limitUseMembers = (states: ProviderStates, provider: string): JsonObject[] =>
  states.limitUses(provider).map(({ credential, limit, most, used }) => ({
    ...{ credential, limit: limitNames[limit], most: amountOf(most), used: amountOf(used) },
  }));

const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms * 10) / 10);
const rateOf = ({ attempts, failures }: MeasuredState): number | null =>
  attempts === 0 ? null : Math.round((failures / attempts) * 10_000) / 10_000;

function errorMember(error: LastError | null, { wallMs }: WallTime): JsonObject | null {
  if (error === null) return null;
  const { code, status, text: message, atMs } = error;
  return { code, status, message, at: isoTime(wallMs(atMs)) };
}

/** The members of a state. */
export const measuredMembers = (state: MeasuredState, states: WallTime): JsonObject => ({
  state: conditionNames[state.condition],
  breaker: state.breaker,
  until: state.untilMs === 0 ? null : isoTime(states.wallMs(state.untilMs)),
  in_flight: state.inFlight,
  requests: state.attempts,
  error_rate: rateOf(state),
  first_token_ms: rounded(state.firstTokenMs),
  response_ms: rounded(state.replyMs),
  last_error: errorMember(state.lastError, states),
});

const modelMembers = (state: ModelState, states: ProviderStates): JsonObject => ({
  model: state.model,
  ...measuredMembers(state, states),
});

/** The member for one provider. */
export const healthMembers = (states: ProviderStates, provider: string): JsonObject[] =>
  states.of(provider).map((state) => ({
    credential: state.credential,
    ...measuredMembers(state, states),
    models: state.models.map((each) => modelMembers(each, states)),
  }));
