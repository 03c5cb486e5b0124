// How streams of servers end: complete, cut off, broken.
import { describe, expect, test } from "bun:test";
import { firstStreamViolation } from "../../../src/canonical/stream-validator.ts";
import { openaiChat } from "../../../src/dialects/openai-chat/index.ts";
import { chunk, fixtureFrames, lastOf, readChunks, readFixture, types } from "./helpers.ts";

describe("ends", () => {
  test("a finish reason without [DONE] is complete, [DONE] without a finish reason too", () => {
    expect(lastOf(readChunks(chunk({ content: "x" }), chunk({}, "stop")))?.type).toBe("finish");
    expect(lastOf(readChunks(chunk({ content: "x" }), "[DONE]"))).toEqual({
      type: "finish",
      finishReasons: [{ kind: "end" }],
    });
  });

  test("neither is a cut stream, at every place", () => {
    const frames = fixtureFrames("tools.sse");
    const labelled = frames.findIndex((frame) => frame.data.includes('"finish_reason":"tool_calls"'));
    for (let count = 0; count <= labelled; count++) {
      const reader = openaiChat.stream?.reader({ origin: "m" });
      const events = [
        ...frames.slice(0, count).flatMap((frame) => reader?.read(frame) ?? []),
        ...(reader?.end() ?? []),
      ];
      expect([count, events.at(-1)]).toMatchObject([count, { type: "error", error: { kind: "upstream_truncated" } }]);
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
    const events = readChunks(chunk({ content: "x" }, "stop"), "[DONE]", chunk({ content: "y" }), "[DONE]", {
      error: { message: "late" },
    });
    expect(types(events)).toEqual(["start", "block-start", "text", "block-end", "finish"]);
  });

  test.each([
    ["error-midstream.sse", "upstream_failed"],
    ["error-first.sse", "upstream_failed"],
  ])("%s is that error", (name, kind) => {
    expect(lastOf(readFixture(name))).toMatchObject({ type: "error", error: { kind } });
  });

  const broken: readonly (readonly [string, Parameters<typeof readChunks>[0], string])[] = [
    ["a record that is no JSON", '{"id":', "upstream_protocol_error"],
    ["a record that is not an object", "3", "upstream_protocol_error"],
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
    const events = readChunks(chunk({ content: "x" }), wire, chunk({ content: "y" }), "[DONE]");
    expect(types(events)).toEqual(["start", "block-start", "text", "error"]);
    expect(lastOf(events)).toMatchObject({ error: { kind } });
    expect(firstStreamViolation(events)).toBeNull();
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
