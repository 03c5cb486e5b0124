// Thinking and other opaque state on their way to a chat upstream: home to their maker, and to nobody else.
import { describe, expect, test } from "bun:test";
import type { Block } from "../../../src/canonical/chat.ts";
import { call, callWire, end, messagesOf, parse, result, text } from "./helpers.ts";

describe("opaque state in history", () => {
  const thinking = (origin: string, data: string, more: object = {}): Block => ({
    type: "thinking",
    text: "hm",
    signature: { origin, data },
    ...more,
  });

  test("goes home to its maker, in the shape that the maker gave", () => {
    const native = JSON.stringify({ type: "reasoning.text", format: "maker-v1", index: 0, signature: "S" });
    const blocks: Block[] = [
      thinking("maker", native),
      thinking("maker", "bare"),
      { type: "thinking", text: "", redacted: true, signature: { origin: "maker", data: "sealed" } },
      text("a"),
      call("c", { signature: { origin: "maker", data: "ts" } }),
    ];
    const { messages } = messagesOf([{ role: "assistant", blocks }, { role: "tool", blocks: [result("c")] }, end]);
    expect((messages as unknown[])[0]).toEqual({
      role: "assistant",
      content: "a",
      reasoning_content: "hmhm",
      reasoning_details: [
        { type: "reasoning.text", format: "maker-v1", index: 0, signature: "S", text: "hm" },
        { type: "reasoning.text", text: "hm", signature: "bare" },
        { type: "reasoning.encrypted", data: "sealed" },
      ],
      tool_calls: [{ ...callWire("c"), extra_content: { google: { thought_signature: "ts" } } }],
    });
  });

  test("of another maker is left out with its block (bug 33), and so is thinking that nobody signed", () => {
    const blocks: Block[] = [
      thinking("claude", "sig"),
      { type: "thinking", text: "unsigned" },
      text("a"),
      call("c", { signature: { origin: "gem", data: "ts" } }),
    ];
    const { messages, warnings } = messagesOf([
      { role: "assistant", blocks },
      { role: "tool", blocks: [result("c")] },
      end,
    ]);
    expect((messages as unknown[])[0]).toEqual({ role: "assistant", content: "a", tool_calls: [callWire("c")] });
    expect(warnings).toEqual([]);
  });

  test("what came through this dialect and bears no envelope has no other home", () => {
    const request = parse({
      messages: [
        {
          role: "assistant",
          content: "a",
          reasoning_details: [{ type: "reasoning.text", text: "hm", signature: "S" }],
        },
      ],
    });
    expect(request.messages[0]?.blocks[0]).toMatchObject({
      type: "thinking",
      text: "hm",
      signature: { origin: "openai-chat" },
    });
  });
});
