// Streams of servers: the well-behaved, the loose, the broken.
import { describe, expect, test } from "bun:test";
import type { Stop } from "../../../src/canon/conversation.ts";
import { collect, type Delta } from "../../../src/canon/delta.ts";
import { grammarFault } from "../../../src/canon/grammar.ts";
import { openaiChat } from "../../../src/dialects/openai-chat/index.ts";
import { streamEqualsWhole } from "../../kit/laws.ts";
import { wireJson, wireText } from "../../kit/wires.ts";
import { chunk, fixtureFrames, readChunks, readFixture } from "./helpers.ts";

const blocksOf = (deltas: Delta[], choice = 0) => collect(deltas)?.choices[choice]?.blocks;
const lastOf = (deltas: Delta[]) => deltas.at(-1);
const types = (deltas: Delta[]) => deltas.map((delta) => delta.type);
const stopOf = (deltas: Delta[]): Stop | undefined => collect(deltas)?.choices[0]?.stop;

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
    const deltas = readFixture(`${name}.sse`);
    expect(grammarFault(deltas)).toBeNull();
    expect(lastOf(deltas)?.type).toBe("finish");
  });

  test("plain text, delta by delta", () => {
    expect(types(readFixture("text.sse"))).toEqual([
      "start",
      "block-open",
      "text",
      "text",
      "text",
      "block-close",
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
    const answer = collect(readFixture("two-choices.sse"));
    expect(answer?.choices).toEqual([
      { index: 0, blocks: [{ type: "text", text: "Heads!" }], stop: { kind: "length" } },
      { index: 1, blocks: [{ type: "text", text: "Tails." }], stop: { kind: "end" } },
    ]);
  });

  test("Azure's first chunk starts nothing", () => {
    const reader = openaiChat.stream?.reader({ origin: "m" });
    const [first, second] = fixtureFrames("azure-first-chunk.sse");
    expect(first && reader?.read(first)).toEqual([]);
    expect(second && types(reader?.read(second) ?? [])).toEqual(["start"]);
  });

  test("calls that share index 0, whole, under a stop label, with a signature (bugs 1, 10, 11)", () => {
    const deltas = readFixture("google-tools.sse");
    expect(blocksOf(deltas)).toEqual([
      {
        type: "tool-call",
        id: "function-call-1",
        name: "get_time",
        kind: "function",
        input: '{"zone":"UTC"}',
        signature: { origin: "maker", data: "c2lnbmF0dXJl" },
      },
      { type: "tool-call", id: "function-call-2", name: "get_day", kind: "function", input: "{}" },
    ]);
    expect(lastOf(deltas)).toMatchObject({
      stops: [{ kind: "tool-use" }],
      usage: { outputTokens: 12, reasoningTokens: 30 },
    });
  });

  test("calls without index and id, arguments as an object or missing (bugs 12, 13)", () => {
    expect(blocksOf(readFixture("loose-tools.sse"))).toEqual([
      { type: "tool-call", id: "call__0_0", name: "get_time", kind: "function", input: '{"zone":"UTC"}' },
      { type: "tool-call", id: "call__0_1", name: "get_day", kind: "function", input: "{}" },
    ]);
  });

  test("calls woven together, ids repeated or empty", () => {
    expect(blocksOf(readFixture("interleaved-tools.sse"))).toEqual([
      { type: "tool-call", id: "call_a", name: "get_time", kind: "function", input: '{"zone":"UTC"}' },
      { type: "tool-call", id: "call_b", name: "get_day", kind: "function", input: '{"week":1}' },
    ]);
  });

  test("a finished call is closed when the next one opens, so that slower wires need not wait", () => {
    const deltas = readFixture("tools.sse");
    const closed = deltas.findIndex((delta) => delta.type === "block-close" && delta.block === 1);
    const next = deltas.findIndex((delta) => delta.type === "block-open" && delta.block === 2);
    expect(closed).toBeGreaterThan(0);
    expect(closed).toBeLessThan(next);
  });

  test("a call whose name comes late waits for it", () => {
    const deltas = readChunks(
      chunk({ tool_calls: [{ index: 0, id: "a", function: { arguments: '{"x"' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { name: "f", arguments: ":1}" } }] }),
      chunk({}, "tool_calls"),
      "[DONE]",
    );
    expect(blocksOf(deltas)).toEqual([{ type: "tool-call", id: "a", name: "f", kind: "function", input: '{"x":1}' }]);
    expect(grammarFault(deltas)).toBeNull();
  });

  test("pieces without an index follow the id", () => {
    const piece = (id: string | null, name: string | null, args: string) =>
      chunk({ tool_calls: [{ ...(id ? { id } : {}), function: { ...(name ? { name } : {}), arguments: args } }] });
    const deltas = readChunks(
      piece("a", "f", '{"x":'),
      piece(null, null, "1}"),
      piece("b", "g", "{}"),
      piece("b", "g", ""),
      chunk({}, "stop"),
      "[DONE]",
    );
    expect(blocksOf(deltas)).toMatchObject([
      { id: "a", input: '{"x":1}' },
      { id: "b", input: "{}" },
    ]);
  });

  test("a call cut by the length stays half, without invented input", () => {
    const deltas = readFixture("length-call.sse");
    expect(blocksOf(deltas)).toMatchObject([{ input: '{"zo' }]);
    expect(stopOf(deltas)).toEqual({ kind: "length" });
    const empty = readChunks(
      chunk({ tool_calls: [{ index: 0, id: "a", function: { name: "f", arguments: "" } }] }),
      chunk({}, "length"),
      "[DONE]",
    );
    expect(blocksOf(empty)).toMatchObject([{ input: "" }]);
  });

  test("a phantom tool stop is a plain one", () => {
    expect(stopOf(readChunks(chunk({ content: "x" }), chunk({}, "tool_calls"), "[DONE]"))).toEqual({ kind: "end" });
  });

  test("usage on a chunk that has choices, on several chunks, after the finish; the last figure counts (bug 47)", () => {
    const usage = (completion_tokens: number) => ({ usage: { prompt_tokens: 5, completion_tokens } });
    const deltas = readChunks(
      { ...chunk({ content: "x" }), ...usage(1) },
      { ...chunk({}, "stop"), ...usage(2) },
      { choices: [], ...usage(3) },
      "[DONE]",
    );
    expect(lastOf(deltas)).toMatchObject({ type: "finish", usage: { inputTokens: 5, outputTokens: 3 } });
    expect(lastOf(readFixture("text-without-usage.sse"))).not.toHaveProperty("usage");
  });

  test("a chunk without choices in the middle is not the end (bug 49)", () => {
    const deltas = readChunks(
      chunk({ content: "a" }),
      { id: "c1", choices: [] },
      {},
      chunk({ content: "b" }),
      chunk({}, "stop"),
      "[DONE]",
    );
    expect(blocksOf(deltas)).toEqual([{ type: "text", text: "ab" }]);
  });

  test("a whole message in one chunk, text between calls, text after thinking again", () => {
    const whole = readChunks(
      { id: "c1", choices: [{ index: 0, message: { content: "all" }, finish_reason: "stop" }] },
      "[DONE]",
    );
    expect(blocksOf(whole)).toEqual([{ type: "text", text: "all" }]);
    const woven = readChunks(
      chunk({ reasoning: "a" }),
      chunk({ content: "b" }),
      chunk({ reasoning: "c" }),
      chunk({ content: "d" }),
      chunk({}, "stop"),
      "[DONE]",
    );
    expect(blocksOf(woven)?.map((block) => block.type)).toEqual(["thinking", "text", "thinking", "text"]);
    expect(grammarFault(woven)).toBeNull();
  });

  test("details that are the thinking themselves, one block for each index", () => {
    const detail = (index: number, more: object) =>
      chunk({ reasoning_details: [{ type: "reasoning.text", index, ...more }] });
    const deltas = readChunks(
      detail(0, { text: "a" }),
      detail(0, { text: "b", signature: null }),
      detail(0, { signature: "S" }),
      detail(1, { text: "c" }),
      chunk({}, "stop"),
      "[DONE]",
    );
    expect(blocksOf(deltas)).toMatchObject([
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
    const deltas = readChunks(
      chunk({ content: "👩1" }),
      chunk({ reasoning: "hm" }),
      chunk({ content: "abc" }),
      chunk(annotations(3)),
      chunk(call),
      chunk(annotations(0)),
      chunk({}, "tool_calls"),
      "[DONE]",
    );
    expect(blocksOf(deltas)).toMatchObject([
      { type: "text", text: "👩1" },
      { type: "thinking" },
      { type: "text", text: "abc", citations: [{ url: "https://a", start: 1, end: 2 }] },
      { type: "tool-call" },
      { type: "text", text: "", citations: [{ url: "https://a" }] },
    ]);
    expect(grammarFault(deltas)).toBeNull();
  });

  test("spoken output", () => {
    const deltas = readChunks(
      chunk({ audio: { id: "a1" } }),
      chunk({ audio: { data: "AAAA" } }),
      chunk({ audio: { data: "BBBB" } }),
      chunk({}, "stop"),
      "[DONE]",
    );
    expect(blocksOf(deltas)).toMatchObject([{ type: "audio", source: { base64: "AAAABBBB" } }]);
  });
});

describe("ends", () => {
  test("a finish reason without [DONE] is complete, [DONE] without a finish reason too", () => {
    expect(lastOf(readChunks(chunk({ content: "x" }), chunk({}, "stop")))?.type).toBe("finish");
    expect(lastOf(readChunks(chunk({ content: "x" }), "[DONE]"))).toEqual({ type: "finish", stops: [{ kind: "end" }] });
  });

  test("neither is a cut stream, at every place", () => {
    const frames = fixtureFrames("tools.sse");
    const labelled = frames.findIndex((frame) => frame.data.includes('"finish_reason":"tool_calls"'));
    for (let count = 0; count <= labelled; count++) {
      const reader = openaiChat.stream?.reader({ origin: "m" });
      const deltas = [
        ...frames.slice(0, count).flatMap((frame) => reader?.read(frame) ?? []),
        ...(reader?.end() ?? []),
      ];
      expect([count, deltas.at(-1)]).toMatchObject([count, { type: "error", error: { kind: "upstream_reset" } }]);
    }
  });

  test("one choice of two without its finish reason is a cut stream", () => {
    expect(
      lastOf(readChunks(chunk({ content: "a" }), chunk({ content: "b" }, null, 1), chunk({}, "stop", 0)))?.type,
    ).toBe("error");
  });

  test("[DONE] and nothing else is no reply", () => {
    expect(readChunks("[DONE]")).toMatchObject([{ type: "error", error: { kind: "upstream_protocol_error" } }]);
  });

  test("nothing follows a finish", () => {
    const deltas = readChunks(chunk({ content: "x" }, "stop"), "[DONE]", chunk({ content: "y" }), "[DONE]", {
      error: { message: "late" },
    });
    expect(types(deltas)).toEqual(["start", "block-open", "text", "block-close", "finish"]);
  });

  test.each([
    ["error-midstream.sse", "upstream_failed"],
    ["error-first.sse", "upstream_failed"],
  ])("%s is that error", (name, kind) => {
    expect(lastOf(readFixture(name))).toMatchObject({ type: "error", error: { kind } });
  });

  const broken: readonly (readonly [string, Parameters<typeof readChunks>[0], string])[] = [
    ["a record that is no JSON", '{"id":', "upstream_protocol_error"],
    ["a record that is no object", "3", "upstream_protocol_error"],
    ["a choice with an impossible index", chunk({ content: "x" }, null, 128), "upstream_protocol_error"],
    ["a negative index", chunk({ content: "x" }, null, -1), "upstream_protocol_error"],
    ["an error with a status of its own", { error: { code: 429, message: "slow" } }, "upstream_rate_limited"],
    [
      "an error beside choices",
      { ...chunk({ content: "" }, "error"), error: { code: 502, message: "gone" } },
      "upstream_failed",
    ],
    ["a failure as finish reason", chunk({}, "error"), "upstream_failed"],
    [
      "an older vLLM error",
      { object: "error", message: "bad", type: "BadRequestError", code: 400 },
      "upstream_rejected",
    ],
    ["an overload", { error: { message: "busy", type: "overloaded_error" } }, "upstream_overloaded"],
  ];
  test.each(broken.map((row) => [...row] as const))("%s ends the stream", (_name, wire, kind) => {
    const deltas = readChunks(chunk({ content: "x" }), wire, chunk({ content: "y" }), "[DONE]");
    expect(types(deltas)).toEqual(["start", "block-open", "text", "error"]);
    expect(lastOf(deltas)).toMatchObject({ error: { kind } });
    expect(grammarFault(deltas)).toBeNull();
  });

  test("an event that is named error, whatever it holds", () => {
    const reader = openaiChat.stream?.reader({ origin: "m" });
    expect(reader?.read({ event: "error", data: "worker died" })).toMatchObject([
      { type: "error", error: { message: "worker died" } },
    ]);
  });

  test("an empty record is nothing", () => {
    expect(types(readChunks("", chunk({ content: "x" }, "stop"), "[DONE]"))).toContain("finish");
  });
});
