// Counts of tokens over the wire: by a provider's own counter in its own words, and estimated where there is none.
import { expect } from "bun:test";
import { at } from "../support/chat-stream-reader.ts";
import type { UpstreamName } from "../support/fixture-gateway.ts";
import { type Scenario, scenarios } from "../support/scenario.ts";

const counts: Scenario[] = [
  {
    name: "Anthropic's count is relayed by who can count",
    call: { to: "count" },
    upstream: { claude: { json: { input_tokens: 14 } } },
    sees: { body: { input_tokens: 14 }, headers: { "x-turnpike-provider": "claude" } },
    requested: { claude: [{ path: "/v1/messages/count_tokens", lacksFields: ["max_tokens", "stream"] }] },
    ledger: { state: "completed", operation: "count", inputTokens: 0 },
  },
  {
    name: "Google's count is relayed by who can count",
    call: { to: "gemini-count" },
    upstream: { google: { json: { totalTokens: 31 } } },
    sees: { body: { totalTokens: 31 }, headers: { "x-turnpike-provider": "google" } },
    requested: { google: [{ path: "/v1beta/models/gemini-x:countTokens" }] },
  },
  {
    name: "Google's count under generateContentRequest",
    call: {
      to: "gemini-count",
      body: {
        contents: undefined,
        generateContentRequest: { model: "models/gemini-x", contents: [{ role: "user", parts: [{ text: "hi" }] }] },
      },
    },
    upstream: { google: { json: { totalTokens: 3 } } },
    sees: { body: { totalTokens: 3 } },
    requested: { google: [{ body: { generateContentRequest: { model: "models/gemini-x" } } }] },
  },
  {
    name: "Anthropic's count of a Google model",
    call: { to: "count", body: { model: "gemini-x", system: "Be brief." } },
    upstream: { google: { json: { totalTokens: 31 } } },
    sees: { body: { input_tokens: 31 }, headers: { "x-turnpike-provider": "google" } },
  },
  {
    name: "Google's count of an Anthropic model",
    call: { to: "gemini-count", body: { model: "claude-x" } },
    upstream: { claude: { json: { input_tokens: 14 } } },
    sees: { body: { totalTokens: 14 }, headers: { "x-turnpike-provider": "claude" } },
    requested: { claude: [{ path: "/v1/messages/count_tokens", lacksFields: ["max_tokens", "stream"] }] },
  },
  {
    name: "Anthropic's count of an OpenAI model",
    call: { to: "count", body: { model: "gpt-r" } },
    upstream: { responder: { json: { object: "response.input_tokens", input_tokens: 21 } } },
    sees: { body: { input_tokens: 21 }, headers: { "x-turnpike-provider": "responder" } },
    requested: { responder: [{ path: "/v1/responses/input_tokens", lacksFields: ["max_output_tokens", "stream"] }] },
  },
  ...(["count", "gemini-count"] as const).flatMap((to) =>
    ["gpt-x"].map(
      (model): Scenario => ({
        name: `${to} of ${model}, whose provider has no counter, is an estimate and says so`,
        call: { to, body: { model } },
        sees: { headers: { "x-turnpike-provider": "estimate" } },
        // OpenAI's own kind has one, which this server answers with 404 the first time.
        ...(model === "gpt-x" ? { requested: {} } : {}),
        also: (received) => {
          const tokens = Number(at(received.json, "input_tokens") ?? at(received.json, "totalTokens"));
          expect(tokens).toBeGreaterThan(2);
          expect(tokens).toBeLessThan(20);
        },
      }),
    ),
  ),
  {
    name: "a count of an unknown model",
    call: { to: "count", body: { model: "nobody" } },
    sees: { status: 404, error: { code: "model_not_found", param: "model" } },
    requested: {},
  },
  {
    name: "a count of nothing",
    call: { to: "gemini-count", body: { contents: undefined } },
    sees: { status: 400, error: { code: "missing_required_parameter", param: "contents" } },
    requested: {},
  },
];

const withoutPath: [model: string, upstream: UpstreamName, paths: string[]][] = [
  ["claude-x", "claude", ["/v1/messages/count_tokens"]],
  ["gemini-x", "google", ["/v1beta/models/gemini-x:countTokens"]],
  ["gpt-r", "responder", ["/v1/responses/input_tokens"]],
];

/** A gateway for each, because a counter that is missing is not asked again. */
const missing: Scenario[] = withoutPath.flatMap(([model, upstream, paths]) =>
  ([404, 405, 501] as const).flatMap((status) =>
    (["count", "gemini-count"] as const).map((to) => ({
      name: `${to} of ${model}, whose counter answers ${status}, is an estimate`,
      call: { to, body: { model } },
      upstream: { [upstream]: { status, json: { detail: "no" } } },
      sees: { headers: { "x-turnpike-provider": "estimate" } },
      requested: { [upstream]: paths.map((path) => ({ path })) },
    })),
  ),
);

scenarios("counts of tokens", counts);
scenarios("counters that are missing", missing, { fresh: true });
