// Whole replies of servers: text, thinking, calls, refusals, and what is no reply.
import { describe, expect, test } from "bun:test";
import type { Block, ChatResponse } from "../../../src/canonical/chat.ts";
import { openaiChat } from "../../../src/dialects/openai-chat/index.ts";
import { wireJson } from "../../support/fixtures.ts";
import { call, thrown, wholeReply } from "./helpers.ts";

const read = (name: string): ChatResponse =>
  openaiChat.response.parse(wireJson(`openai-chat/${name}`), { origin: "maker" });

describe("replies of servers", () => {
  test("plain text", () => {
    expect(read("text.json")).toEqual({
      operation: "chat",
      id: "chatcmpl-text",
      model: "gpt-x-2026-01-15",
      createdAt: 1_760_000_000,
      choices: [
        { index: 0, blocks: [{ type: "text", text: "Hello there, traveller." }], finishReason: { kind: "end" } },
      ],
      usage: { inputTokens: 12, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 5, reasoningTokens: 0 },
    });
  });

  test("no text and a length stop is a valid reply", () => {
    expect(read("length.json").choices).toEqual([{ index: 0, blocks: [], finishReason: { kind: "length" } }]);
  });

  test("parallel calls behind text", () => {
    const { choices, usage } = read("tools.json");
    expect(choices[0]?.blocks.map((block) => block.type)).toEqual(["text", "tool-call", "tool-call"]);
    expect(choices[0]?.finishReason).toEqual({ kind: "tool-use" });
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
      finishReason: { kind: "refusal" },
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
      finishReason: { kind: "tool-use" },
    });
    expect(read("function-call.json").choices[0]).toMatchObject({
      blocks: [{ type: "tool-call", id: "call_chatcmpl-old_0_0", name: "get_time" }],
      finishReason: { kind: "tool-use" },
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
    expect(choices[0]?.blocks).toEqual([{ ...call("a"), signature: { origin: "maker", data: "c2ln" } } as Block]);
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
