// What upstreams of this dialect say, whole and streamed: blocks, stops, usage, and the ways in which servers differ.
import { describe, expect, test } from "bun:test";
import type { ChatRequest } from "../../../src/canonical/chat.ts";
import { collectEvents } from "../../../src/canonical/stream-event.ts";
import { firstStreamViolation } from "../../../src/canonical/stream-validator.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { wireJson, wireText } from "../../support/fixtures.ts";
import * as laws from "../../support/laws.ts";
import { baseAsk, dialect, fixtureFrames, readEvents, readFixture, thrown, wholeReply } from "./helpers.ts";

const whole = (name: string) =>
  dialect.response.parse(wireJson<JsonObject>(`openai-responses/${name}.json`), { origin: "maker" });
const state = (id: string, sealed: string) => ({
  origin: "maker",
  data: JSON.stringify({ id, encrypted_content: sealed }),
});

const names = [
  "text",
  "unicode",
  "tools",
  "reasoning",
  "refusal",
  "length",
  "length-call",
  "filter",
  "custom-tool",
  "web-search",
  "unknown-events",
  "items-only",
];

describe("stream equals whole", () => {
  test.each(names)("%s", (name) => {
    const wire = wireJson<JsonObject>(`openai-responses/${name}.json`);
    laws.streamEqualsWhole(dialect, wireText(`openai-responses/${name}.sse`), wire, []);
    expect(firstStreamViolation(readFixture(`${name}.sse`))).toBeNull();
  });

  test.each(names)("%s cut anywhere is no finish", (name) => {
    const frames = fixtureFrames(`${name}.sse`);
    const end = frames.findIndex((frame) => /"type":"response\.(completed|incomplete)"/.test(frame.data));
    laws.cutStreamIsNoFinish(dialect, frames, end);
  });
});

