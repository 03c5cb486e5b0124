// Whole replies, from upstreams and for clients.
import { expect, test } from "bun:test";
import type { Block, ChatResponse, FinishReason } from "../../../src/canonical/chat.ts";
import { unwrapProviderState } from "../../../src/canonical/provider-state.ts";
import type { Usage } from "../../../src/canonical/usage.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { wireJson } from "../../support/fixtures.ts";
import { writeContextOf } from "../../support/laws.ts";
import { askOf, call, dialect, refusal } from "./bench.ts";

const context = { origin: "anthropic" };
const read = (name: string) => dialect.response.parse(wireJson(`anthropic-messages/${name}.json`), context);
const readWire = (more: JsonObject) =>
  dialect.response.parse(
    { type: "message", id: "m", model: "x", content: [], stop_reason: "end_turn", ...more },
    context,
  );
const write = (more: Partial<ChatResponse["choices"][number]>, answer: Partial<ChatResponse> = {}) =>
  dialect.response.render(
    {
      operation: "chat",
      id: "msg_1",
      model: "m",
      choices: [{ index: 0, blocks: [], finishReason: { kind: "end" }, ...more }],
      ...answer,
    },
    writeContextOf(askOf()),
  );

test("thinking, text and calls in their order, with disjoint usage (bug 45)", () => {
  expect(read("thinking")).toEqual({
    operation: "chat",
    id: "msg_thinking",
    model: "claude-x-20260115",
    choices: [
      {
        index: 0,
        blocks: [
          {
            type: "thinking",
            text: "Need two lookups.",
            signature: { origin: "anthropic", data: "EqQBCkYIBBgCKkDk3h0Zx1mTnQ==" },
          },
          { type: "text", text: "Let me check." },
          call("toolu_time"),
          call("toolu_day", "get_day", "{}"),
        ],
        finishReason: { kind: "tool-use" },
      },
    ],
    usage: { inputTokens: 40, cacheReadTokens: 60, cacheWriteTokens: 0, outputTokens: 30, reasoningTokens: 0 },
  });
});

test("redacted thought, thought without text, thinking tokens and cache writes (bug 31)", () => {
  const { choices, usage } = read("redacted");
  expect(choices[0]?.blocks.slice(0, 2)).toEqual([
    { type: "thinking", text: "", signature: { origin: "anthropic", data: "EmwKAhgBEgy3va3pzix=" }, redacted: true },
    { type: "thinking", text: "", signature: { origin: "anthropic", data: "EpYBCkYIBRgC" } },
  ]);
  expect(usage).toEqual({
    inputTokens: 30,
    cacheReadTokens: 0,
    cacheWriteTokens: 100,
    outputTokens: 5,
    reasoningTokens: 20,
  });
});

test("the server's own work is left out, what it cited stays", () => {
  const blocks = read("server-tools").choices[0]?.blocks;
  expect(blocks).toMatchObject([
    { type: "text", text: "I will look." },
    { type: "text", text: "Noon is at twelve.", citations: [{ url: "https://example.com/noon", title: "Noon" }] },
  ]);
});

test("an empty reply with a length stop is a reply", () => {
  expect(read("length").choices).toEqual([{ index: 0, blocks: [], finishReason: { kind: "length" } }]);
});

const stops: [string, Partial<JsonObject>, FinishReason][] = [
  ["end_turn", {}, { kind: "end" }],
  ["stop_sequence", { stop_sequence: "###" }, { kind: "stop-sequence", sequence: "###" }],
  ["max_tokens", {}, { kind: "length" }],
  ["model_context_window_exceeded", {}, { kind: "context-full" }],
  ["pause_turn", {}, { kind: "pause" }],
  ["refusal", { stop_details: { type: "refusal" } }, { kind: "refusal", detail: { type: "refusal" } }],
  ["tool_use", {}, { kind: "end" }],
  ["tomorrow", {}, { kind: "end" }],
];

test.each(stops)("stop_reason %s", (stop_reason, more, finishReason) => {
  expect(readWire({ stop_reason, ...more }).choices[0]?.finishReason).toEqual(finishReason);
});

