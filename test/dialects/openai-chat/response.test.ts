// Whole replies: what servers send, what clients get, why a reply ended, what it cost.
import { describe, expect, test } from "bun:test";
import type { Block, ChatAnswer, Stop } from "../../../src/canon/conversation.ts";
import { wrapOpaque } from "../../../src/canon/opaque.ts";
import type { Usage } from "../../../src/canon/usage.ts";
import { openaiChat } from "../../../src/dialects/openai-chat/index.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { writeContextOf } from "../../kit/laws.ts";
import { wireJson } from "../../kit/wires.ts";
import { baseAsk, thrown, wholeReply } from "./helpers.ts";

const read = (name: string): ChatAnswer =>
  openaiChat.response.parse(wireJson(`openai-chat/${name}`), { origin: "maker" });

function shown(blocks: Block[], stop: Stop = { kind: "end" }, usage?: Usage, extras = baseAsk.extras): JsonObject {
  const answer: ChatAnswer = {
    operation: "chat",
    id: "r1",
    model: "up",
    choices: [{ index: 0, blocks, stop }],
    ...(usage ? { usage } : {}),
  };
  return openaiChat.response.render(answer, writeContextOf({ ...baseAsk, extras }));
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads its own wire
const message = (wire: JsonObject): any => (wire.choices as JsonObject[])[0]?.message;
const label = (wire: JsonObject): unknown => (wire.choices as JsonObject[])[0]?.finish_reason;

const call: Block = { type: "tool-call", id: "a", name: "f", kind: "function", input: "{}" };
const usage: Usage = {
  inputTokens: 40,
  cacheReadTokens: 60,
  cacheWriteTokens: 5,
  outputTokens: 20,
  reasoningTokens: 10,
};

describe("replies of servers", () => {
  test("plain text", () => {
    expect(read("text.json")).toEqual({
      operation: "chat",
      id: "chatcmpl-text",
      model: "gpt-x-2026-01-15",
      createdAt: 1_760_000_000,
      choices: [{ index: 0, blocks: [{ type: "text", text: "Hello there, traveller." }], stop: { kind: "end" } }],
      usage: { inputTokens: 12, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 5, reasoningTokens: 0 },
    });
  });

  test("no text and a length stop is a valid reply", () => {
    expect(read("length.json").choices).toEqual([{ index: 0, blocks: [], stop: { kind: "length" } }]);
  });

  test("parallel calls behind text", () => {
    const { choices, usage } = read("tools.json");
    expect(choices[0]?.blocks.map((block) => block.type)).toEqual(["text", "tool-call", "tool-call"]);
    expect(choices[0]?.stop).toEqual({ kind: "tool-use" });
    expect(usage).toMatchObject({ inputTokens: 40, cacheReadTokens: 60 });
  });

  test("thinking as a string, as parts, as details with state", () => {
    const answer = { type: "text", text: "It is noon." } as const;
    const thought = { type: "thinking", text: "Need the clock." } as const;
    expect(read("reasoning.json").choices[0]?.blocks).toEqual([thought, answer]);
    expect(read("content-parts.json").choices[0]?.blocks).toEqual([thought, answer]);
    const [signed, sealed, last] = read("reasoning-details.json").choices[0]?.blocks ?? [];
    const entry = { format: "maker-v1", index: 0, signature: "U0lH", type: "reasoning.text" };
    const secret = { data: "U0VBTEVE", format: "maker-v1", id: "rs_1", index: 1, type: "reasoning.encrypted" };
    expect(signed).toEqual({ ...thought, signature: { origin: "maker", data: JSON.stringify(entry) } });
    expect(sealed).toEqual({
      type: "thinking",
      text: "",
      redacted: true,
      signature: { origin: "maker", data: JSON.stringify(secret) },
    });
    expect(last).toEqual(answer);
  });

  test("a refusal, citations, a custom call, the legacy call", () => {
    expect(read("refusal.json").choices[0]).toMatchObject({
      blocks: [{ type: "refusal", text: "I cannot help with that." }],
      stop: { kind: "refusal" },
    });
    expect(read("annotations.json").choices[0]?.blocks).toEqual([
      {
        type: "text",
        text: "Ünïcode 👩 says hello.",
        citations: [{ url: "https://example.com/a", title: "Says", start: 10, end: 14 }],
      },
    ]);
    expect(read("custom-tool.json").choices[0]).toMatchObject({
      blocks: [{ kind: "custom", input: "*** Begin Patch" }],
      stop: { kind: "tool-use" },
    });
    expect(read("function-call.json").choices[0]).toMatchObject({
      blocks: [{ type: "tool-call", id: "call_chatcmpl-old_0_0", name: "get_time" }],
      stop: { kind: "tool-use" },
    });
  });

  test("a call of a loose server: arguments as an object, or none, and no id (bugs 12, 13)", () => {
    const { choices } = wholeReply(
      { tool_calls: [{ function: { name: "f", arguments: { x: 1 } } }, { id: "b", function: { name: "g" } }] },
      "tool_calls",
    );
    expect(choices[0]?.blocks).toEqual([
      { type: "tool-call", id: "call_c1_0_0", name: "f", kind: "function", input: '{"x":1}' },
      { type: "tool-call", id: "b", name: "g", kind: "function", input: "{}" },
    ]);
  });

  test("a call that was cut before its input is not made whole", () => {
    const calls = { tool_calls: [{ id: "a", function: { name: "f", arguments: "" } }] };
    expect(wholeReply(calls, "length").choices[0]?.blocks).toMatchObject([{ input: "" }]);
    expect(wholeReply(calls, "tool_calls").choices[0]?.blocks).toMatchObject([{ input: "{}" }]);
  });

  test("a signed call (bug 10)", () => {
    const { choices } = wholeReply({
      tool_calls: [
        { id: "a", function: { name: "f", arguments: "{}" }, extra_content: { google: { thought_signature: "c2ln" } } },
      ],
    });
    expect(choices[0]?.blocks).toEqual([{ ...call, signature: { origin: "maker", data: "c2ln" } } as Block]);
  });

  test("choices in the order of their index", () => {
    const choice = (index: number, content: string) => ({ index, message: { content }, finish_reason: "stop" });
    const { choices } = openaiChat.response.parse({ choices: [choice(1, "b"), choice(0, "a")] }, { origin: "maker" });
    expect(choices.map(({ index, blocks }) => [index, blocks])).toEqual([
      [0, [{ type: "text", text: "a" }]],
      [1, [{ type: "text", text: "b" }]],
    ]);
  });

  test.each([
    ["a list", []],
    ["no choices", {}],
    ["empty choices", { choices: [] }],
    ["a choice without a message", { choices: [{ index: 0 }] }],
  ])("%s is no reply", (_name, wire) => {
    expect(thrown(() => openaiChat.response.parse(wire, { origin: "m" }))).toMatchObject({
      kind: "upstream_protocol_error",
    });
  });

  test("an error in the body of a 200 is that error", () => {
    const body = { error: { message: "slow down", code: "rate_limit_exceeded" } };
    expect(thrown(() => openaiChat.response.parse(body, { origin: "m" }))).toMatchObject({
      kind: "upstream_rate_limited",
    });
    expect(thrown(() => wholeReply({ content: "" }, "error"))).toMatchObject({ kind: "upstream_failed" });
  });
});

describe("why a reply ended", () => {
  const kinds: readonly (readonly [string | null, Stop["kind"]])[] = [
    ["stop", "end"],
    ["length", "length"],
    ["content_filter", "filter"],
    ["max_tokens", "length"],
    ["eos", "end"],
    ["end_turn", "end"],
    ["", "end"],
    [null, "end"],
    ["constructor", "end"],
    ["tool_calls", "end"],
    ["function_call", "end"],
    ["stop_sequence", "stop-sequence"],
  ];
  test.each(kinds.map((row) => [...row] as const))("%p without a call reads as %s", (word, kind) => {
    expect(wholeReply({ content: "x" }, word).choices[0]?.stop).toEqual({ kind });
  });

  test.each([
    ["stop", "tool-use"],
    ["", "tool-use"],
    ["tool_calls", "tool-use"],
    ["length", "length"],
    ["content_filter", "filter"],
  ])("%p with a call reads as %s: presence beats the label (bug 11)", (word, kind) => {
    expect(
      wholeReply({ tool_calls: [{ id: "a", function: { name: "f", arguments: "{}" } }] }, word).choices[0]?.stop.kind,
    ).toBe(kind as Stop["kind"]);
  });

  test("a server that names the stop sequence (bug 41)", () => {
    const choice = { index: 0, message: { content: "x" }, finish_reason: "stop", stop_reason: "END" };
    const { choices } = openaiChat.response.parse({ choices: [choice] }, { origin: "m" });
    expect(choices[0]?.stop).toEqual({ kind: "stop-sequence", sequence: "END" });
    const byToken = { ...choice, stop_reason: 128_009 };
    expect(openaiChat.response.parse({ choices: [byToken] }, { origin: "m" }).choices[0]?.stop).toEqual({
      kind: "end",
    });
  });

  const words: readonly (readonly [Stop["kind"], string])[] = [
    ["end", "stop"],
    ["stop-sequence", "stop"],
    ["length", "length"],
    ["context-full", "length"],
    ["tool-use", "stop"],
    ["refusal", "content_filter"],
    ["filter", "content_filter"],
    ["pause", "stop"],
  ];
  test.each(words.map((row) => [...row] as const))("%s without a call is told as %s", (kind, word) => {
    expect(label(shown([{ type: "text", text: "x" }], { kind }))).toBe(word);
  });

  test.each([
    ["end", "tool_calls"],
    ["tool-use", "tool_calls"],
    ["pause", "tool_calls"],
    ["length", "length"],
    ["filter", "content_filter"],
  ])("%s with a call is told as %s", (kind, word) => {
    expect(label(shown([call], { kind: kind as Stop["kind"] }))).toBe(word);
  });

  test("a refusal with words stops", () => {
    const wire = shown([{ type: "refusal", text: "no" }], { kind: "refusal" });
    expect([label(wire), message(wire).refusal, message(wire).content]).toEqual(["stop", "no", null]);
  });
});

describe("replies to clients", () => {
  test("the whole shape", () => {
    expect(shown([{ type: "text", text: "hi" }], { kind: "end" }, usage)).toEqual({
      id: "r1",
      object: "chat.completion",
      created: 1_760_000_000,
      model: "up",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "hi", refusal: null, annotations: [] },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
      usage: {
        prompt_tokens: 105,
        completion_tokens: 30,
        total_tokens: 135,
        prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 5 },
        completion_tokens_details: { reasoning_tokens: 10 },
      },
    });
  });

  test("nobody counted: no usage, never zeros; nothing said: an empty string", () => {
    const wire = shown([]);
    expect(wire).not.toHaveProperty("usage");
    expect(message(wire).content).toBe("");
  });

  test("thinking with its state in an envelope, in order, signature alone too (bugs 31, 32)", () => {
    const state = (data: string) => ({ origin: "claude", data });
    const blocks: Block[] = [
      { type: "thinking", text: "one", signature: state("s1") },
      { type: "thinking", text: "", signature: state("s2") },
      { type: "thinking", text: "", redacted: true, signature: state("s3") },
      { type: "text", text: "hi" },
    ];
    expect(message(shown(blocks))).toMatchObject({
      reasoning_content: "one",
      reasoning_details: [
        { type: "reasoning.text", text: "one", signature: wrapOpaque(state("s1")), index: 0 },
        { type: "reasoning.text", text: "", signature: wrapOpaque(state("s2")), index: 1 },
        { type: "reasoning.encrypted", data: wrapOpaque(state("s3")), index: 2 },
      ],
    });
    expect(message(shown([{ type: "thinking", text: "plain" }]))).not.toHaveProperty("reasoning_details");
  });

  test("citations over the joined text; a range is the block where none is given; no address, no citation", () => {
    const blocks: Block[] = [
      { type: "text", text: "👩 one. " },
      { type: "text", text: "two", citations: [{ url: "https://a", title: "A" }, { wire: { page: 3 } }] },
      { type: "text", text: " three", citations: [{ url: "https://b", start: 1, end: 6 }] },
    ];
    expect(message(shown(blocks)).annotations).toEqual([
      { type: "url_citation", url_citation: { start_index: 7, end_index: 10, title: "A", url: "https://a" } },
      { type: "url_citation", url_citation: { start_index: 11, end_index: 16, title: "", url: "https://b" } },
    ]);
  });

  test("calls of both kinds, signed; no text is null; no input is an empty object, unless the reply was cut", () => {
    const signed: Block = { ...call, signature: { origin: "gem", data: "ts" } };
    const custom: Block = { type: "tool-call", id: "b", name: "c", kind: "custom", input: "raw" };
    const blank: Block = { ...call, id: "c", input: "" };
    const wire = shown([signed, custom, blank], { kind: "tool-use" });
    expect(message(wire).content).toBeNull();
    expect(message(wire).tool_calls).toEqual([
      {
        id: "a",
        type: "function",
        function: { name: "f", arguments: "{}" },
        extra_content: { google: { thought_signature: wrapOpaque({ origin: "gem", data: "ts" }) } },
      },
      { id: "b", type: "custom", custom: { name: "c", input: "raw" } },
      { id: "c", type: "function", function: { name: "f", arguments: "{}" } },
    ]);
    expect(message(shown([blank], { kind: "length" })).tool_calls[0].function.arguments).toBe("");
  });

  test("a client of the form from before tools", () => {
    const wire = shown([call, { ...call, id: "b" }], { kind: "tool-use" }, undefined, [
      { path: "functions", rule: "quiet" },
    ]);
    expect(message(wire)).toEqual({
      role: "assistant",
      content: null,
      refusal: null,
      annotations: [],
      function_call: { name: "f", arguments: "{}" },
    });
    expect(label(wire)).toBe("function_call");
  });
});

