// `POST routes/explain`: the candidates that a request for a model would be sent to, in order, with the state that decides.
import { type Static, Type } from "typebox";
import { GatewayError } from "../../canonical/error.ts";
import type { Operation } from "../../canonical/operation.ts";
import type { Caller } from "../../gateway/policy/caller.ts";
import { operationNames } from "../../gateway/policy/rules.ts";
import type { TokenPrices } from "../../gateway/prices/per-million.ts";
import {
  type ExplainedParts,
  type ExplainedRoute,
  explainRoute,
  type RoutedCandidate,
  type RouteExplanation,
  type SkippedCandidate,
} from "../../gateway/routing/explain.ts";
import type { JsonObject } from "../../lib/json.ts";
import { withoutUndefined } from "../../lib/json.ts";
import type { ProviderLimits } from "../../providers/provider.ts";
import { closed, dollars, integer, money, nullable, shortText, text } from "../fields.ts";
import type { Action } from "../resource.ts";
import { measured, measuredMembers, type WallTime } from "./provider-health.ts";

export interface ExplainDependencies {
  /** The state of the process that answers. */
  readonly explained: () => ExplainedParts;
  /** Undefined for an unknown or revoked key. */
  readonly callerOf: (keyId: string) => Caller | undefined;
  readonly wallMs: WallTime["wallMs"];
  readonly attemptBound: () => number;
}

const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
const tokens = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000, description }));

const body = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 512, description: "The model that the request names." }),
    operation: Type.Optional(
      Type.Enum([...operationNames], { type: "string", description: "Operation of the request. Default `chat`." }),
    ),
    key_id: Type.Optional(shortText("The key of the request. Default: one that may do everything.")),
    stream: flag("Whether the request is streamed, for routes with the strategy `fastest`."),
    images: flag("Whether the request has images."),
    tools: flag("Whether the request has tools."),
    json_schema: flag("Whether the request has a JSON Schema for the output."),
    input_tokens: tokens("Tokens of the input."),
    output_tokens: tokens("Tokens of output that the request allows."),
  },
  closed,
);

type Body = Static<typeof body>;

const reasonMembers = {
  code: text("Why, as a code: `chosen_by_weighted`, `later_tier`, `breaker_open`, `lacks_images`, and so on."),
  reason: text("The same as a sentence."),
};

const perMillion = (of: string) =>
  Type.Object(
    { input: money("For a million tokens of input."), output: money("For a million tokens of output.") },
    { description: of },
  );

const limit = Type.Object({
  requests_per_minute: Type.Optional(integer("Requests per minute.")),
  tokens_per_minute: Type.Optional(integer("Tokens per minute.")),
  concurrent_requests: Type.Optional(integer("Concurrent requests.")),
  cost_per_day: Type.Optional(text("Cost per day in US dollars.")),
});

const candidate = Type.Object({
  provider: text("Provider."),
  model: text("The provider's model ID."),
  credential: nullable(text("Name of the credential; null where the provider has only one.")),
  ...reasonMembers,
  tier: integer("Lower tiers come first."),
  weight: Type.Number({ description: "Its weight, times that of its credential." }),
  share: nullable(
    Type.Number({ description: "Its share of the requests that come to its place, where chance decides." }),
  ),
  after: nullable(text("For a fallback: after which failure.")),
  dialects: Type.Array(text("A format in which it is called.")),
  supports: Type.Object({
    images: Type.Optional(Type.Boolean()),
    tools: Type.Optional(Type.Boolean()),
    json_schema: Type.Optional(Type.Boolean()),
    max_input_tokens: Type.Optional(Type.Integer()),
    max_output_tokens: Type.Optional(Type.Integer()),
  }),
  supports_listed: Type.Array(text("A member of `supports`."), {
    description: "What only the provider's model list contains: it chooses among candidates and refuses nothing.",
  }),
  limits: Type.Array(limit, { description: "Limits of its provider and of its credential." }),
  ...measured,
  cost_per_million: perMillion("What the provider charges."),
  price_per_million: perMillion("What the caller pays."),
});