test("a call in the reply is a stop for tools, whatever the label says (bug 11)", () => {
  const content = [{ type: "tool_use", id: "a", name: "f", input: {} }];
  expect(readWire({ content, stop_reason: "end_turn" }).choices[0]?.finishReason.kind).toBe("tool-use");
  expect(readWire({ content, stop_reason: "max_tokens" }).choices[0]?.finishReason.kind).toBe("length");
});

const written: [FinishReason, Block[], JsonObject][] = [
  [{ kind: "end" }, [], { stop_reason: "end_turn", stop_sequence: null, stop_details: null }],
  [{ kind: "stop-sequence", sequence: "#" }, [], { stop_reason: "stop_sequence", stop_sequence: "#" }],
  [{ kind: "stop-sequence" }, [], { stop_reason: "stop_sequence", stop_sequence: null }],
  [{ kind: "length" }, [], { stop_reason: "max_tokens" }],
  [{ kind: "context-full" }, [], { stop_reason: "model_context_window_exceeded" }],
  [{ kind: "tool-use" }, [call("a")], { stop_reason: "tool_use" }],
  [{ kind: "tool-use" }, [], { stop_reason: "end_turn" }],
  [{ kind: "end" }, [call("a")], { stop_reason: "tool_use" }],
  [
    { kind: "end" },
    [{ type: "refusal", text: "No." }],
    { stop_reason: "refusal", content: [{ type: "text", text: "No." }] },
  ],
  [{ kind: "refusal", detail: { type: "refusal" } }, [], { stop_reason: "refusal", stop_details: { type: "refusal" } }],
  [{ kind: "filter", detail: { category: "x" } }, [], { stop_reason: "refusal", stop_details: null }],
  [{ kind: "pause" }, [], { stop_reason: "pause_turn" }],
];

test.each(written)("written stop %j of %j", (finishReason, blocks, expected) => {
  expect(write({ finishReason: finishReason, blocks })).toMatchObject(expected as object);
});

test("the message around it, and its usage", () => {
  const usage: Usage = { inputTokens: 4, cacheReadTokens: 3, cacheWriteTokens: 2, outputTokens: 5, reasoningTokens: 1 };
  expect(write({ blocks: [{ type: "text", text: "hi" }] }, { usage })).toEqual({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    container: null,
    diagnostics: null,
    content: [{ type: "text", text: "hi", citations: null }],
    stop_reason: "end_turn",
    stop_sequence: null,
    stop_details: null,
    usage: {
      input_tokens: 4,
      cache_creation_input_tokens: 2,
      cache_read_input_tokens: 3,
      output_tokens: 6,
      output_tokens_details: { thinking_tokens: 1 },
      server_tool_use: null,
      cache_creation: null,
      inference_geo: null,
      service_tier: null,
      speed: null,
    },
  });
  expect(write({}, { id: "", model: "" })).toMatchObject({ id: "law-1", model: "smart" });
});

test("signatures: native bare, foreign in an envelope, none never empty", () => {
  const thought = (origin?: string): Block => ({
    type: "thinking",
    text: "hm",
    ...(origin ? { signature: { origin, data: "sig" } } : {}),
  });
  const blocks = [
    thought("anthropic"),
    thought("openai"),
    thought(),
    { ...thought("openai"), redacted: true } as Block,
  ];
  const content = write({ blocks })["content"] as { signature?: string; data?: string }[];
  expect(content[0]?.signature).toBe("sig");
  expect(unwrapProviderState(content[1]?.signature ?? "")).toEqual({ origin: "openai", data: "sig" });
  expect(content[2]?.signature).not.toBe("");
  expect(unwrapProviderState(content[3]?.data ?? "")).toEqual({ origin: "openai", data: "sig" });
  const messages = [
    { role: "user", content: "q" },
    { role: "assistant", content: content as never },
  ];
  const back = dialect.request.parse({ model: "m", max_tokens: 1, messages }, { header: () => null, params: {} });
  expect(back.messages[1]?.blocks.slice(0, 3)).toEqual(blocks.slice(0, 3));
});

