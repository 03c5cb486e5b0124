// Errors of requests: every row of the contract's table that a caller can reach before anyone is asked.
import { expect } from "bun:test";
import type { Call } from "../support/http-client.ts";
import { type Scenario, type Sees, scenarios } from "../support/scenario.ts";

const invalid = "invalid_request_error";

/** A call that is refused before any upstream is asked. */
function refused(
  name: string,
  call: Call,
  status: number,
  error: NonNullable<Sees["error"]>,
  more: Sees = {},
): Scenario {
  return { name, call, sees: { status, error, ...more }, requested: {}, ledger: "none" };
}

const keys: Scenario[] = [
  refused("no key", { key: "none" }, 401, { type: "authentication_error", code: "missing_api_key", param: null }),
  refused("an unknown key", { key: "tp-wrong" }, 401, { type: "authentication_error", code: "invalid_api_key" }),
  refused("a key of 10 KB", { key: "k".repeat(10_000) }, 401, { code: "invalid_api_key" }),
  refused("a key that is SQL", { key: "' OR 1=1 --" }, 401, { code: "invalid_api_key" }),
  refused("two different keys", { to: "messages", headers: { "x-api-key": "tp-other" } }, 401, {
    type: "authentication_error",
  }),
  refused(
    "no key on the messages path",
    { to: "messages", key: "none" },
    401,
    { type: "authentication_error" },
    {
      body: { type: "error", request_id: expectText() },
      headers: { "request-id": /./ },
    },
  ),
  refused("no key, whatever the body", { key: "none", rawBody: "{" }, 401, { code: "missing_api_key" }),
  refused("no key on the list of models", { key: "none", method: "GET", path: "/v1/models" }, 401, {
    code: "missing_api_key",
  }),
];

const paths: Scenario[] = [
  refused("an unknown path", { path: "/v1/nothing" }, 404, { type: invalid, code: "not_found" }),
  refused("a path without /v1", { path: "/chat/completions" }, 404, { code: "not_found", message: mentions("/v1") }),
  refused("a path with /v1 twice", { path: "/v1/v1/chat/completions" }, 404, {
    code: "not_found",
    message: mentions("/v1"),
  }),
  refused(
    "a wrong method",
    { method: "GET" },
    405,
    { type: invalid, code: "method_not_allowed" },
    {
      headers: { allow: /POST/ },
    },
  ),
  refused("a wrong method on the list of models", { method: "POST", path: "/v1/models" }, 405, {
    code: "method_not_allowed",
  }),
  refused("an unknown model", { body: { model: "nobody" } }, 404, { type: invalid, code: "model_not_found" }),
  refused("an unknown model of a known provider's name", { body: { model: "nobody/gpt-x" } }, 404, {
    code: "model_not_found",
  }),
  refused("an unknown model, said as messages says it", { to: "messages", body: { model: "nobody" } }, 404, {
    type: "not_found_error",
    code: "model_not_found",
  }),
  refused("an unknown model in the list", { method: "GET", path: "/v1/models/nobody" }, 404, {
    code: "model_not_found",
  }),
];

/** One fault in the body: the field and what the error must say. */
function faulty(param: string, code: string, body: Record<string, unknown>, to: Call["to"] = "chat"): Scenario {
  return refused(`${to}: ${param} ${JSON.stringify(body[param.split(/[.[]/)[0] ?? ""])}`, { to, body }, 400, {
    type: invalid,
    code,
    param,
  });
}

const user = { role: "user", content: "hi" };

const bodies: Scenario[] = [
  faulty("model", "missing_required_parameter", { model: undefined }),
  faulty("model", "invalid_type", { model: 5 }),
  faulty("messages", "missing_required_parameter", { messages: undefined }),
  faulty("messages", "invalid_type", { messages: "hi" }),
  faulty("messages[0].role", "missing_required_parameter", { messages: [{ content: "hi" }] }),
  faulty("messages[1].content[0].type", "missing_required_parameter", {
    messages: [user, { role: "user", content: [{ text: "hi" }] }],
  }),
  faulty("temperature", "invalid_value", { temperature: 2.5 }),
  faulty("temperature", "invalid_value", { temperature: -0.1 }),
  faulty("temperature", "invalid_type", { temperature: "1" }),
  faulty("top_p", "invalid_value", { top_p: 1.1 }),
  faulty("n", "invalid_value", { n: 0 }),
  faulty("n", "invalid_type", { n: 1.5 }),
  faulty("presence_penalty", "invalid_value", { presence_penalty: 2.1 }),
  faulty("frequency_penalty", "invalid_value", { frequency_penalty: -2.1 }),
  faulty("stream", "invalid_type", { stream: "yes" }),
  faulty("reasoning_effort", "invalid_value", { reasoning_effort: "extreme" }),
  faulty("modalities[0]", "invalid_value", { modalities: ["smell"] }),
  faulty("max_tokens", "missing_required_parameter", { max_tokens: undefined }, "messages"),
  faulty("max_tokens", "invalid_value", { max_tokens: 0 }, "messages"),
  faulty("temperature", "invalid_value", { temperature: 1.1 }, "messages"),
  faulty("thinking.type", "invalid_value", { thinking: { type: "sometimes" } }, "messages"),
  faulty("speed", "invalid_value", { speed: "ludicrous" }, "messages"),
  faulty("service_tier", "invalid_value", { service_tier: "gold" }, "messages"),
  faulty("tool_choice.type", "invalid_value", { tool_choice: { type: "some" } }, "messages"),
  refused("messages: no version header", { to: "messages", headers: { "anthropic-version": null } }, 400, {
    code: "missing_required_parameter",
    message: mentions("version"),
  }),
  refused("a body that is not JSON", { rawBody: "{not json" }, 400, {
    type: invalid,
    code: "invalid_json",
    param: null,
  }),
  refused("an empty body", { rawBody: "" }, 400, { code: "invalid_json" }),
  refused("a body that is not an object", { rawBody: "[1]" }, 400, { type: invalid }),
  refused("a content type that is not JSON", { headers: { "content-type": "text/plain" } }, 415, {
    type: invalid,
    code: "unsupported_media_type",
  }),
  refused("an unknown content encoding", { headers: { "content-encoding": "lzma" } }, 415, {
    code: "unsupported_media_type",
  }),
];

scenarios("errors of keys", keys);
scenarios("errors of paths and models", paths);
scenarios("errors of bodies", bodies);

function mentions(words: string): unknown {
  return expect.stringContaining(words);
}

function expectText(): unknown {
  return expect.stringMatching(/./);
}
