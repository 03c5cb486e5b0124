// Streams to clients: the chunks themselves, and the official SDK's accumulator, which throws on every broken rule.
import { describe, expect, test } from "bun:test";
import { ChatCompletionStream } from "openai/lib/ChatCompletionStream";
import type { Block, ChatRequest, ChatResponse, FinishReason } from "../../../src/canonical/chat.ts";
import { GatewayError } from "../../../src/canonical/error.ts";
import { wrapProviderState } from "../../../src/canonical/provider-state.ts";
import { type StreamEvent, streamEventsOf } from "../../../src/canonical/stream-event.ts";
import { openaiChat } from "../../../src/dialects/openai-chat/index.ts";
import type { Json, JsonObject } from "../../../src/lib/json.ts";
import { keepAliveComment } from "../../../src/lib/sse.ts";
import { call, written } from "./helpers.ts";

const usage = { inputTokens: 40, cacheReadTokens: 60, cacheWriteTokens: 0, outputTokens: 20, reasoningTokens: 10 };

function streamOf(
  blocks: Block[],
  finishReason: FinishReason = { kind: "end" },
  more: Partial<ChatResponse> = {},
): StreamEvent[] {
  return [
    ...streamEventsOf({
      operation: "chat",
      id: "c1",
      model: "m",
      createdAt: 1,
      choices: [{ index: 0, blocks, finishReason: finishReason }],
      usage,
      ...more,
    }),
  ];
}

const deltasOf = (chunks: Json[]): Json[] =>
  chunks.flatMap((chunk) => {
    const [choice] = typeof chunk === "string" ? [] : ((chunk as JsonObject).choices as JsonObject[]);
    return choice === undefined
      ? []
      : [choice.finish_reason === null ? (choice.delta as Json) : (choice.finish_reason as Json)];
  });

const legacy: Partial<ChatRequest> = { unmappedFields: [{ path: "functions", rule: "ignore" }] };
const proof = { extra_content: { google: { thought_signature: wrapProviderState({ origin: "gem", data: "ts" }) } } };
const thought: Block = { type: "thinking", text: "Need two lookups.", signature: { origin: "claude", data: "sig" } };
const text: Block = { type: "text", text: "Let me check." };