test("citations: own ones as they came, foreign ones by their address, others not at all", () => {
  const wire = { type: "char_location", cited_text: "x", document_index: 0, start_char_index: 0, end_char_index: 1 };
  const citations = [{ wire }, { url: "https://example.com", title: "T" }, { wire: { type: "elsewhere" } }];
  const content = write({ blocks: [{ type: "text", text: "hi", citations }] })["content"] as {
    citations: JsonObject[];
  }[];
  expect(content[0]?.citations).toEqual([
    wire,
    {
      type: "web_search_result_location",
      url: "https://example.com",
      title: "T",
      cited_text: "",
      encrypted_index: expect.stringMatching(/^gw1\./) as never,
    },
  ]);
});

test("calls: clean ids, free text wrapped, a cut one left out, a broken one an error", () => {
  const custom: Block = { type: "tool-call", id: "fn:1", name: "patch", kind: "custom", input: "raw" };
  expect(write({ blocks: [custom] })["content"]).toEqual([
    {
      type: "tool_use",
      id: expect.stringMatching(/^fn_1_/) as never,
      name: "patch",
      input: { input: "raw" },
      caller: { type: "direct" },
    },
  ]);
  const broken = call("a", "f", '{"a":');
  expect(write({ blocks: [broken], finishReason: { kind: "length" } })).toMatchObject({
    content: [],
    stop_reason: "max_tokens",
  });
  expect(refusal(() => write({ blocks: [broken] }))?.kind).toBe("upstream_protocol_error");
  expect(write({ blocks: [call("a", "f", "")] })["content"]).toMatchObject([{ input: {} }]);
});

test("only the first choice, without empty text and without sound", () => {
  const sound: Block = { type: "audio", source: { kind: "url", url: "x" } };
  expect(write({ blocks: [{ type: "text", text: "" }, sound] })["content"]).toEqual([]);
});

/** Tools that the request had to change come back as the client knows them (bug 15). */
const edits: [string, string][] = [
  ['{"input":"*** Begin"}', "*** Begin"],
  ['{"patch":"*** Begin"}', "*** Begin"],
  ['{"input":"```diff\\n*** Begin\\n```"}', "*** Begin"],
  ['{"a":"x","b":"y"}', '{"a":"x","b":"y"}'],
];

test.each(edits)("a custom call of %s", (input, expected) => {
  const request = askOf({ tools: [{ kind: "custom", name: "apply.patch", path: "tools[0]" }] });
  const content = [{ type: "tool_use", id: "a", name: "apply_patch", input: JSON.parse(input) }];
  const { choices } = dialect.response.parse({ content, stop_reason: "tool_use" }, { ...context, request });
  expect(choices[0]?.blocks).toEqual([
    { type: "tool-call", id: "a", name: "apply.patch", kind: "custom", input: expected },
  ]);
});

const nonsense: [unknown, string][] = [
  ["<html>", "upstream_protocol_error"],
  [null, "upstream_protocol_error"],
  [{ id: "m" }, "upstream_protocol_error"],
  [{ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, "upstream_overloaded"],
];

test.each(nonsense)("%j is no reply", (wire, kind) => {
  expect(refusal(() => dialect.response.parse(wire, context))?.kind).toBe(kind);
});

const strange: [unknown, Partial<Usage> | undefined][] = [
  [undefined, undefined],
  [{ input_tokens: -1, output_tokens: 2 }, undefined],
  [{ input_tokens: 1, output_tokens: "x" }, undefined],
  [{ input_tokens: 0, output_tokens: 0 }, undefined],
  [
    { input_tokens: 3, output_tokens: 5, output_tokens_details: { thinking_tokens: 9 } },
    { outputTokens: 0, reasoningTokens: 5 },
  ],
  [
    { cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 3 } },
    { cacheWriteTokens: 2, cacheWrite1hTokens: 3 },
  ],
];

test.each(strange)("usage %j", (usage, expected) => {
  const read = readWire({ usage: usage as never }).usage;
  if (expected === undefined) expect(read).toBeUndefined();
  else expect(read).toMatchObject(expected);
});
