// Why a reply ended: what servers say and what clients are told.
import { describe, expect, test } from "bun:test";
import type { FinishReason } from "../../../src/canonical/chat.ts";
import { openaiChat } from "../../../src/dialects/openai-chat/index.ts";
import { call, label, message, shown, wholeReply } from "./helpers.ts";

describe("why a reply ended", () => {
  const kinds: readonly (readonly [string | null, FinishReason["kind"]])[] = [
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
    expect(wholeReply({ content: "x" }, word).choices[0]?.finishReason).toEqual({ kind });
  });

  test.each([
    ["stop", "tool-use"],
    ["", "tool-use"],
    ["tool_calls", "tool-use"],
    ["length", "length"],
    ["content_filter", "filter"],
  ])("%p with a call reads as %s: presence beats the label (bug 11)", (word, kind) => {
    expect(
      wholeReply({ tool_calls: [{ id: "a", function: { name: "f", arguments: "{}" } }] }, word).choices[0]?.finishReason
        .kind,
    ).toBe(kind as FinishReason["kind"]);
  });

  test("a server that names the stop sequence (bug 41)", () => {
    const choice = { index: 0, message: { content: "x" }, finish_reason: "stop", stop_reason: "END" };
    const { choices } = openaiChat.response.parse({ choices: [choice] }, { origin: "m" });
    expect(choices[0]?.finishReason).toEqual({ kind: "stop-sequence", sequence: "END" });
    const byToken = { ...choice, stop_reason: 128_009 };
    expect(openaiChat.response.parse({ choices: [byToken] }, { origin: "m" }).choices[0]?.finishReason).toEqual({
      kind: "end",
    });
  });

  const words: readonly (readonly [FinishReason["kind"], string])[] = [
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
    expect(label(shown([call("a")], { kind: kind as FinishReason["kind"] }))).toBe(word);
  });

  test("a refusal with words stops", () => {
    const wire = shown([{ type: "refusal", text: "no" }], { kind: "refusal" });
    expect([label(wire), message(wire).refusal, message(wire).content]).toEqual(["stop", "no", null]);
  });
});
