// Streams of loose servers: calls without index, id or name, counts in odd places, chunks that say nothing.
import { describe, expect, test } from "bun:test";
import { firstStreamViolation } from "../../../src/canonical/stream-validator.ts";
import { openaiChat } from "../../../src/dialects/openai-chat/index.ts";
import { blocksOf, chunk, fixtureFrames, lastOf, readChunks, readFixture, stopOf, types } from "./helpers.ts";

describe("streams of servers", () => {
  test("Azure's first chunk starts nothing", () => {
    const reader = openaiChat.stream?.reader({ origin: "m" });
    const [first, second] = fixtureFrames("azure-first-chunk.sse");
    expect(first && reader?.read(first)).toEqual([]);
    expect(second && types(reader?.read(second) ?? [])).toEqual(["start"]);
  });

  test("calls that share index 0, whole, under a stop label, with a signature (bugs 1, 10, 11)", () => {
    const events = readFixture("google-tools.sse");
    expect(blocksOf(events)).toEqual([
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
    expect(lastOf(events)).toMatchObject({
      finishReasons: [{ kind: "tool-use" }],
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

  test("a call whose name comes late waits for it", () => {
    const events = readChunks(
      chunk({ tool_calls: [{ index: 0, id: "a", function: { arguments: '{"x"' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { name: "f", arguments: ":1}" } }] }),
      chunk({}, "tool_calls"),
      "[DONE]",
    );
    expect(blocksOf(events)).toEqual([{ type: "tool-call", id: "a", name: "f", kind: "function", input: '{"x":1}' }]);
    expect(firstStreamViolation(events)).toBeNull();
  });

  test("pieces without an index follow the id", () => {
    const piece = (id: string | null, name: string | null, args: string) =>
      chunk({ tool_calls: [{ ...(id ? { id } : {}), function: { ...(name ? { name } : {}), arguments: args } }] });
    const events = readChunks(
      piece("a", "f", '{"x":'),
      piece(null, null, "1}"),
      piece("b", "g", "{}"),
      piece("b", "g", ""),
      chunk({}, "stop"),
      "[DONE]",
    );
    expect(blocksOf(events)).toMatchObject([
      { id: "a", input: '{"x":1}' },
      { id: "b", input: "{}" },
    ]);
  });

  test("a phantom tool stop is a plain one", () => {
    expect(stopOf(readChunks(chunk({ content: "x" }), chunk({}, "tool_calls"), "[DONE]"))).toEqual({ kind: "end" });
  });

  test("usage on a chunk that has choices, on several chunks, after the finish; the last figure counts (bug 47)", () => {
    const usage = (completion_tokens: number) => ({ usage: { prompt_tokens: 5, completion_tokens } });
    const events = readChunks(
      { ...chunk({ content: "x" }), ...usage(1) },
      { ...chunk({}, "stop"), ...usage(2) },
      { choices: [], ...usage(3) },
      "[DONE]",
    );
    expect(lastOf(events)).toMatchObject({ type: "finish", usage: { inputTokens: 5, outputTokens: 3 } });
    expect(lastOf(readFixture("text-without-usage.sse"))).not.toHaveProperty("usage");
  });

  test("a chunk without choices in the middle is not the end (bug 49)", () => {
    const events = readChunks(
      chunk({ content: "a" }),
      { id: "c1", choices: [] },
      {},
      chunk({ content: "b" }),
      chunk({}, "stop"),
      "[DONE]",
    );
    expect(blocksOf(events)).toEqual([{ type: "text", text: "ab" }]);
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
    expect(firstStreamViolation(woven)).toBeNull();
  });
});
