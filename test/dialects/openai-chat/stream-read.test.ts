// Streams of well-behaved servers: what they mean, delta by delta and gathered.
import { describe, expect, test } from "bun:test";
import { collectEvents } from "../../../src/canonical/stream-event.ts";
import { firstStreamViolation } from "../../../src/canonical/stream-validator.ts";
import { openaiChat } from "../../../src/dialects/openai-chat/index.ts";
import { wireJson, wireText } from "../../support/fixtures.ts";
import { streamEqualsWhole } from "../../support/laws.ts";
import { blocksOf, chunk, lastOf, readChunks, readFixture, stopOf, types } from "./helpers.ts";

const pairs = [
  "text",
  "reasoning",
  "tools",
  "reasoning-details",
  "content-parts",
  "refusal",
  "annotations",
  "custom-tool",
  "function-call",
];

describe("streams of servers", () => {
  test.each(pairs)("%s: gathered, it is the whole reply (bug 54)", (name) => {
    streamEqualsWhole(openaiChat, wireText(`openai-chat/${name}.sse`), wireJson(`openai-chat/${name}.json`), []);
  });

  test.each([
    "text",
    "tools",
    "unicode",
    "two-choices",
    "google-tools",
    "loose-tools",
    "interleaved-tools",
    "reasoning-details",
    "azure-first-chunk",
    "annotations",
    "length-call",
  ])("%s keeps the grammar", (name) => {
    const events = readFixture(`${name}.sse`);
    expect(firstStreamViolation(events)).toBeNull();
    expect(lastOf(events)?.type).toBe("finish");
  });

  test("plain text, delta by delta", () => {
    expect(types(readFixture("text.sse"))).toEqual([
      "start",
      "block-start",
      "text",
      "text",
      "text",
      "block-end",
      "finish",
    ]);
    expect(readFixture("text.sse")[0]).toEqual({
      type: "start",
      id: "chatcmpl-text",
      model: "gpt-x-2026-01-15",
      createdAt: 1_760_000_000,
    });
  });

  test("two choices, woven together (bug 42)", () => {
    const response = collectEvents(readFixture("two-choices.sse"));
    expect(response?.choices).toEqual([
      { index: 0, blocks: [{ type: "text", text: "Heads!" }], finishReason: { kind: "length" } },
      { index: 1, blocks: [{ type: "text", text: "Tails." }], finishReason: { kind: "end" } },
    ]);
  });

  test("a finished call is closed when the next one opens, so that slower wires need not wait", () => {
    const events = readFixture("tools.sse");
    const closed = events.findIndex((event) => event.type === "block-end" && event.block === 1);
    const next = events.findIndex((event) => event.type === "block-start" && event.block === 2);
    expect(closed).toBeGreaterThan(0);
    expect(closed).toBeLessThan(next);
  });

  test("a call cut by the length stays half, without invented input", () => {
    const events = readFixture("length-call.sse");
    expect(blocksOf(events)).toMatchObject([{ input: '{"zo' }]);
    expect(stopOf(events)).toEqual({ kind: "length" });
    const empty = readChunks(
      chunk({ tool_calls: [{ index: 0, id: "a", function: { name: "f", arguments: "" } }] }),
      chunk({}, "length"),
      "[DONE]",
    );
    expect(blocksOf(empty)).toMatchObject([{ input: "" }]);
  });

  test("details that are the thinking themselves, one block for each index", () => {
    const detail = (index: number, more: object) =>
      chunk({ reasoning_details: [{ type: "reasoning.text", index, ...more }] });
    const events = readChunks(
      detail(0, { text: "a" }),
      detail(0, { text: "b", signature: null }),
      detail(0, { signature: "S" }),
      detail(1, { text: "c" }),
      chunk({}, "stop"),
      "[DONE]",
    );
    expect(blocksOf(events)).toMatchObject([
      {
        type: "thinking",
        text: "ab",
        signature: { origin: "maker", data: '{"index":0,"signature":"S","type":"reasoning.text"}' },
      },
      { type: "thinking", text: "c" },
    ]);
  });

  test("citations of a second text have their range in it, and late ones keep their address", () => {
    const annotations = (start_index: number) => ({
      annotations: [
        {
          type: "url_citation",
          url_citation: { start_index, end_index: start_index + 1, title: "", url: "https://a" },
        },
      ],
    });
    const call = { tool_calls: [{ index: 0, id: "a", function: { name: "f", arguments: "{}" } }] };
    const events = readChunks(
      chunk({ content: "👩1" }),
      chunk({ reasoning: "hm" }),
      chunk({ content: "abc" }),
      chunk(annotations(3)),
      chunk(call),
      chunk(annotations(0)),
      chunk({}, "tool_calls"),
      "[DONE]",
    );
    expect(blocksOf(events)).toMatchObject([
      { type: "text", text: "👩1" },
      { type: "thinking" },
      { type: "text", text: "abc", citations: [{ url: "https://a", start: 1, end: 2 }] },
      { type: "tool-call" },
      { type: "text", text: "", citations: [{ url: "https://a" }] },
    ]);
    expect(firstStreamViolation(events)).toBeNull();
  });

  test("spoken output", () => {
    const events = readChunks(
      chunk({ audio: { id: "a1" } }),
      chunk({ audio: { data: "AAAA" } }),
      chunk({ audio: { data: "BBBB" } }),
      chunk({}, "stop"),
      "[DONE]",
    );
    expect(blocksOf(events)).toMatchObject([{ type: "audio", source: { base64: "AAAABBBB" } }]);
  });
});