describe("chunks", () => {
  test("the worked example, record by record (bugs 1, 2)", () => {
    const turn = [
      thought,
      text,
      call("t_a", { name: "get_time", input: '{"zone":"UTC"}' }),
      call("t_b", { name: "get_day", input: "" }),
    ];
    const chunks = written(streamOf(turn, { kind: "tool-use" }), { includeUsage: true });
    expect(chunks[0]).toEqual({
      id: "c1",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta: { role: "assistant", content: "" }, logprobs: null, finish_reason: null }],
      usage: null,
    });
    expect(deltasOf(chunks)).toEqual([
      { role: "assistant", content: "" },
      { reasoning_content: "Need two lookups." },
      {
        reasoning_details: [
          {
            type: "reasoning.text",
            text: "Need two lookups.",
            signature: wrapProviderState({ origin: "claude", data: "sig" }),
            index: 0,
          },
        ],
      },
      { content: "Let me check." },
      { tool_calls: [{ index: 0, id: "t_a", type: "function", function: { name: "get_time", arguments: "" } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"zone":"UTC"}' } }] },
      { tool_calls: [{ index: 1, id: "t_b", type: "function", function: { name: "get_day", arguments: "" } }] },
      { tool_calls: [{ index: 1, function: { arguments: "{}" } }] },
      "tool_calls",
    ]);
    expect(chunks.slice(-2)).toEqual([
      {
        id: "c1",
        object: "chat.completion.chunk",
        created: 1,
        model: "m",
        choices: [],
        usage: {
          prompt_tokens: 100,
          completion_tokens: 30,
          total_tokens: 130,
          prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 0 },
          completion_tokens_details: { reasoning_tokens: 10 },
        },
      },
      "[DONE]",
    ]);
  });

  test("usage only for those who asked, and only where somebody counted (bug 48)", () => {
    const unasked = JSON.stringify(written(streamOf([text])));
    expect(unasked).not.toContain("usage");
    const uncounted = written(streamOf([text], { kind: "end" }, { usage: undefined as never }), { includeUsage: true });
    expect(
      uncounted.filter(
        (chunk) =>
          (chunk as JsonObject).choices !== undefined && ((chunk as JsonObject).choices as Json[]).length === 0,
      ),
    ).toEqual([]);
  });

  test("the gateway's own id and time stand in where the upstream gave none", () => {
    const [first] = written([{ type: "start", id: "", model: "" }]);
    expect(first).toMatchObject({ id: "made-1", created: 7, model: "m" });
  });

  test("every choice has its role, its content and its finish", () => {
    const choices = [
      { index: 0, blocks: [text], finishReason: { kind: "end" } as FinishReason },
      { index: 1, blocks: [], finishReason: { kind: "length" } as FinishReason },
    ];
    const chunks = written(streamOf([], undefined, { choices }));
    const seen = chunks.slice(0, -1).map((chunk) => ((chunk as JsonObject).choices as JsonObject[])[0]);
    expect(seen.map((choice) => [choice?.index, choice?.delta, choice?.finish_reason])).toEqual([
      [0, { role: "assistant", content: "" }, null],
      [0, { content: "Let me check." }, null],
      [0, {}, "stop"],
      [1, { role: "assistant", content: "" }, null],
      [1, {}, "length"],
    ]);
  });

  test("refusal, custom call, citations, speech, a signed call", () => {
    const blocks: Block[] = [
      { type: "text", text: "👩a", citations: [{ url: "https://a", title: "A" }] },
      { type: "text", text: "bc", citations: [{ url: "https://b", start: 1, end: 2 }] },
      { type: "refusal", text: "no" },
      { type: "audio", source: { kind: "bytes", mediaType: "audio/pcm", base64: "AAAA" } },
      {
        type: "tool-call",
        id: "p",
        name: "patch",
        kind: "custom",
        input: "raw",
        signature: { origin: "gem", data: "ts" },
      },
    ];
    const citation = (start_index: number, end_index: number, title: string, url: string) => ({
      annotations: [{ type: "url_citation", url_citation: { start_index, end_index, title, url } }],
    });
    expect(deltasOf(written(streamOf(blocks))).slice(1)).toEqual([
      { content: "👩a" },
      citation(0, 2, "A", "https://a"),
      { content: "bc" },
      citation(3, 4, "", "https://b"),
      { refusal: "no" },
      { audio: { id: "audio_made-1", transcript: "" } },
      { audio: { data: "AAAA" } },
      { tool_calls: [{ index: 0, id: "p", type: "custom", custom: { name: "patch", input: "" }, ...proof }] },
      { tool_calls: [{ index: 0, custom: { input: "raw" } }] },
      "tool_calls",
    ]);
  });

  test("a signature that is only known when the call closes comes with a piece of its input", () => {
    const at = { choice: 0, block: 0 };
    const events: StreamEvent[] = [
      { type: "start", id: "c1", model: "m" },
      { type: "block-start", ...at, open: { kind: "tool-call", id: "a", name: "f", tool: "function" } },
      { type: "tool-input", ...at, text: "{}" },
      { type: "block-end", ...at, signature: { origin: "gem", data: "ts" } },
      { type: "finish", finishReasons: [{ kind: "tool-use" }] },
    ];
    expect(deltasOf(written(events)).slice(1)).toEqual([
      { tool_calls: [{ index: 0, id: "a", type: "function", function: { name: "f", arguments: "" } }] },
      { tool_calls: [{ index: 0, function: { arguments: "{}" } }] },
      { tool_calls: [{ index: 0, function: { arguments: "" }, ...proof }] },
      "tool_calls",
    ]);
  });

  test("two thinking blocks in a row do not run together", () => {
    const blocks: Block[] = [
      { type: "thinking", text: "one" },
      { type: "thinking", text: "two", signature: { origin: "c", data: "s" } },
    ];
    expect(deltasOf(written(streamOf(blocks))).slice(1, -1)).toEqual([
      { reasoning_content: "one" },
      { reasoning_details: [{ type: "reasoning.text", text: "one", index: 0 }] },
      { reasoning_content: "two" },
      {
        reasoning_details: [
          { type: "reasoning.text", text: "two", signature: wrapProviderState({ origin: "c", data: "s" }), index: 1 },
        ],
      },
    ]);
  });

  test("a call that was cut before its input is not made whole", () => {
    expect(deltasOf(written(streamOf([call("a", { input: "" })], { kind: "length" }))).slice(2)).toEqual(["length"]);
  });

  test("a client of the form from before tools hears of one call", () => {
    const chunks = written(streamOf([call("a"), call("b")], { kind: "tool-use" }), legacy);
    expect(deltasOf(chunks).slice(1)).toEqual([
      { function_call: { name: "f", arguments: "" } },
      { function_call: { arguments: "{}" } },
      "function_call",
    ]);
  });

  test("an error ends it without [DONE], with all four fields, and nothing follows", () => {
    const error = new GatewayError("upstream_reset", "It broke off.");
    const start: StreamEvent = { type: "start", id: "c1", model: "m" };
    const chunks = written([start, { type: "error", error }, { type: "finish", finishReasons: [{ kind: "end" }] }]);
    expect(chunks.slice(1)).toEqual([
      { error: { message: "It broke off.", type: "upstream_error", param: null, code: "upstream_unreachable" } },
    ]);
  });

  test("a writer never throws, whatever it is given", () => {
    const at = { choice: 0, block: 5 };
    const stray: StreamEvent[] = [
      { type: "text", ...at, text: "x" },
      { type: "thinking", ...at, text: "x" },
      { type: "tool-input", ...at, text: "x" },
      { type: "block-end", ...at },
      { type: "block-start", choice: 0, block: 0, open: { kind: "text" } },
      { type: "tool-input", choice: 0, block: 0, text: "" },
      { type: "finish", finishReasons: [] },
    ];
    expect(written(stray).at(-1)).toBe("[DONE]");
  });

  test("silence is broken by a comment", () => {
    expect(openaiChat.stream?.heartbeat(false)).toBe(keepAliveComment);
    expect(openaiChat.stream?.heartbeat(true)).toBe(keepAliveComment);
  });
});