describe("replies", () => {
  test("the worked example: thought with its state, text, two calls (bugs 1, 2, 13)", () => {
    const response = whole("tools");
    const prefix = "0690e7c2a1b04f5d00690e7c2b3a5c8190";
    expect(response).toMatchObject({ id: `resp_${prefix}21`, model: "gpt-5-mini-2025-08-07", createdAt: 1762500000 });
    expect(response.choices[0]).toEqual({
      index: 0,
      blocks: [
        {
          type: "thinking",
          text: "Need two lookups.",
          signature: state(`rs_${prefix}22`, "gAAAAABpDnwrSTATE=="),
        },
        { type: "text", text: "Let me check." },
        { type: "tool-call", id: "call_a1", name: "get_time", kind: "function", input: '{"zone":"UTC"}' },
        { type: "tool-call", id: "call_b2", name: "get_day", kind: "function", input: "{}" },
      ],
      finishReason: { kind: "tool-use" },
    });
  });

  test("usage goes into disjoint buckets (bug 45)", () => {
    expect(whole("tools").usage).toEqual({
      inputTokens: 40,
      cacheReadTokens: 60,
      cacheWriteTokens: 0,
      outputTokens: 20,
      reasoningTokens: 10,
    });
    expect(whole("reasoning").usage).toMatchObject({ inputTokens: 4, cacheWriteTokens: 16, reasoningTokens: 140 });
    expect(wholeReply([], { usage: null }).usage).toBeUndefined();
  });

  test("a summary of several parts is one text, hidden thought is state alone (bugs 31, 32)", () => {
    const [first, second] = whole("reasoning").choices[0]?.blocks ?? [];
    expect(first).toMatchObject({ type: "thinking", text: "**Weighing** the question.\n\n**Answering** it." });
    expect(second).toMatchObject({ type: "thinking", text: "", redacted: true });
  });

  test("thoughts in the open are read where there is no summary", () => {
    const item = { id: "rs_1", type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "Hm." }] };
    expect(wholeReply([item]).choices[0]?.blocks).toEqual([{ type: "thinking", text: "Hm." }]);
    const result = readEvents(
      { type: "response.created", response: { id: "resp_1", model: "m" } },
      { type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } },
      { type: "response.reasoning_text.delta", item_id: "rs_1", output_index: 0, content_index: 0, delta: "H" },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { status: "completed", output: [item] } },
    );
    expect(collectEvents(result)?.choices[0]?.blocks).toEqual([{ type: "thinking", text: "Hm." }]);
  });

  test("citations keep their ranges, those of the provider's own files their shape (bug 54)", () => {
    const blocks = collectEvents(readFixture("web-search.sse"))?.choices[0]?.blocks;
    expect(blocks).toEqual([
      {
        type: "text",
        text: "Bun 1.4 is out (bun.sh).",
        citations: [
          { url: "https://bun.sh/blog", title: "Bun", start: 15, end: 23 },
          { wire: { type: "file_citation", file_id: "file-9", filename: "notes.txt", index: 3 } },
        ],
      },
    ]);
  });

  test("free text stays free text (bug 15)", () => {
    expect(whole("custom-tool").choices[0]?.blocks[0]).toMatchObject({
      type: "tool-call",
      kind: "custom",
      id: "call_d4",
      input: "*** Begin Patch\n*** End Patch\n",
    });
  });

  test("names that the request had to change come back (bug 9)", () => {
    const long = `${"mcp.server/".repeat(8)}tool`;
    const request: ChatRequest = { ...baseAsk, tools: [{ kind: "function", name: long }] };
    const { call } = dialect.request.render(request, laws.renderContextOf(dialect as never));
    const wireName = (call.body.tools as JsonObject[])[0]?.name;
    expect(wireName).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    const output = [{ type: "function_call", id: "fc_1", call_id: "c", name: wireName, arguments: "{}" }];
    const response = dialect.response.parse({ status: "completed", output }, { origin: "m", request });
    expect(response.choices[0]?.blocks[0]).toMatchObject({ name: long });
    const reader = dialect.stream?.reader({ origin: "m", request });
    const deltas = reader?.read({ data: JSON.stringify({ type: "response.output_item.added", item: output[0] }) });
    expect(deltas?.at(-1)).toMatchObject({ type: "block-start", open: { name: long } });
  });
});

describe("stops", () => {
  test.each([
    ["text", "end"],
    ["tools", "tool-use"],
    ["refusal", "refusal"],
    ["length", "length"],
    ["length-call", "length"],
    ["filter", "filter"],
  ])("%s is %s", (name, kind) => {
    expect(whole(name).choices[0]?.finishReason).toEqual({ kind: kind as "end" });
  });

  test("a cut call stays as far as it came, a whole one without input is the empty object", () => {
    expect(whole("length-call").choices[0]?.blocks).toMatchObject([{ input: '{"zone":"U' }]);
    expect(whole("items-only").choices[0]?.blocks[1]).toMatchObject({ input: "{}" });
  });

  test("a cut without a known reason is a cut, an empty answer is an answer", () => {
    const cut = { status: "incomplete", incomplete_details: { reason: "max_tokens" } };
    expect(wholeReply([], cut).choices[0]).toEqual({ index: 0, blocks: [], finishReason: { kind: "length" } });
    expect(
      wholeReply([], { status: "incomplete", incomplete_details: { reason: "steered" } }).choices[0]?.finishReason,
    ).toEqual({ kind: "end" });
    expect(wholeReply([]).choices[0]?.finishReason).toEqual({ kind: "end" });
  });
});

