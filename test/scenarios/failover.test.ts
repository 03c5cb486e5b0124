// Failover: which candidate of a route is asked next, and when none is.

import { says } from "../support/fixtures.ts";
import type { Call } from "../support/http-client.ts";
import { type Scenario, scenarios } from "../support/scenario.ts";
import type { Reply } from "../support/upstream.ts";
import { gone, lacksAbility } from "./unusable.ts";

const ok = says("openai-chat/text.json");
const limited = says("openai-chat/error-429.json");
const chain: Call = { body: { model: "chain" } };

/** The route "chain" has alpha, beta, gamma and delta in this order. */
const failover: Scenario[] = [
  {
    name: "the first candidate that works is the only one asked",
    call: chain,
    upstream: { alpha: ok, beta: ok },
    sees: { headers: { "x-turnpike-provider": "alpha", "x-turnpike-attempts": "1" } },
    requested: { alpha: [{ body: { model: "gpt-x" } }] },
  },
  {
    name: "after a 429 the next one is asked, with its own model and credential",
    call: chain,
    upstream: { alpha: limited, beta: ok },
    sees: { headers: { "x-turnpike-provider": "beta", "x-turnpike-model": "gpt-b", "x-turnpike-attempts": "2" } },
    requested: { alpha: [{}], beta: [{ body: { model: "gpt-b" }, headers: { authorization: "Bearer canary-beta" } }] },
    ledger: { state: "completed", httpStatus: 200, provider: "beta" },
  },
  {
    name: "after a 500 the next one is asked",
    call: chain,
    upstream: { alpha: says("openai-chat/error-500.json"), beta: ok },
    requested: { alpha: [{}], beta: [{}] },
  },
  {
    name: "after a reset the next one is asked",
    call: chain,
    upstream: { alpha: (line) => line.reset(), beta: ok },
    sees: { headers: { "x-turnpike-provider": "beta", "x-turnpike-attempts": "2" } },
  },
  {
    name: "after a refused connection the next one is asked",
    call: { body: { model: "lucky" } },
    upstream: { beta: ok },
    sees: { headers: { "x-turnpike-provider": "beta", "x-turnpike-attempts": "2" } },
    requested: { beta: [{}] },
  },
  {
    name: "after a refused credential the next one is asked",
    call: chain,
    upstream: { alpha: says("openai-chat/error-401.json"), beta: ok },
    requested: { alpha: [{}], beta: [{}] },
  },
  {
    name: "after a model that the provider does not have the next one is asked",
    call: chain,
    upstream: { alpha: gone, beta: ok },
    sees: { headers: { "x-turnpike-provider": "beta", "x-turnpike-attempts": "2" } },
    requested: { alpha: [{}], beta: [{}] },
  },
  {
    name: "a stream goes on to the next one after such a model too",
    call: { body: { model: "chain", stream: true } },
    upstream: { alpha: gone, beta: says("openai-chat/text.sse") },
    sees: { result: { text: "Hello there, traveller.", isEnded: true } },
    requested: { alpha: [{}], beta: [{}] },
  },
  {
    name: "after a lack of ability the next one is asked",
    call: chain,
    upstream: { alpha: lacksAbility, beta: ok },
    requested: { alpha: [{}], beta: [{}] },
  },
  {
    name: "an error of a route names no model that the client did not ask for",
    call: chain,
    upstream: { alpha: refusesField("gpt-x"), beta: ok },
    sees: {
      status: 400,
      error: { message: "Model chain does not take `top_k`, unlike other models." },
      lacks: ["gpt-x-2024"],
    },
    requested: { alpha: [{}] },
  },
  {
    name: "what the client can act on speaks before what the operator has to mend",
    call: { body: { model: "mixed" } },
    upstream: { alpha: limited, claude: says("anthropic-messages/error-404.json") },
    sees: { status: 429, error: { code: "upstream_rate_limited" }, lacks: ["claude-x:"] },
  },
  {
    name: "the order is the order of the route",
    call: chain,
    upstream: { alpha: limited, beta: says("openai-chat/error-503.json"), gamma: ok },
    sees: { headers: { "x-turnpike-provider": "gamma", "x-turnpike-attempts": "3" } },
    requested: { alpha: [{}], beta: [{}], gamma: [{}] },
  },
  {
    name: "three attempts are the most",
    call: chain,
    upstream: { alpha: limited, beta: limited, gamma: limited, delta: ok },
    sees: { status: 429, error: { type: "rate_limit_error", code: "upstream_rate_limited" } },
    requested: { alpha: [{}], beta: [{}], gamma: [{}] },
    ledger: { state: "failed", httpStatus: 429 },
  },
  {
    name: "a bad request is nobody else's business",
    call: chain,
    upstream: { alpha: says("openai-chat/error-400.json"), beta: ok },
    sees: { status: 400 },
    requested: { alpha: [{}] },
  },
  {
    name: "a stream fails over before its first byte",
    call: { body: { model: "chain", stream: true } },
    upstream: { alpha: says("openai-chat/error-503.json"), beta: says("openai-chat/text.sse") },
    sees: { result: { text: "Hello there, traveller.", isEnded: true } },
    requested: { alpha: [{}], beta: [{}] },
  },
  {
    name: "a stream whose first event is an error fails over",
    call: { body: { model: "chain", stream: true } },
    upstream: { alpha: says("openai-chat/error-first.sse"), beta: says("openai-chat/text.sse") },
    sees: { result: { text: "Hello there, traveller.", isEnded: true } },
    requested: { alpha: [{}], beta: [{}] },
  },
  {
    name: "a route may lead to another dialect",
    call: { body: { model: "mixed" } },
    upstream: { alpha: limited, claude: says("anthropic-messages/text.json") },
    sees: { result: { text: "Hello there, traveller." }, headers: { "x-turnpike-provider": "claude" } },
    requested: { alpha: [{}], claude: [{}] },
  },
];

scenarios("failover", failover, { fresh: true });

function refusesField(model: string): Reply {
  const message = `Model ${model}-2024-08-06 does not take \`top_k\`, unlike other models.`;
  return { status: 400, json: { error: { message, type: "invalid_request_error", param: "top_k", code: null } } };
}
