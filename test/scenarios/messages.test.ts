// Messages: what a client of Anthropic's endpoint sees, from an upstream of its own dialect and of another one.
import { expect } from "bun:test";
import { says, wireText } from "../support/fixtures.ts";
import { type Scenario, scenarios } from "../support/scenario.ts";
import { answerSchema, chatRound, claudeClockTool, clockTool, messagesRound, pixel } from "./bodies.ts";

const stream = { stream: true };
const hello = { text: "Hello there, traveller.", isEnded: true, stop: "end_turn" };
const twoCalls = [
  { name: "get_time", input: { zone: "UTC" } },
  { name: "get_day", input: {} },
];
const signature = "EqQBCkYIBBgCKkDk3h0Zx1mTnQ==";
const cachedUsage = { input_tokens: 40, cache_read_input_tokens: 60, output_tokens: 30 };

const passthrough: Scenario[] = [
  {
    name: "an answer comes through byte for byte, unknown fields too",
    upstream: { claude: says("anthropic-messages/unknown-fields.json") },
    sees: {
      result: hello,
      body: JSON.parse(wireText("anthropic-messages/unknown-fields.json")),
      headers: { "request-id": /./, "x-turnpike-provider": "claude" },
    },
    requested: {
      claude: [{ path: "/v1/messages", headers: { "x-api-key": "canary-claude", "anthropic-version": /^20/ } }],
    },
    ledger: { state: "completed", httpStatus: 200, provider: "claude", inputTokens: 12, outputTokens: 5 },
  },
  {
    name: "the key may come as x-api-key",
    call: { key: "x-api-key" },
    upstream: { claude: says("anthropic-messages/text.json") },
    sees: { result: hello },
  },
  {
    name: "the neutral version header is as good as Anthropic's",
    call: { headers: { "anthropic-version": null, "vendor-version": "2023-06-01" } },
    upstream: { claude: says("anthropic-messages/text.json") },
    sees: { result: hello },
  },
  {
    name: "unknown request fields and beta headers travel on",
    call: { headers: { "anthropic-beta": "a-2026-01-01,b-2026-01-01" }, body: { tomorrow: { kept: true } } },
    upstream: { claude: says("anthropic-messages/text.json") },
    requested: {
      claude: [
        { body: { model: "claude-x", tomorrow: { kept: true } }, headers: { "anthropic-beta": /a-2026-01-01/ } },
      ],
    },
  },
  {
    name: "a stream comes through event by event",
    call: { body: stream },
    upstream: { claude: says("anthropic-messages/text.sse") },
    sees: { result: hello, text: wireText("anthropic-messages/text.sse") },
    ledger: { state: "completed", inputTokens: 12, outputTokens: 5 },
  },
  {
    name: "unknown events pass untouched",
    call: { body: stream },
    upstream: { claude: says("anthropic-messages/unknown-events.sse") },
    sees: { text: wireText("anthropic-messages/unknown-events.sse") },
  },
  {
    name: "thinking with its signature and parallel tool calls, whole",
    call: { body: { tools: [claudeClockTool] } },
    upstream: { claude: says("anthropic-messages/thinking.json") },
    sees: { result: { thinking: "Need two lookups.", signature, calls: twoCalls as never, usage: cachedUsage } },
    ledger: { inputTokens: 40, cacheReadTokens: 60, outputTokens: 30 },
  },
  {
    name: "thinking with its signature and parallel tool calls, streamed",
    call: { body: { ...stream, tools: [claudeClockTool] } },
    upstream: { claude: says("anthropic-messages/thinking.sse") },
    sees: { result: { thinking: "Need two lookups.", signature, calls: twoCalls as never, stop: "tool_use" } },
  },
];

const toChat = { model: "gpt-x" };

