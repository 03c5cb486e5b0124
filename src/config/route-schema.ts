// The shape of a route in turnpike.yaml: its candidates, how they are chosen, and what follows a failure.
import { Type } from "typebox";
import { operationNames } from "../gateway/policy/rules.ts";
import { defaultTimeouts, maxTimeoutMs, reasoningTimeouts, type Timeouts, timeoutRows } from "../providers/timeouts.ts";

const closed = { additionalProperties: false } as const;
const name = (description: string) => Type.String({ minLength: 1, description });
const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
const count = (description: string, maximum = 1_000_000_000) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum, description }));

const supports = Type.Object(
  {
    images: flag("Whether it accepts images."),
    tools: flag("Whether it can call tools."),
    json_schema: flag("Whether it accepts a JSON Schema for its output."),
    max_input_tokens: count("Input tokens that it accepts, by the gateway's estimate."),
    max_output_tokens: count("The largest bound on output that it accepts."),
  },
  {
    ...closed,
    description:
      "What the model accepts. A request that needs more is not sent to it. Takes precedence over `model_capabilities` of the provider.",
  },
);

const candidate = Type.Object(
  {
    provider: Type.Optional(name("Name of a provider.")),
    model: Type.Optional(
      name("The provider's model ID. `*` is the name that the client used, for routes whose name is a pattern."),
    ),
    route: Type.Optional(name("A route whose candidates are used here, instead of `provider` and `model`.")),
    tier: count("Candidates of a lower tier are tried first. Default 1.", 100),
    weight: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1_000_000,
        description:
          "Share of the candidate for the strategy `weighted`, and its capacity for `least_busy`. Default 1.",
      }),
    ),
    supports: Type.Optional(supports),
  },
  closed,
);

const timeout = (name: keyof Timeouts) => {
  const [usual, longer] = [defaultTimeouts[name], reasoningTimeouts[name]];
  const ofReasoning = longer === usual ? "" : `, for models that reason ${longer}`;
  return count(`${timeoutRows[name].meaning} Default ${usual}${ofReasoning}.`, maxTimeoutMs);
};

/** Of a provider, a route, and an operation of a route. */
export const timeoutFields = {
  connect_timeout_ms: timeout("connectMs"),
  first_byte_timeout_ms: timeout("firstByteMs"),
  idle_timeout_ms: timeout("idleMs"),
  timeout_ms: timeout("wholeMs"),
};

const routeTimeoutFields = {
  ...timeoutFields,
  total_timeout_ms: count(
    "Time for all attempts together: until the response, or the first event of a stream. Default: `limits.request_ms`.",
    maxTimeoutMs,
  ),
};

const fallback = Type.Object(
  {
    route: name("A route whose candidates are tried last."),
    after: Type.Optional(
      Type.Array(Type.Enum(["error", "context_length", "content_refusal"]), {
        minItems: 1,
        uniqueItems: true,
        description:
          "`error`: no candidate responded. `context_length`: the request is too long for the model. `content_refusal`: the provider refused its content. Default `[error]`.",
      }),
    ),
  },
  closed,
);

/** The fields of a route that configure its order. */
export const routingFields = {
  candidates: Type.Array(candidate, {
    minItems: 1,
    description: "Candidates, tried in this order unless `strategy` changes it.",
  }),
  strategy: Type.Optional(
    Type.Enum(["ordered", "weighted", "least_busy", "fastest", "cheapest"], {
      description:
        "Order within a tier: as written, at random by `weight`, by requests in progress, by the time to the first token, or by cost. Default `ordered`.",
    }),
  ),
  exploration_percent: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description: "`fastest`: percentage of requests in random order, so that every candidate is measured. Default 5.",
    }),
  ),
  affinity_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 86_400,
      description:
        "How long a conversation stays with the candidate that responded last, so that its prompt cache is used. Default 300, and 0 for `ordered`.",
    }),
  ),
  repeats: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 10,
      description: "How often the same candidate is tried again before the next one. Default 0.",
    }),
  ),
  queue: Type.Optional(
    Type.Object(
      {
        max_requests: count("Requests of the route that may wait at the same time. Default 100.", 100_000),
        max_wait_ms: count("How long a request waits before it gets the 429 or 503. Default 10000.", 3_600_000),
      },
      {
        ...closed,
        description:
          "Lets requests wait for their turn where a rate limit, a limit on concurrent requests or the load of the gateway would refuse them. Keys take turns; `priority` of a key goes first.",
      },
    ),
  ),
  aliases: Type.Optional(
    Type.Array(name("Another name of the route."), { maxItems: 100, description: "Other names." }),
  ),
  fallbacks: Type.Optional(Type.Array(fallback, { maxItems: 10, description: "Other routes that are tried last." })),
  ...routeTimeoutFields,
  operations: Type.Optional(
    Type.Partial(
      Type.Object(
        Object.fromEntries(
          operationNames.map((operation) => [operation, Type.Object(routeTimeoutFields, closed)]),
        ) as Record<(typeof operationNames)[number], ReturnType<typeof timeoutsOf>>,
        closed,
      ),
      { ...closed, description: "Timeouts of the route for single operations." },
    ),
  ),
};

function timeoutsOf() {
  return Type.Object(routeTimeoutFields, closed);
}