describe("servers differ", () => {
  test("whole items without deltas, or nothing before the end, are told all the same", () => {
    const expected = whole("items-only").choices;
    expect(collectEvents(readFixture("items-only.sse"))?.choices).toEqual(expected);
    expect(collectEvents(readFixture("end-only.sse"))?.choices).toEqual(expected);
  });

  test("what an item tells at its end has the last word over its deltas", () => {
    const item = {
      id: "fc_1",
      type: "function_call",
      call_id: "c",
      name: "f",
      arguments: '{"a":1}',
      status: "completed",
    };
    const result = readEvents(
      { type: "response.created", response: { id: "resp_1", model: "m" } },
      { type: "response.output_item.added", output_index: 0, item: { ...item, arguments: "" } },
      { type: "response.function_call_arguments.delta", output_index: 0, item_id: "fc_1", delta: '{"a"' },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { status: "completed", output: [item] } },
    );
    expect(collectEvents(result)?.choices[0]?.blocks).toMatchObject([{ input: '{"a":1}' }]);
  });

  test("the whole at the end does not tell an item again that stands elsewhere in it", () => {
    const item = { id: "msg_1", type: "message", content: [{ type: "output_text", text: "once" }] };
    const result = readEvents(
      { type: "response.created", response: {} },
      { type: "response.output_item.done", output_index: 1, item },
      { type: "response.completed", response: { status: "completed", output: [item] } },
    );
    expect(collectEvents(result)?.choices[0]?.blocks).toEqual([{ type: "text", text: "once" }]);
  });

  test("items that overlap keep their own text", () => {
    const call = (id: string) => ({ id, type: "function_call", call_id: `call_${id}`, name: "f", arguments: "" });
    const piece = (output_index: number, delta: string) => ({
      type: "response.function_call_arguments.delta",
      output_index,
      delta,
    });
    const result = readEvents(
      { type: "response.created", response: {} },
      { type: "response.output_item.added", output_index: 0, item: call("a") },
      { type: "response.output_item.added", output_index: 1, item: call("b") },
      piece(0, '{"n":'),
      piece(1, "{}"),
      piece(0, "1}"),
      { type: "response.completed", response: { status: "completed" } },
    );
    expect(firstStreamViolation(result)).toBeNull();
    expect(collectEvents(result)?.choices[0]?.blocks).toMatchObject([{ input: '{"n":1}' }, { input: "{}" }]);
  });

  test("events may lack their place, or carry their type in the event line alone", () => {
    const reader = dialect.stream?.reader({ origin: "m" });
    const frames = [
      { event: "response.created", data: '{"response":{"id":"r","model":"m"}}' },
      { event: "response.output_text.delta", data: '{"item_id":"msg_1","delta":"a"}' },
      { event: "response.output_text.delta", data: '{"item_id":"msg_1","delta":"b"}' },
      { event: "response.completed", data: '{"response":{"status":"completed"}}' },
    ];
    const response = collectEvents(frames.flatMap((frame) => reader?.read(frame) ?? []));
    expect(response?.choices[0]?.blocks).toEqual([{ type: "text", text: "ab" }]);
  });

  test("a body that is no response is refused in words of ours", () => {
    const parse = (wire: unknown) => () => dialect.response.parse(wire, { origin: "m" });
    for (const wire of [null, [], "x", {}, { output: 3 }, { output: [], status: "queued" }])
      expect(thrown(parse(wire))).toMatchObject({ kind: "upstream_protocol_error" });
    expect(thrown(parse(wireJson("openai-responses/failed.json")))).toMatchObject({ kind: "upstream_failed" });
  });
});

describe("skimming", () => {
  const reader = () => dialect.stream?.reader({ origin: "m" });

  test("plain text is counted unread, everything else must be read", () => {
    for (const { data } of fixtureFrames("tools.sse")) {
      const event = JSON.parse(data) as JsonObject;
      const expected = event.type === "response.output_text.delta" ? String(event.delta) : null;
      expect({ type: event.type, text: reader()?.peekText?.(data) }).toEqual({ type: event.type, text: expected });
    }
  });

  test("what was skimmed is not counted again at the end of its item, and the end is the end", () => {
    const skimming = reader();
    const events = fixtureFrames("text.sse").flatMap((frame) =>
      typeof skimming?.peekText?.(frame.data) === "string" ? [] : (skimming?.read(frame) ?? []),
    );
    expect(events.map((streamEvent) => streamEvent.type)).toEqual(["start", "finish"]);
  });
});