const translated: Scenario[] = [
  {
    name: "an answer",
    call: { body: { ...toChat, system: "Be brief." } },
    upstream: { alpha: says("openai-chat/text.json") },
    sees: {
      result: { ...hello, usage: { input_tokens: 12, output_tokens: 5 } },
      body: { type: "message", role: "assistant", model: "gpt-x-2026-01-15", stop_sequence: null },
    },
    requested: {
      alpha: [
        {
          path: "/v1/chat/completions",
          headers: { authorization: "Bearer canary-alpha" },
          lacksHeaders: ["x-api-key", "anthropic-version"],
          body: { model: "gpt-x", messages: [{ role: "system", content: "Be brief." }, { role: "user" }] },
        },
      ],
    },
    ledger: { state: "completed", provider: "alpha", inputTokens: 12, outputTokens: 5 },
  },
  {
    name: "a stream has the events of messages, with true usage at the end",
    call: { body: { ...toChat, ...stream } },
    upstream: { alpha: says("openai-chat/text.sse") },
    sees: { result: { ...hello, usage: { input_tokens: 12, output_tokens: 5 } } },
    requested: { alpha: [{ body: { stream: true, stream_options: { include_usage: true } } }] },
    also(received) {
      const names = received.frames.map(({ event }) => event).filter((name) => name !== "ping");
      expect(names.filter((name, index) => name !== names[index - 1])).toEqual([
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
      ]);
    },
  },
  {
    name: "parallel tool calls, whole",
    call: { body: { ...toChat, tools: [claudeClockTool] } },
    upstream: { alpha: says("openai-chat/tools.json") },
    sees: { result: { text: "Let me check.", calls: twoCalls as never, stop: "tool_use", usage: cachedUsage } },
    requested: { alpha: [{ body: { tools: [clockTool] } }] },
  },
  {
    name: "parallel tool calls, streamed",
    call: { body: { ...toChat, ...stream, tools: [claudeClockTool] } },
    upstream: { alpha: says("openai-chat/tools.sse") },
    sees: { result: { text: "Let me check.", calls: twoCalls as never, stop: "tool_use", usage: cachedUsage } },
  },
  {
    name: "reasoning becomes thinking",
    call: { body: { ...toChat, ...stream, thinking: { type: "enabled", budget_tokens: 1024 }, max_tokens: 2000 } },
    upstream: { alpha: says("openai-chat/reasoning.sse") },
    sees: { result: { thinking: "Need the clock.", text: "It is noon." } },
  },
  {
    name: "calls and results arrive as chat wants them",
    call: { body: { ...toChat, system: "Be brief.", messages: messagesRound } },
    upstream: { alpha: says("openai-chat/text.json") },
    requested: { alpha: [{ body: { messages: chatRound } }] },
  },
  {
    name: "an image arrives as a data URL",
    call: {
      body: {
        ...toChat,
        messages: [
          {
            role: "user",
            content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: pixel } }],
          },
        ],
      },
    },
    upstream: { alpha: says("openai-chat/text.json") },
    requested: {
      alpha: [{ body: { messages: [{ content: [{ image_url: { url: `data:image/png;base64,${pixel}` } }] }] } }],
    },
  },
  {
    name: "structured output becomes the upstream's own",
    call: { body: { ...toChat, output_config: { format: { type: "json_schema", schema: answerSchema } } } },
    upstream: { alpha: says("openai-chat/text.json") },
    requested: {
      alpha: [{ body: { response_format: { type: "json_schema", json_schema: { schema: answerSchema } } } }],
    },
  },
  {
    name: "any tool means a tool is required",
    call: { body: { ...toChat, tools: [claudeClockTool], tool_choice: { type: "any" } } },
    upstream: { alpha: says("openai-chat/tools.json") },
    requested: { alpha: [{ body: { tool_choice: "required" } }] },
  },
];

const toMessages = (row: Scenario): Scenario => ({ ...row, call: { to: "messages", ...row.call } });

scenarios("messages, upstream speaks messages", passthrough.map(toMessages));
scenarios("messages, upstream speaks chat", translated.map(toMessages));
