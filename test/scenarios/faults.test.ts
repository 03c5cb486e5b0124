// Faults of upstreams: what each becomes for the client, and who is asked next.
import { expect } from "bun:test";
import { says, saysOnly } from "../support/fixtures.ts";
import { type Scenario, type Sees, scenarios } from "../support/scenario.ts";
import type { Reply } from "../support/upstream.ts";
import { gone, lacksAbility } from "./unusable.ts";

const invalid = "invalid_request_error";

/** What the client hears when its only candidate does this. */
function alphaDoes(
  name: string,
  reply: Reply,
  status: number,
  error: NonNullable<Sees["error"]>,
  more: Sees = {},
): Scenario {
  return { name, upstream: { alpha: reply }, sees: { status, error, ...more } };
}

const upstreamError = { type: "upstream_error" };
const protocol = { ...upstreamError, code: "upstream_protocol_error" };
const truncated = { ...upstreamError, code: "upstream_truncated" };
const elsewhere = { status: 302, headers: { location: "http://localhost:1/secret" } };

const fromAlpha = { "x-turnpike-provider": "alpha", "x-turnpike-model": "gpt-x", "x-turnpike-attempts": "1" };
const noRetry: Sees = { headers: { "x-should-retry": "false", ...fromAlpha }, lacks: ["sk-up"] };
const credentials = { ...upstreamError, code: "upstream_credentials" };

const refusesKey = (status: number): Reply => ({
  status,
  json: {
    error: {
      message: "Incorrect API key provided: sk-up********.",
      type: "invalid_request_error",
      param: null,
      code: "invalid_api_key",
    },
  },
});

const faults: Scenario[] = [
  {
    ...alphaDoes("it says the request is bad", says("openai-chat/error-400.json"), 400, {
      type: invalid,
      code: "unsupported_value",
      param: "temperature",
      message: mentions("only the default"),
    }),
    ledger: { state: "rejected", httpStatus: 400, provider: "alpha" },
  },
  alphaDoes("it says the prompt is too long", says("openai-chat/error-context.json"), 400, {
    code: "context_length_exceeded",
  }),
  alphaDoes(
    "it refuses our credential",
    says("openai-chat/error-401.json"),
    502,
    { ...upstreamError, code: "upstream_credentials" },
    { lacks: ["sk-up", "platform.example.com"], headers: { "x-should-retry": "false" } },
  ),
  alphaDoes(
    "it limits our rate",
    says("openai-chat/error-429.json", { headers: { "retry-after": "7" } }),
    429,
    { type: "rate_limit_error", code: "upstream_rate_limited" },
    { headers: { "retry-after": "7" }, lacks: ["org-abc"] },
  ),
  alphaDoes(
    "it does not have the model",
    gone,
    404,
    { type: invalid, code: "model_not_found", message: mentions("does not have this model") },
    { headers: { "x-should-retry": "false", ...fromAlpha }, lacks: ["gpt-x` does"] },
  ),
  alphaDoes("it refuses our credential as a bad request", refusesKey(400), 502, credentials, noRetry),
  alphaDoes("it refuses our credential as an unknown path", refusesKey(404), 502, credentials, noRetry),
  alphaDoes("it refuses our credential as invalid input", refusesKey(422), 502, credentials, noRetry),
  alphaDoes("it lacks the ability", lacksAbility, 400, { type: invalid, code: "unsupported_parameter" }, noRetry),
  alphaDoes(
    "it implements nothing of the kind",
    { status: 501, text: "" },
    400,
    { code: "unsupported_parameter" },
    noRetry,
  ),
  alphaDoes("it fails", says("openai-chat/error-500.json"), 502, { ...upstreamError, code: "upstream_failed" }),
  {
    ...alphaDoes("its stream says nothing", { frames: [] }, 502, truncated),
    call: { body: { stream: true } },
  },
  {
    ...alphaDoes("its stream is cut after the first events", saysOnly(2, "openai-chat/text.sse"), 200, truncated),
    call: { body: { stream: true } },
  },
  {
    ...alphaDoes(
      "its connection closes after the first events",
      saysOnly(2, "openai-chat/text.sse", { ending: "cut", gapMs: 100 }),
      200,
      truncated,
    ),
    call: { body: { stream: true } },
  },
  alphaDoes("it is overloaded", says("openai-chat/error-503.json"), 503, { type: "unavailable_error" }),
  alphaDoes(
    "it answers a page",
    { text: "<html>hello</html>", headers: { "content-type": "text/html" } },
    502,
    protocol,
  ),
  alphaDoes(
    "it answers broken JSON",
    { text: '{"id": ', headers: { "content-type": "application/json" } },
    502,
    protocol,
  ),
  alphaDoes("it answers JSON that is no reply", { json: { hello: 1 } }, 502, protocol),
  alphaDoes("it answers 204", { status: 204, headers: { "content-length": "0" } }, 502, protocol),
  alphaDoes("it answers a chunk that is none", brokenChunk(), 502, upstreamError),
  alphaDoes("it lies about its length", says("openai-chat/text.json", { contentLength: 100_000 }), 502, truncated),
  alphaDoes(
    "it resets inside the body",
    says("openai-chat/text.json", { contentLength: 100_000, ending: "reset" }),
    502,
    truncated,
  ),
  { ...alphaDoes("it redirects", elsewhere, 502, upstreamError, { lacks: ["/secret"] }), requested: { alpha: [{}] } },
  {
    name: "it resets before it answers",
    upstream: { alpha: (line) => line.reset() },
    sees: { status: 502, error: upstreamError },
  },
  {
    name: "nobody listens",
    call: { body: { model: "dead/gone" } },
    sees: { status: 502, error: { ...upstreamError, code: "upstream_unreachable" } },
    requested: {},
    ledger: { state: "failed", httpStatus: 502 },
  },
  {
    name: "a chat client hears of an overloaded claude",
    call: { body: { model: "claude-x" } },
    upstream: { claude: says("anthropic-messages/error-529.json", { status: 529 }) },
    sees: { status: 503, error: { type: "unavailable_error" } },
  },
  {
    name: "a messages client hears of an overloaded claude in its own words",
    call: { to: "messages" },
    upstream: { claude: says("anthropic-messages/error-529.json", { status: 529 }) },
    sees: { status: 529, error: { type: "overloaded_error" } },
  },
  {
    name: "a messages client hears of a bad request in its own words",
    call: { to: "messages" },
    upstream: { claude: says("anthropic-messages/error-400.json") },
    sees: { status: 400, body: { type: "error" }, error: { type: invalid, message: mentions("maximum allowed") } },
  },
  {
    name: "a messages client of a chat upstream reads its prompt's length in the words that it knows",
    call: { to: "messages", body: { model: "gpt-x" } },
    upstream: { alpha: says("openai-chat/error-context.json") },
    sees: { status: 400, error: { type: invalid, message: mentions("prompt is too long") } },
  },
];

scenarios("an upstream's fault reaches the client as", faults, { fresh: true });

function mentions(words: string): unknown {
  return expect.stringContaining(words);
}

function brokenChunk(): Reply {
  return {
    head: "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n",
    text: "zz",
  };
}
