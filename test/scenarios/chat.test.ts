// Chat completions: what a client of OpenAI's endpoint sees, from an upstream of its own dialect and of another one.
import { expect } from "bun:test";
import { says, wireText } from "../support/fixtures.ts";
import { type Scenario, scenarios } from "../support/scenario.ts";
import { answerSchema, chatRound, claudeClockTool, clockTool, messagesRound, pixel } from "./bodies.ts";

const stream = { stream: true };
const streamWithUsage = { stream: true, stream_options: { include_usage: true } };
const hello = { text: "Hello there, traveller.", isEnded: true };
const twoCalls = [
  { name: "get_time", input: { zone: "UTC" } },
  { name: "get_day", input: {} },
];
const cachedUsage = { prompt_tokens: 100, completion_tokens: 30, prompt_tokens_details: { cached_tokens: 60 } };

const passthrough: Scenario[] = [
  {
    name: "an answer comes through byte for byte, unknown fields too",
    upstream: { alpha: says("openai-chat/unknown-fields.json") },
    sees: {
      result: hello,
      body: JSON.parse(wireText("openai-chat/unknown-fields.json")),
      headers: { "x-turnpike-provider": "alpha", "x-turnpike-model": "gpt-x", "x-turnpike-attempts": "1" },
    },
    requested: { alpha: [{ path: "/v1/chat/completions", headers: { authorization: "Bearer canary-alpha" } }] },
    ledger: { state: "completed", httpStatus: 200, provider: "alpha", inputTokens: 12, outputTokens: 5 },
  },
  {
    name: "unknown request fields travel on, the model alone is replaced",
    call: { body: { model: "alpha/gpt-x", temperature: 0.5, tomorrow: { kept: [1, "x"] } } },
    upstream: { alpha: says("openai-chat/text.json") },
    requested: { alpha: [{ body: { model: "gpt-x", temperature: 0.5, tomorrow: { kept: [1, "x"] } } }] },
  },
  {
    name: "a stream comes through with its usage when the client wants it",
    call: { body: streamWithUsage },
    upstream: { alpha: says("openai-chat/text.sse") },
    sees: { result: { ...hello, stop: "stop", usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 } } },
    ledger: { state: "completed", inputTokens: 12, outputTokens: 5 },
  },
  {
    name: "usage that the client did not ask for is counted and not shown",
    call: { body: stream },
    upstream: { alpha: says("openai-chat/text.sse") },
    sees: { result: { ...hello, stop: "stop" } },
    requested: { alpha: [{ body: { stream: true, stream_options: { include_usage: true } } }] },
    ledger: { state: "completed", inputTokens: 12, outputTokens: 5 },
    also: (received) => expect(received.frames.filter(({ data }) => (data as { usage?: unknown }).usage)).toEqual([]),
  },
  {
    name: "unknown stream fields pass untouched",
    call: { body: stream },
    upstream: { alpha: says("openai-chat/unknown-fields.sse") },
    also: (received) => expect(received.text).toContain('"tomorrow":1'),
  },
  {
    name: "parallel tool calls, whole",
    call: { body: { tools: [clockTool] } },
    upstream: { alpha: says("openai-chat/tools.json") },
    sees: { result: { calls: twoCalls as never, stop: "tool_calls", usage: cachedUsage } },
    ledger: { inputTokens: 40, cacheReadTokens: 60, outputTokens: 30 },
  },
  {
    name: "parallel tool calls, streamed",
    call: { body: { ...stream, tools: [clockTool] } },
    upstream: { alpha: says("openai-chat/tools.sse") },
    sees: { result: { calls: twoCalls as never, stop: "tool_calls", isEnded: true } },
  },
  {
    name: "reasoning, streamed",
    call: { body: stream },
    upstream: { alpha: says("openai-chat/reasoning.sse") },
    sees: { result: { thinking: "Need the clock.", text: "It is noon." } },
    ledger: { outputTokens: 7, reasoningTokens: 18 },
  },
  {
    name: "an empty answer with a length stop is an answer",
    upstream: { alpha: says("openai-chat/length.json") },
    sees: { result: { text: "", stop: "length" } },
  },
  {
    name: "a first chunk without choices is no fault",
    call: { body: stream },
    upstream: { alpha: says("openai-chat/azure-first-chunk.sse") },
    sees: { result: hello },
  },
];

const toClaude = { model: "claude-x" };

