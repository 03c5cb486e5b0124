// What the reader makes of an upstream's frames.
import { describe, expect, test } from "bun:test";
import type { ChatRequest } from "../../../src/canonical/chat.ts";
import type { StreamEvent } from "../../../src/canonical/stream-event.ts";
import { collectEvents } from "../../../src/canonical/stream-event.ts";
import { firstStreamViolation } from "../../../src/canonical/stream-validator.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import type { Frame } from "../../../src/lib/sse.ts";
import { wireText } from "../../support/fixtures.ts";
import { framesOf } from "../../support/laws.ts";
import { askOf, dialect } from "./bench.ts";

const side = dialect.stream as NonNullable<typeof dialect.stream>;
const origin = "anthropic";

function read(frames: Frame[], request?: ChatRequest): StreamEvent[] {
  const reader = side.reader(request ? { origin, request } : { origin });
  const events = [...frames.flatMap((frame) => reader.read(frame)), ...reader.end()];
  expect(firstStreamViolation(events)).toBeNull();
  return events;
}

const fixture = (name: string) => framesOf([Buffer.from(wireText(`anthropic-messages/${name}.sse`))]);
const event = (type: string, more: JsonObject = {}): Frame => ({
  event: type,
  data: JSON.stringify({ type, ...more }),
});
const startOf = (usage: JsonObject = { input_tokens: 5, output_tokens: 1 }) =>
  event("message_start", { message: { id: "m", model: "x", usage } });
const opened = (index: number, content_block: JsonObject) => event("content_block_start", { index, content_block });
const grown = (index: number, delta: JsonObject) => event("content_block_delta", { index, delta });
const stopped = (index: number) => event("content_block_stop", { index });
const ended = (stop_reason: string, usage: JsonObject = { output_tokens: 3 }) => [
  event("message_delta", { delta: { stop_reason, stop_sequence: null }, usage }),
  event("message_stop"),
];

describe("reader", () => {
  test("a plain text, delta by delta", () => {
    const events = read(fixture("text"));
    expect(events.map((streamEvent) => streamEvent.type)).toEqual([
      "start",
      "block-start",
      "text",
      "text",
      "text",
      "block-end",
      "finish",
    ]);
    expect(events[2]).toEqual({ type: "text", choice: 0, block: 0, text: "Hello" });
  });

  test("pings and events of tomorrow say nothing", () => {
    expect(collectEvents(read(fixture("unknown-events")))?.choices[0]?.blocks).toEqual([
      { type: "text", text: "Hello there" },
    ]);
  });

  test("the server's own blocks are skipped, and the numbers close up", () => {
    const blocks = read(fixture("server-tools")).flatMap((streamEvent) =>
      streamEvent.type === "block-start" ? [streamEvent.block] : [],
    );
    expect(blocks).toEqual([0, 1]);
  });

  test("a call without fragments is {} (bug 13)", () => {
    const events = read([
      startOf(),
      opened(0, { type: "tool_use", id: "a", name: "f", input: {} }),
      stopped(0),
      ...ended("tool_use"),
    ]);
    expect(events).toContainEqual({ type: "tool-input", choice: 0, block: 0, text: "{}" });
  });

  test("a call that comes whole in its opening (bug 12)", () => {
    const events = read([
      startOf(),
      opened(0, { type: "tool_use", id: "a", name: "f", input: { a: 1 } }),
      stopped(0),
      ...ended("tool_use"),
    ]);
    expect(events).toContainEqual({ type: "tool-input", choice: 0, block: 0, text: '{"a":1}' });
  });

  test("a call cut by the length keeps its part", () => {
    const response = collectEvents(read(fixture("length-call")));
    expect(response?.choices[0]).toMatchObject({
      blocks: [{ input: '{"text":"Once up' }],
      finishReason: { kind: "length" },
    });
  });

  test("a free-text call comes out of its wrapping, under the client's name (bug 15)", () => {
    const request = askOf({ tools: [{ kind: "custom", name: "apply.patch", path: "tools[0]" }] });
    const frames = [
      startOf(),
      opened(0, { type: "tool_use", id: "a", name: "apply_patch", input: { input: "stale" } }),
      grown(0, { type: "input_json_delta", partial_json: '{"input":"*** B' }),
      grown(0, { type: "input_json_delta", partial_json: 'egin\\n"}' }),
      stopped(0),
      ...ended("tool_use"),
    ];
    expect(collectEvents(read(frames, request))?.choices[0]?.blocks).toEqual([
      { type: "tool-call", id: "a", name: "apply.patch", kind: "custom", input: "*** Begin\n" },
    ]);
  });

  test("counts merge by field, the last one wins (bug 47)", () => {
    const frames = [
      startOf({ input_tokens: 5, cache_read_input_tokens: 7, output_tokens: 1 }),
      event("message_delta", { delta: { stop_reason: "max_tokens" }, usage: { output_tokens: 2 } }),
      event("message_delta", {
        delta: { stop_reason: "stop_sequence", stop_sequence: "#" },
        usage: { output_tokens: 3, input_tokens: null },
      }),
      event("message_delta", { delta: { stop_reason: null, stop_sequence: null } }),
      event("message_stop"),
    ];
    expect(read(frames).at(-1)).toEqual({
      type: "finish",
      finishReasons: [{ kind: "stop-sequence", sequence: "#" }],
      usage: { inputTokens: 5, cacheReadTokens: 7, cacheWriteTokens: 0, outputTokens: 3, reasoningTokens: 0 },
    });
  });

  const failures: [string, Frame[], string][] = [
    ["an error first", fixture("error-first"), "upstream_overloaded"],
    ["an error in the middle (bug 51)", fixture("error-midstream"), "upstream_overloaded"],
    ["a missing message_stop", fixture("text").slice(0, -1), "upstream_truncated"],
    ["nothing at all", [], "upstream_truncated"],
    ["no JSON", [startOf(), { data: "<html>" }], "upstream_protocol_error"],
    ["a block before the start", [opened(0, { type: "text", text: "" })], "upstream_protocol_error"],
    [
      "a block that was never opened",
      [startOf(), grown(0, { type: "text_delta", text: "x" })],
      "upstream_protocol_error",
    ],
    ["a block without an index", [startOf(), event("content_block_start", {})], "upstream_protocol_error"],
  ];

  test.each(failures)("%s is an error", (_, frames, kind) => {
    const last = read([...frames, event("ping")]).at(-1);
    expect(last?.type === "error" ? last.error.kind : null).toBe(kind as never);
  });

  test("after the end nothing more is said", () => {
    const reader = side.reader({ origin });
    for (const frame of fixture("text")) reader.read(frame);
    expect([...reader.read(startOf()), ...reader.read({ data: "[DONE]" }), ...reader.end()]).toEqual([]);
  });

  test("blocks that nobody closed are closed before the finish", () => {
    const events = read([startOf(), opened(0, { type: "text", text: "whole" }), ...ended("end_turn")]);
    expect(events.map((streamEvent) => streamEvent.type)).toEqual([
      "start",
      "block-start",
      "text",
      "block-end",
      "finish",
    ]);
  });
});
