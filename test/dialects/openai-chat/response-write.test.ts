// Whole replies to clients: their shape, thinking, citations, calls.
import { describe, expect, test } from "bun:test";
import type { Block } from "../../../src/canonical/chat.ts";
import { wrapProviderState } from "../../../src/canonical/provider-state.ts";
import type { Usage } from "../../../src/canonical/usage.ts";
import { call, label, message, shown } from "./helpers.ts";

const usage: Usage = {
  inputTokens: 40,
  cacheReadTokens: 60,
  cacheWriteTokens: 5,
  outputTokens: 20,
  reasoningTokens: 10,
};

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
        { type: "reasoning.text", text: "one", signature: wrapProviderState(state("s1")), index: 0 },
        { type: "reasoning.text", text: "", signature: wrapProviderState(state("s2")), index: 1 },
        { type: "reasoning.encrypted", data: wrapProviderState(state("s3")), index: 2 },
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

  test("calls of both kinds, signed; no text is null; no input is an empty object, unless the response was truncated", () => {
    const signed: Block = { ...call("a"), signature: { origin: "gem", data: "ts" } };
    const custom: Block = { type: "tool-call", id: "b", name: "c", kind: "custom", input: "raw" };
    const blank: Block = { ...call("a"), id: "c", input: "" };
    const wire = shown([signed, custom, blank], { kind: "tool-use" });
    expect(message(wire).content).toBeNull();
    expect(message(wire).tool_calls).toEqual([
      {
        id: "a",
        type: "function",
        function: { name: "f", arguments: "{}" },
        extra_content: { google: { thought_signature: wrapProviderState({ origin: "gem", data: "ts" }) } },
      },
      { id: "b", type: "custom", custom: { name: "c", input: "raw" } },
      { id: "c", type: "function", function: { name: "f", arguments: "{}" } },
    ]);
    expect(message(shown([blank], { kind: "length" })).tool_calls[0].function.arguments).toBe("");
  });

  test("a client of the form from before tools", () => {
    const wire = shown([call("a"), { ...call("a"), id: "b" }], { kind: "tool-use" }, undefined, [
      { path: "functions", rule: "ignore" },
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
