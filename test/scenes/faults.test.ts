// Faults of upstreams: what each becomes for the client, and who is asked next.
import { expect } from "bun:test";
import type { Call } from "../kit/call.ts";
import { type Scene, type Sees, scenes } from "../kit/scene.ts";
import type { Reply } from "../kit/upstream.ts";
import { says } from "../kit/wires.ts";

const invalid = "invalid_request_error";

/** What the client hears when its only candidate does this. */
function alphaDoes(name: string, reply: Reply, status: number, error: Sees["error"], more: Sees = {}): Scene {
  return { name, upstream: { alpha: reply }, sees: { status, error, ...more } };
}

const upstreamError = { type: "upstream_error" };
const protocol = { ...upstreamError, code: "upstream_protocol_error" };
const elsewhere = { status: 302, headers: { location: "http://localhost:1/secret" } };

const faults: Scene[] = [
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
  alphaDoes("it fails", says("openai-chat/error-500.json"), 502, upstreamError),
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
  alphaDoes("it lies about its length", says("openai-chat/text.json", { contentLength: 100_000 }), 502, upstreamError),
  alphaDoes(
    "it resets inside the body",
    says("openai-chat/text.json", { contentLength: 100_000, ending: "reset" }),
    502,
    upstreamError,
  ),
  { ...alphaDoes("it redirects", elsewhere, 502, upstreamError, { lacks: ["/secret"] }), asked: { alpha: [{}] } },
  {
    name: "it resets before it answers",
    upstream: { alpha: (line) => line.reset() },
    sees: { status: 502, error: upstreamError },
  },
  {
    name: "nobody listens",
    call: { body: { model: "dead/gone" } },
    sees: { status: 502, error: { ...upstreamError, code: "upstream_unreachable" } },
    asked: {},
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

const ok = says("openai-chat/text.json");
const limited = says("openai-chat/error-429.json");
const chain: Call = { body: { model: "chain" } };

/** The route "chain" has alpha, beta, gamma and delta in this order. */
const failover: Scene[] = [
  {
    name: "the first candidate that works is the only one asked",
    call: chain,
    upstream: { alpha: ok, beta: ok },
    sees: { headers: { "x-turnpike-provider": "alpha", "x-turnpike-attempts": "1" } },
    asked: { alpha: [{ body: { model: "gpt-x" } }] },
  },
  {
    name: "after a 429 the next one is asked, with its own model and credential",
    call: chain,
    upstream: { alpha: limited, beta: ok },
    sees: { headers: { "x-turnpike-provider": "beta", "x-turnpike-model": "gpt-b", "x-turnpike-attempts": "2" } },
    asked: { alpha: [{}], beta: [{ body: { model: "gpt-b" }, headers: { authorization: "Bearer canary-beta" } }] },
    ledger: { state: "completed", httpStatus: 200, provider: "beta" },
  },
  {
    name: "after a 500 the next one is asked",
    call: chain,
    upstream: { alpha: says("openai-chat/error-500.json"), beta: ok },
    asked: { alpha: [{}], beta: [{}] },
  },
  {
    name: "after a reset the next one is asked",
    call: chain,
    upstream: { alpha: (line) => line.reset(), beta: ok },
    asked: { alpha: [{}], beta: [{}] },
  },
  {
    name: "after a refused connection the next one is asked",
    call: { body: { model: "lucky" } },
    upstream: { beta: ok },
    sees: { headers: { "x-turnpike-provider": "beta", "x-turnpike-attempts": "2" } },
    asked: { beta: [{}] },
  },
  {
    name: "after a refused credential the next one is asked",
    call: chain,
    upstream: { alpha: says("openai-chat/error-401.json"), beta: ok },
    asked: { alpha: [{}], beta: [{}] },
  },
  {
    name: "the order is the order of the route",
    call: chain,
    upstream: { alpha: limited, beta: says("openai-chat/error-503.json"), gamma: ok },
    sees: { headers: { "x-turnpike-provider": "gamma", "x-turnpike-attempts": "3" } },
    asked: { alpha: [{}], beta: [{}], gamma: [{}] },
  },
  {
    name: "three attempts are the most",
    call: chain,
    upstream: { alpha: limited, beta: limited, gamma: limited, delta: ok },
    sees: { status: 429, error: { type: "rate_limit_error", code: "upstream_rate_limited" } },
    asked: { alpha: [{}], beta: [{}], gamma: [{}] },
    ledger: { state: "failed", httpStatus: 429 },
  },
  {
    name: "a bad request is nobody else's business",
    call: chain,
    upstream: { alpha: says("openai-chat/error-400.json"), beta: ok },
    sees: { status: 400 },
    asked: { alpha: [{}] },
  },
  {
    name: "a stream fails over before its first byte",
    call: { body: { model: "chain", stream: true } },
    upstream: { alpha: says("openai-chat/error-503.json"), beta: says("openai-chat/text.sse") },
    sees: { told: { text: "Hello there, traveller.", isEnded: true } },
    asked: { alpha: [{}], beta: [{}] },
  },
  {
    name: "a stream whose first event is an error fails over",
    call: { body: { model: "chain", stream: true } },
    upstream: { alpha: says("openai-chat/error-first.sse"), beta: says("openai-chat/text.sse") },
    sees: { told: { text: "Hello there, traveller.", isEnded: true } },
    asked: { alpha: [{}], beta: [{}] },
  },
  {
    name: "a route may lead to another dialect",
    call: { body: { model: "mixed" } },
    upstream: { alpha: limited, claude: says("anthropic-messages/text.json") },
    sees: { told: { text: "Hello there, traveller." }, headers: { "x-turnpike-provider": "claude" } },
    asked: { alpha: [{}], claude: [{}] },
  },
];

scenes("an upstream's fault reaches the client as", faults, { fresh: true });
scenes("failover", failover, { fresh: true });

function mentions(words: string): unknown {
  return expect.stringContaining(words);
}

function brokenChunk(): Reply {
  return {
    head: "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n",
    text: "zz",
  };
}