describe("usage (bug 45)", () => {
  const buckets = (
    inputTokens: number,
    cacheReadTokens: number,
    cacheWriteTokens: number,
    outputTokens: number,
    reasoningTokens: number,
  ): Usage => ({
    inputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens,
    reasoningTokens,
  });
  const details = (cached: number, written: number, reasoning: number) => ({
    prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
    completion_tokens_details: { reasoning_tokens: reasoning },
  });
  const rows: readonly (readonly [string, JsonObject, Usage | undefined])[] = [
    [
      "parts of the totals",
      { prompt_tokens: 100, completion_tokens: 30, total_tokens: 130, ...details(60, 5, 10) },
      buckets(35, 60, 5, 20, 10),
    ],
    ["no details", { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }, buckets(7, 0, 0, 3, 0)],
    [
      "more cached than prompt: beside it",
      { prompt_tokens: 10, completion_tokens: 3, ...details(60, 0, 0) },
      buckets(10, 60, 0, 3, 0),
    ],
    [
      "more thought than output: beside it",
      { prompt_tokens: 10, completion_tokens: 3, ...details(0, 0, 9) },
      buckets(10, 0, 0, 3, 9),
    ],
    [
      "thought beside output, by the total",
      { prompt_tokens: 10, completion_tokens: 30, total_tokens: 49, ...details(0, 0, 9) },
      buckets(10, 0, 0, 30, 9),
    ],
    [
      "thought in the total alone",
      { prompt_tokens: 40, completion_tokens: 12, total_tokens: 82 },
      buckets(40, 0, 0, 12, 30),
    ],
    [
      "DeepSeek's cache",
      { prompt_tokens: 10, completion_tokens: 1, prompt_cache_hit_tokens: 4, prompt_cache_miss_tokens: 6 },
      buckets(6, 4, 0, 1, 0),
    ],
    ["nonsense", { prompt_tokens: -4, completion_tokens: "many" }, buckets(0, 0, 0, 0, 0)],
    ["a total alone", { total_tokens: 9 }, undefined],
    ["null", null as unknown as JsonObject, undefined],
  ];
  test.each(rows.map((row) => [...row] as const))("%s", (_name, wire, expected) => {
    expect(wholeReply({ content: "x" }, "stop", { usage: wire }).usage).toEqual(expected);
  });
});