describe("the official accumulator", () => {
  async function gather(events: StreamEvent[], ask: Partial<ChatRequest> = {}) {
    const lines = written(events, ask)
      .filter((chunk) => chunk !== "[DONE]")
      .map((chunk) => `${JSON.stringify(chunk)}\n`);
    return ChatCompletionStream.fromReadableStream(new Blob(lines).stream()).finalChatCompletion();
  }

  test("takes calls, thinking, citations and usage", async () => {
    const blocks = [
      thought,
      text,
      call("t_a", { input: '{"zone":"UTC"}' }),
      call("t_b", { input: "", signature: { origin: "gem", data: "ts" } }),
    ];
    const { choices, usage: counted } = await gather(streamOf(blocks, { kind: "tool-use" }), { includeUsage: true });
    expect(choices[0]?.finish_reason).toBe("tool_calls");
    expect(choices[0]?.message.content).toBe("Let me check.");
    expect(choices[0]?.message.tool_calls).toMatchObject([
      { id: "t_a", type: "function", function: { name: "f", arguments: '{"zone":"UTC"}' } },
      { id: "t_b", type: "function", function: { name: "f", arguments: "{}" } },
    ]);
    expect(counted?.total_tokens).toBe(130);
  });

  test("takes several choices, and a refusal", async () => {
    const choices = [0, 1].map((index) => ({
      index,
      blocks: [{ type: "refusal", text: `no ${index}` } as Block],
      finishReason: { kind: "refusal" } as FinishReason,
    }));
    const gathered = await gather(streamOf([], undefined, { choices }));
    expect(gathered.choices.map((choice) => [choice.message.refusal, choice.finish_reason])).toEqual([
      ["no 0", "stop"],
      ["no 1", "stop"],
    ]);
  });

  test("takes the legacy call", async () => {
    const { choices } = await gather(streamOf([call("a", { input: '{"x":1}' })], { kind: "tool-use" }), legacy);
    expect(choices[0]?.message.function_call).toEqual({ name: "f", arguments: '{"x":1}' });
  });

  test("throws on an error", async () => {
    const error = new GatewayError("upstream_reset", "It broke off.");
    const chunks = [...streamOf([text]).slice(0, 3), { type: "error", error } as StreamEvent];
    await expect(gather(chunks)).rejects.toThrow();
  });
});