const reply = Type.Object({
  object: Type.Literal("route_explanation"),
  model: text("The name that was looked up: the default model of the project for `default`."),
  operation: text("Operation."),
  key_id: nullable(text("The key; null for one that may do everything.")),
  found: nullable(text("How the name was found: `route`, `prefix`, `listed` or `unlisted`; null for an unknown name.")),
  route: nullable(
    Type.Object({
      name: text("Its name: another one for an alias or a pattern."),
      strategy: text("How candidates of a tier are put in order."),
      aliases: Type.Array(text("Another name of it.")),
      affinity_seconds: integer("How long a conversation stays with its candidate."),
      repeats: integer("How often a candidate is tried again before the next one."),
    }),
  ),
  refusal: nullable(
    Type.Object({ code: text("Code."), message: text("Message.") }, { description: "The error of such a request." }),
  ),
  max_attempts: integer("Attempts for one request."),
  candidates: Type.Array(candidate, { description: "In the order in which they are query." }),
  skipped: Type.Array(
    Type.Object({
      provider: text("Provider."),
      model: nullable(text("The provider's model ID; null where it does not have the model.")),
      credential: nullable(text("Name of the credential.")),
      ...reasonMembers,
    }),
    { description: "Candidates and providers that are not query." },
  ),
});

const msPerSecond = 1_000;

const limitMembers = (given: ProviderLimits): JsonObject =>
  withoutUndefined({
    requests_per_minute: given.requestsPerMinute,
    tokens_per_minute: given.tokensPerMinute,
    concurrent_requests: given.concurrentRequests,
    cost_per_day: given.costPerDay === undefined ? undefined : dollars(given.costPerDay),
  });

const priceMembers = ({ input, output }: TokenPrices): JsonObject => ({
  ...{ input: dollars(input), output: dollars(output) },
});

const supportNames: { readonly [name in keyof RoutedCandidate["supports"]]-?: string } = {
  ...{ images: "images", tools: "tools", jsonSchema: "json_schema" },
  ...{ maxInputTokens: "max_input_tokens", maxOutputTokens: "max_output_tokens" },
};

function candidateMembers(each: RoutedCandidate, wall: WallTime): JsonObject {
  const { provider, model, credential, reason, tier, weight, share, after, supports, listed } = each;
  return {
    ...{ provider, model, credential, code: reason.code, reason: reason.text, tier, weight, share, after },
    dialects: [...each.dialects],
    supports: withoutUndefined({
      ...{ images: supports.images, tools: supports.tools, json_schema: supports.jsonSchema },
      ...{ max_input_tokens: supports.maxInputTokens, max_output_tokens: supports.maxOutputTokens },
    }),
    supports_listed: listed.map((name) => supportNames[name]),
    limits: each.limits.map(limitMembers),
    ...measuredMembers(each.state, wall),
    cost_per_million: priceMembers(each.prices.cost),
    price_per_million: priceMembers(each.prices.price),
  };
}

const routeMembers = ({ name, strategy, aliases, affinityMs, repeats }: ExplainedRoute): JsonObject => ({
  ...{ name, strategy, aliases: [...aliases], affinity_seconds: Math.round(affinityMs / msPerSecond), repeats },
});

const skippedMembers = ({ provider, model, credential, reason }: SkippedCandidate): JsonObject => ({
  ...{ provider, model, credential, code: reason.code, reason: reason.text },
});

/** The explanation as the admin API and the command line write it. */
export const explanationMembers = (
  { model, found, route, refusal, candidates, skipped }: RouteExplanation,
  wall: WallTime,
): JsonObject => ({
  ...{ model, found, route: route === null ? null : routeMembers(route) },
  refusal: refusal === null ? null : { code: refusal.code, message: refusal.message },
  candidates: candidates.map((each) => candidateMembers(each, wall)),
  skipped: skipped.map(skippedMembers),
});

function callerOf({ callerOf: find }: ExplainDependencies, keyId: string | undefined): Caller | undefined {
  const caller = keyId === undefined ? undefined : find(keyId);
  if (caller !== undefined || keyId === undefined) return caller;
  throw new GatewayError("invalid_value", "Invalid 'key_id': no key has this ID, or it is revoked.", {
    param: "key_id",
  });
}

/** Explains what a request would get, without sending one. */
export function explainAction(dependencies: ExplainDependencies): Action {
  return {
    summary:
      "Lists the candidates that a request for a model would be sent to now, in order, and why others are left out.",
    ...{ scope: "collection", effect: "read", body, reply },
    async run(_context, _id, given) {
      const query = given as Body;
      const { model, operation = "chat", key_id: keyId, stream } = query;
      const explanation = explainRoute(dependencies.explained(), {
        ...{ model, operation: operation as Operation, caller: callerOf(dependencies, keyId), isStream: stream },
        needs: {
          ...{ images: query.images ?? false, tools: query.tools ?? false, jsonSchema: query.json_schema ?? false },
          ...{ inputTokens: query.input_tokens ?? 0, outputTokens: query.output_tokens ?? 0 },
        },
      });
      return {
        ...{ object: "route_explanation", operation, key_id: keyId ?? null, max_attempts: dependencies.attemptBound() },
        ...explanationMembers(explanation, dependencies),
      };
    },
  };
}
