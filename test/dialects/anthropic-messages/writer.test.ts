// What the writer sends to a client for a stream of deltas.
import { describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { GatewayError } from "../../../src/canonical/error.ts";
import type { OpenBlock, StreamEvent } from "../../../src/canonical/stream-event.ts";
import { type Frame, formatFrame, keepAliveComment } from "../../../src/lib/sse.ts";
import { wireText } from "../../support/fixtures.ts";
import { framesOf, writeContextOf } from "../../support/laws.ts";
import { askOf, dialect } from "./bench.ts";

const side = dialect.stream as NonNullable<typeof dialect.stream>;
const start: StreamEvent = { type: "start", id: "up_1", model: "m" };
const open = (block: number, open: OpenBlock): StreamEvent => ({ type: "block-start", choice: 0, block, open });
const tool = (block: number, id: string): StreamEvent =>
  open(block, { kind: "tool-call", id, name: `f_${id}`, tool: "function" });
const text = (block: number, text: string): StreamEvent => ({ type: "text", choice: 0, block, text });
const input = (block: number, text: string): StreamEvent => ({ type: "tool-input", choice: 0, block, text });
const close = (block: number, more: object = {}): StreamEvent => ({ type: "block-end", choice: 0, block, ...more });
const finish = (kind: "end" | "tool-use" | "length" = "end"): StreamEvent => ({
  type: "finish",
  finishReasons: [{ kind }],
});

/** One line for each frame: event, index, and what grows. */
function written(events: StreamEvent[], estimate = 7): string[] {
  const writer = side.writer(writeContextOf(askOf({ reasoning: { adaptive: true } }), { inputEstimate: estimate }));
  return events.flatMap((event) => writer.write(event)).map(lineOf);
}

function lineOf(frame: Frame): string {
  const data = JSON.parse(frame.data);
  expect(data.type).toBe(frame.event);
  const { index = "", delta = {}, content_block = {} } = data;
  const words = delta.text ?? delta.partial_json ?? delta.thinking ?? delta.signature ?? delta.stop_reason;
  const what = words ?? content_block.id ?? content_block.type ?? data.error?.type ?? "";
  return [frame.event, index, what].filter((part) => part !== "").join(" ");
}

describe("writer", () => {
  test("a text", () => {
    expect(written([start, open(0, { kind: "text" }), text(0, "a"), text(0, "b"), close(0), finish()])).toEqual([
      "message_start",
      "content_block_start 0 text",
      "content_block_delta 0 a",
      "content_block_delta 0 b",
      "content_block_stop 0",
      "message_delta end_turn",
      "message_stop",
    ]);
  });

  test("interleaved calls: the open one streams, the others wait (bugs 1, 2)", () => {
    const events = [
      start,
      tool(0, "a"),
      input(0, '{"x":'),
      tool(1, "b"),
      input(1, '{"y":'),
      input(0, "1}"),
      input(1, "2}"),
      close(1),
      tool(2, "c"),
      close(0),
      input(2, "{}"),
      close(2),
      finish("tool-use"),
    ];
    expect(written(events).slice(1)).toEqual([
      "content_block_start 0 a",
      'content_block_delta 0 {"x":',
      "content_block_delta 0 1}",
      "content_block_stop 0",
      "content_block_start 1 b",
      'content_block_delta 1 {"y":2}',
      "content_block_stop 1",
      "content_block_start 2 c",
      "content_block_delta 2 {}",
      "content_block_stop 2",
      "message_delta tool_use",
      "message_stop",
    ]);
  });

  test("thinking ends with its signature; an empty text opens nothing", () => {
    const signature = { origin: "anthropic", data: "sig" };
    const events: StreamEvent[] = [
      start,
      open(0, { kind: "thinking" }),
      { type: "thinking", choice: 0, block: 0, text: "hm" },
      close(0, { signature }),
      open(1, { kind: "text" }),
      close(1),
      open(2, { kind: "thinking", redacted: true }),
      close(2, { signature }),
      open(3, { kind: "thinking" }),
      close(3, { signature }),
      finish(),
    ];
    expect(written(events).slice(1, -2)).toEqual([
      "content_block_start 0 thinking",
      "content_block_delta 0 hm",
      "content_block_delta 0 sig",
      "content_block_stop 0",
      "content_block_start 1 redacted_thinking",
      "content_block_stop 1",
      "content_block_start 2 thinking",
      "content_block_delta 2 sig",
      "content_block_stop 2",
    ]);
  });

  test("usage: an estimate first, the truth at the end, input and cache always (bug 46)", () => {
    const writer = side.writer(writeContextOf(askOf(), { inputEstimate: 7 }));
    const usage = { inputTokens: 40, cacheReadTokens: 60, cacheWriteTokens: 0, outputTokens: 20, reasoningTokens: 10 };
    const [first] = writer.write(start);
    const [last] = writer.write({ type: "finish", finishReasons: [{ kind: "end" }], usage });
    const zero = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    expect(JSON.parse(first?.data ?? "").message).toMatchObject({ id: "up_1", usage: { ...zero, input_tokens: 7 } });
    expect(JSON.parse(last?.data ?? "").usage).toMatchObject({
      input_tokens: 40,
      cache_read_input_tokens: 60,
      cache_creation_input_tokens: 0,
      output_tokens: 30,
    });
  });

  test("a call cut by the length is told as it is, a broken one is an error", () => {
    const broken = [start, tool(0, "a"), input(0, '{"x'), close(0), open(1, { kind: "text" }), text(1, "t"), close(1)];
    expect(written([...broken, finish("length")]).slice(2)).toEqual([
      'content_block_delta 0 {"x',
      "content_block_stop 0",
      "content_block_start 1 text",
      "content_block_delta 1 t",
      "content_block_stop 1",
      "message_delta max_tokens",
      "message_stop",
    ]);
    expect(written([...broken, finish("tool-use")]).slice(3)).toEqual(["error api_error"]);
  });

  test("an error is the last word", () => {
    const error = new GatewayError("upstream_overloaded", "Overloaded");
    expect(written([start, { type: "error", error }, finish()])).toEqual(["message_start", "error overloaded_error"]);
  });

  test("other choices and sound are not told", () => {
    const events: StreamEvent[] = [
      start,
      open(0, { kind: "audio", mediaType: "audio/wav" }),
      { type: "media", choice: 0, block: 0, base64: "AAAA" },
      close(0),
      { ...open(0, { kind: "text" }), choice: 1 } as StreamEvent,
      { ...text(0, "x"), choice: 1 } as StreamEvent,
      finish(),
    ];
    expect(written(events)).toEqual(["message_start", "message_delta end_turn", "message_stop"]);
  });

  test("the heartbeat is a comment before the start and a ping after it", () => {
    expect(side.heartbeat(false)).toBe(keepAliveComment);
    expect(side.heartbeat(true)).toBe('event: ping\ndata: {"type":"ping"}\n\n');
  });
});

test("the official SDK reads what the writer sends", async () => {
  const request = askOf({ stream: true });
  const writer = side.writer(writeContextOf(request));
  const reader = side.reader({ origin: "anthropic" });
  const frames = framesOf([Buffer.from(wireText("anthropic-messages/thinking.sse"))]);
  const events = frames.flatMap((frame) => reader.read(frame));
  const wire = events.flatMap((event) => writer.write(event)).map(formatFrame);
  const middle = [...wire.slice(0, 1), side.heartbeat(true), ...wire.slice(1)].join("");
  const reply = () => new Response(middle, { headers: { "content-type": "text/event-stream" } });
  const client = new Anthropic({ apiKey: "none", baseURL: "http://gateway", fetch: async () => reply() });
  const final = await client.messages
    .stream({ model: "m", max_tokens: 9, messages: [{ role: "user", content: "hi" }] })
    .finalMessage();
  expect(final).toMatchObject({
    content: [
      { type: "thinking", thinking: "Need two lookups.", signature: "EqQBCkYIBBgCKkDk3h0Zx1mTnQ==" },
      { type: "text", text: "Let me check." },
      { type: "tool_use", id: "toolu_time", input: { zone: "UTC" } },
      { type: "tool_use", id: "toolu_day", input: {} },
    ],
    stop_reason: "tool_use",
    usage: { input_tokens: 40, cache_read_input_tokens: 60, output_tokens: 30 },
  });
});