const translated: Scenario[] = [
  {
    name: "an answer",
    call: { body: { ...toClaude, max_tokens: 50 } },
    upstream: { claude: says("anthropic-messages/text.json") },
    sees: {
      result: { ...hello, stop: "stop", usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 } },
      body: { object: "chat.completion", model: "claude-x-20260115" },
      headers: { "x-turnpike-provider": "claude" },
    },
    requested: {
      claude: [
        {
          path: "/v1/messages",
          headers: { "x-api-key": "canary-claude", "anthropic-version": /^20\d\d-\d\d-\d\d$/ },
          lacksHeaders: ["authorization"],
          body: { model: "claude-x", max_tokens: 50, messages: [{ role: "user" }] },
        },
      ],
    },
    ledger: { state: "completed", provider: "claude", inputTokens: 12, outputTokens: 5 },
  },
  {
    name: "a stream, with usage at the end",
    call: { body: { ...toClaude, ...streamWithUsage } },
    upstream: { claude: says("anthropic-messages/text.sse") },
    sees: { result: { ...hello, stop: "stop", usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 } } },
  },
  {
    name: "a stream whose client did not ask for usage shows none",
    call: { body: { ...toClaude, ...stream } },
    upstream: { claude: says("anthropic-messages/text.sse") },
    also: (received) => expect(received.text).not.toContain("prompt_tokens"),
  },
  {
    name: "thinking and parallel tool calls, whole",
    call: { body: { ...toClaude, tools: [clockTool] } },
    upstream: { claude: says("anthropic-messages/thinking.json") },
    sees: {
      result: {
        thinking: "Need two lookups.",
        text: "Let me check.",
        calls: twoCalls as never,
        stop: "tool_calls",
        usage: cachedUsage,
      },
    },
    requested: { claude: [{ body: { tools: [claudeClockTool] } }] },
    ledger: { inputTokens: 40, cacheReadTokens: 60, outputTokens: 30 },
  },
  {
    name: "thinking and parallel tool calls, streamed",
    call: { body: { ...toClaude, ...stream, tools: [clockTool] } },
    upstream: { claude: says("anthropic-messages/thinking.sse") },
    sees: { result: { thinking: "Need two lookups.", text: "Let me check.", calls: twoCalls as never, isEnded: true } },
  },
  {
    name: "a tool call without arguments streams {}",
    call: { body: { ...toClaude, ...stream, tools: [clockTool] } },
    upstream: { claude: says("anthropic-messages/tools.sse") },
    also: (received) => expect(received.text).toContain('"arguments":"{}"'),
  },
  {
    name: "system, calls and results arrive as messages wants them",
    call: { body: { ...toClaude, messages: chatRound } },
    upstream: { claude: says("anthropic-messages/text.json") },
    requested: { claude: [{ body: { messages: [{ role: "user" }, messagesRound[1] as object, { role: "user" }] } }] },
    also(_received, world) {
      const sent = world.upstreams.claude.requests[0]?.json as { system: unknown; messages: { content: object[] }[] };
      expect(JSON.stringify(sent.system)).toContain("Be brief.");
      expect(sent.messages[2]?.content).toMatchObject([{ tool_use_id: "call_a" }, { tool_use_id: "call_b" }]);
    },
  },
  {
    name: "an image of a data URL arrives as base64",
    call: {
      body: { ...toClaude, messages: [{ role: "user", content: imageParts(`data:image/png;base64,${pixel}`) }] },
    },
    upstream: { claude: says("anthropic-messages/text.json") },
    requested: {
      claude: [{ body: { messages: [{ content: [{ type: "text" }, imageOf({ type: "base64", data: pixel })] }] } }],
    },
  },
  {
    name: "an image of a web address stays an address",
    call: { body: { ...toClaude, messages: [{ role: "user", content: imageParts("https://example.com/a.png") }] } },
    upstream: { claude: says("anthropic-messages/text.json") },
    requested: {
      claude: [{ body: { messages: [{ content: [{}, imageOf({ type: "url", url: "https://example.com/a.png" })] }] } }],
    },
  },
  {
    name: "structured output becomes the upstream's own",
    call: {
      body: {
        ...toClaude,
        response_format: { type: "json_schema", json_schema: { name: "at", schema: answerSchema } },
      },
    },
    upstream: { claude: says("anthropic-messages/text.json") },
    requested: { claude: [{ body: { output_config: { format: { type: "json_schema", schema: answerSchema } } } }] },
  },
  {
    name: "a forced tool is forced",
    call: {
      body: { ...toClaude, tools: [clockTool], tool_choice: { type: "function", function: { name: "get_time" } } },
    },
    upstream: { claude: says("anthropic-messages/tools.json") },
    requested: { claude: [{ body: { tool_choice: { type: "tool", name: "get_time" } } }] },
  },
  {
    name: "what only shades the answer is dropped with a warning",
    call: { body: { ...toClaude, seed: 7 } },
    upstream: { claude: says("anthropic-messages/text.json") },
    sees: { headers: { "x-turnpike-warnings": /dropped;field=seed/ } },
    requested: { claude: [{ lacksFields: ["seed"] }] },
  },
  {
    name: "a strict client gets 400 in place of a warning",
    call: { body: { ...toClaude, seed: 7 }, headers: { "x-turnpike-strict": "true" } },
    sees: { status: 400, error: { type: "invalid_request_error", code: "unsupported_parameter", param: "seed" } },
    requested: {},
  },
  {
    name: "what would mislead the client is refused",
    call: { body: { ...toClaude, n: 9 } },
    sees: { status: 400, error: { code: "unsupported_parameter", param: "n" } },
    requested: {},
  },
];

function imageParts(url: string) {
  return [
    { type: "text", text: "What is this?" },
    { type: "image_url", image_url: { url } },
  ];
}

function imageOf(source: object) {
  return { type: "image", source };
}

scenarios("chat, upstream speaks chat", passthrough);
scenarios("chat, upstream speaks messages", translated);
