// How replies of upstreams end: stops, usage, and what is no reply at all.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/lib/json.ts";
import { dialect, parsedReply as parse, readChunks, readFixture, refusal, reply, wholeFixture } from "./bench.ts";

describe("stops", () => {
  const call = { functionCall: { id: "a", name: "f", args: {} } };
  const rows: [string | null, JsonObject[], object][] = [
    ["STOP", [{ text: "a" }], { kind: "end" }],
    ["STOP", [call], { kind: "tool-use" }],
    ["MAX_TOKENS", [{ text: "a" }], { kind: "length" }],
    ["MAX_TOKENS", [call], { kind: "length" }],
    ["MAX_TOKENS", [], { kind: "length" }],
    ["SAFETY", [{ text: "a" }], { kind: "filter" }],
    ["SAFETY", [call], { kind: "filter" }],
    ["CONTINUATION", [{ text: "a" }], { kind: "pause", detail: { finishReason: "CONTINUATION" } }],
    ["OTHER", [{ text: "a" }], { kind: "end", detail: { finishReason: "OTHER" } }],
    ["OTHER", [], { kind: "filter", detail: { finishReason: "OTHER" } }],
    ["TOMORROW", [{ text: "a" }], { kind: "end", detail: { finishReason: "TOMORROW" } }],
    [null, [{ text: "a" }], { kind: "end" }],
    ...["RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"].map(filtered),
    ...["IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "IMAGE_OTHER", "NO_IMAGE"].map(filtered),
  ];
  function filtered(finishReason: string): [string, JsonObject[], object] {
    return [finishReason, [], { kind: "filter", detail: { finishReason } }];
  }
  test.each(rows)("%s", (reason, parts, stop) => {
    expect(parse(reply(parts, reason)).choices[0]?.finishReason).toEqual(stop as never);
  });

  test("the words of a stop are kept", () => {
    expect(parse(reply([], "SPII", { finishMessage: "private" })).choices[0]?.finishReason.detail).toEqual({
      finishReason: "SPII",
      finishMessage: "private",
    });
  });

  test("a prompt that was blocked", () => {
    expect(wholeFixture("blocked")).toMatchObject({
      choices: [
        { index: 0, blocks: [], finishReason: { kind: "filter", detail: { blockReason: "PROHIBITED_CONTENT" } } },
      ],
      usage: { inputTokens: 7, outputTokens: 0 },
    });
  });

  test.each(["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MALFORMED_RESPONSE"])(
    "%s is an error, whole and in a stream",
    (reason) => {
      expect(refusal(() => parse(reply([], reason)))?.kind).toBe("upstream_protocol_error");
      expect(readChunks([reply([{ text: "a" }], null), reply([], reason)]).at(-1)).toMatchObject({
        type: "error",
        error: { kind: "upstream_protocol_error" },
      });
    },
  );
});

describe("usage", () => {
  const none = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 };
  const rows: [JsonObject, object | undefined][] = [
    [
      {
        promptTokenCount: 100,
        cachedContentTokenCount: 60,
        candidatesTokenCount: 20,
        thoughtsTokenCount: 10,
        totalTokenCount: 130,
      },
      { ...none, inputTokens: 40, cacheReadTokens: 60, outputTokens: 20, reasoningTokens: 10 },
    ],
    [
      { promptTokenCount: 10, toolUsePromptTokenCount: 12, candidatesTokenCount: 30, totalTokenCount: 52 },
      { ...none, inputTokens: 22, outputTokens: 30 },
    ],
    [
      { promptTokenCount: 10, cachedContentTokenCount: 40 },
      { ...none, inputTokens: 10, cacheReadTokens: 40 },
    ],
    [
      { promptTokenCount: 10, thoughtsTokenCount: 3, totalTokenCount: 20 },
      { ...none, inputTokens: 10, outputTokens: 7, reasoningTokens: 3 },
    ],
    [{ promptTokenCount: -5, candidatesTokenCount: 3 }, undefined],
    [{ promptTokenCount: 5, candidatesTokenCount: 1e300 }, undefined],
    [{ promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 }, undefined],
    [{}, undefined],
  ];
  test.each(rows)("%j (bug 45)", (usageMetadata, usage) => {
    expect(parse({ ...reply([{ text: "a" }]), usageMetadata }).usage).toEqual(usage as never);
  });

  test("the last figures of a stream count, not their sum (bug 47)", () => {
    expect(readFixture("text").at(-1)).toMatchObject({ usage: { inputTokens: 8, outputTokens: 4 } });
  });
});
describe("what is no reply", () => {
  const nonsense = [null, [], "x", {}, { candidates: [] }, { candidates: [{ index: 900 }] }];
  test.each(nonsense.map((wire) => ({ wire })))("%j", ({ wire }) => {
    expect(refusal(() => parse(wire))?.kind).toBe("upstream_protocol_error");
  });

  test("an error in the body of a good status", () => {
    expect(refusal(() => parse({ error: { code: 503, message: "busy", status: "UNAVAILABLE" } }))?.kind).toBe(
      "upstream_overloaded",
    );
  });

  test("a stream that says nothing", () => {
    expect(readChunks([])).toMatchObject([{ type: "error", error: { kind: "upstream_truncated" } }]);
  });

  test("an error within", () => {
    expect(readFixture("error-midstream").at(-1)).toMatchObject({
      type: "error",
      error: { kind: "upstream_overloaded", message: "The model is overloaded. Please try again later." },
    });
  });

  test("nonsense within, and nothing after it", () => {
    const reader = dialect.stream?.reader({ origin: "gemini" });
    expect(reader?.read({ data: "{oops" })).toMatchObject([
      { type: "error", error: { kind: "upstream_protocol_error" } },
    ]);
    expect([
      ...(reader?.read({ data: JSON.stringify(reply([{ text: "a" }])) }) ?? []),
      ...(reader?.end() ?? []),
    ]).toEqual([]);
  });

  test("one candidate of two that never ended", () => {
    const wire = reply([{ text: "a" }]);
    const second = { content: { parts: [{ text: "b" }] }, index: 1 };
    const events = readChunks([{ ...wire, candidates: [...(wire.candidates as JsonObject[]), second] }]);
    expect(events.at(-1)).toMatchObject({ type: "error", error: { kind: "upstream_truncated" } });
  });
});
