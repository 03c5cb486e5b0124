// What clients of this dialect get: whole replies and streams.
import { describe, expect, test } from "bun:test";
import type { Block, ChatResponse, FinishReason } from "../../../src/canonical/chat.ts";
import { GatewayError } from "../../../src/canonical/error.ts";
import { type StreamEvent, streamEventsOf } from "../../../src/canonical/stream-event.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { writeContextOf } from "../../support/laws.ts";
import { askOf, call, dialect, partsOf, refusal, written } from "./bench.ts";

const usage = { inputTokens: 40, cacheReadTokens: 60, cacheWriteTokens: 5, outputTokens: 20, reasoningTokens: 10 };
const theirs = { origin: "anthropic", data: "E" };
const envelope = Buffer.from(`gw1.anthropic.${Buffer.from("E").toString("base64url")}`).toString("base64");
/** The envelope of a whole thought with its words, and of others behind it. */
const thoughtOf = (text: string, ...others: object[]) => {
  const thoughts = JSON.stringify([{ text, data: "E" }, ...others]);
  return Buffer.from(`gw1.anthropic.${Buffer.from(thoughts).toString("base64url")}.thoughts`).toString("base64");
};
const unsigned = Buffer.from("gw1.none.").toString("base64");
const redacted: Block = { type: "thinking", text: "", signature: theirs, redacted: true };

const answerOf = (
  blocks: (Block | string)[],
  finishReason: FinishReason = { kind: "end" },
  more: Partial<ChatResponse> = {},
): ChatResponse => ({
  operation: "chat",
  id: "r1",
  model: "m",
  choices: [
    {
      index: 0,
      blocks: blocks.map((block) => (typeof block === "string" ? { type: "text", text: block } : block)),
      finishReason: finishReason,
    },
  ],
  ...more,
});
const whole = (response: ChatResponse) => dialect.response.render(response, writeContextOf(askOf()));
/** The parts of a stream, without the empty one on which the reason to end stands where nothing else is left. */
const streamed = (response: ChatResponse) => {
  const parts = partsOf(written(streamEventsOf(response)));
  const last = parts.length > 1 && JSON.stringify(parts.at(-1)) === '{"text":""}';
  return last ? parts.slice(0, -1) : parts;
};
const callPart = (id: string, thoughtSignature?: string) => ({
  functionCall: { id, name: "get_time", args: { zone: "UTC" } },
  ...(thoughtSignature === undefined ? {} : { thoughtSignature }),
});

describe("parts, whole and in a stream", () => {
  const rows: [string, (Block | string)[], object[]][] = [
    ["text", ["Hi"], [{ text: "Hi" }]],
    ["nothing", [], [{ text: "" }]],
    ["a refusal", [{ type: "refusal", text: "No." }], [{ text: "No." }]],
    ["thought", [{ type: "thinking", text: "Hm." }, "Hi"], [{ text: "Hm.", thought: true }, { text: "Hi" }]],
    ["a call", [call("c1")], [callPart("c1", unsigned)]],
    ["calls: the first of them has proof", [call("c1"), call("c2")], [callPart("c1", unsigned), callPart("c2")]],
    [
      "a call with its own proof",
      [{ ...call("c1"), signature: { origin: "gemini", data: "S" } } as Block],
      [callPart("c1", "S")],
    ],
    ["a call with another maker's proof", [{ ...call("c1"), signature: theirs } as Block], [callPart("c1", envelope)]],
    ["redacted thought goes on the next part", [redacted, "Hi"], [{ text: "Hi", thoughtSignature: envelope }]],
    ["… on a call", [redacted, call("c1")], [callPart("c1", envelope)]],
    [
      "… on none, where a thought is next",
      [redacted, { type: "thinking", text: "Hm." }, "Hi"],
      [{ text: "", thoughtSignature: envelope }, { text: "Hm.", thought: true }, { text: "Hi" }],
    ],
    [
      "… on none, where the call has its own",
      [redacted, { ...call("c1"), signature: theirs } as Block],
      [{ text: "", thoughtSignature: envelope }, callPart("c1", envelope)],
    ],
    ["… at the end", ["Hi", redacted], [{ text: "Hi" }, { text: "", thoughtSignature: envelope }]],
    [
      "… with the words of the thought before it, on a call",
      [{ type: "thinking", text: "Hm.", signature: theirs }, redacted, call("c1"), call("c2")],
      [
        { text: "Hm.", thought: true },
        callPart("c1", thoughtOf("Hm.", { text: "", data: "E", redacted: true })),
        { functionCall: { id: "c2", name: "get_time", args: { zone: "UTC" } } },
      ],
    ],
    [
      "… on the part that shows the thought, where no call follows",
      [{ type: "thinking", text: "Hm.", signature: theirs }, "Hi"],
      [{ text: "Hm.", thought: true, thoughtSignature: thoughtOf("Hm.") }, { text: "Hi" }],
    ],
    [
      "a picture",
      [{ type: "image", source: { kind: "bytes", mediaType: "image/png", base64: "AA==" } }],
      [{ inlineData: { mimeType: "image/png", data: "AA==" } }],
    ],
    [
      "empty input is an empty object (bug 13)",
      [call("c1", "get_time", "")],
      [{ functionCall: { id: "c1", name: "get_time", args: {} }, thoughtSignature: unsigned }],
    ],
  ];
  test.each(rows)("%s", (_, blocks, parts) => {
    const response = answerOf(blocks);
    expect(partsOf([whole(response)])).toEqual(parts as never);
    expect(streamed(response)).toEqual(parts as never);
  });

  test("a stream shows the state of a thought on its last piece, and no piece without words", () => {
    const at = { choice: 0, block: 0 };
    const events: StreamEvent[] = [
      { type: "start", id: "r1", model: "m" },
      { type: "block-start", ...at, open: { kind: "thinking" } },
      { type: "thinking", ...at, text: "Hm, " },
      { type: "thinking", ...at, text: "yes." },
      { type: "block-end", ...at, signature: theirs },
      { type: "finish", finishReasons: [{ kind: "end" }] },
    ];
    expect(partsOf(written(events))).toEqual([
      { text: "Hm, ", thought: true },
      { text: "yes.", thought: true, thoughtSignature: thoughtOf("Hm, yes.") },
    ]);
  });
});

test("a stream in the form of the service", () => {
  const response = answerOf(["Let me check.", call("c1")], { kind: "tool-use" }, { usage, createdAt: 1_760_000_000 });
  const tail = { modelVersion: "m", createTime: "2025-10-09T08:53:20.000Z", responseId: "r1" };
  expect(written(streamEventsOf(response))).toEqual([
    { candidates: [{ content: { parts: [{ text: "Let me check." }], role: "model" }, index: 0 }], ...tail },
    {
      candidates: [{ content: { parts: [callPart("c1", unsigned)], role: "model" }, finishReason: "STOP", index: 0 }],
      usageMetadata: {
        promptTokenCount: 105,
        cachedContentTokenCount: 60,
        candidatesTokenCount: 20,
        thoughtsTokenCount: 10,
        totalTokenCount: 135,
      },
      ...tail,
    },
  ]);
});

test("where the upstream gave no id and no model, the gateway's stand there", () => {
  expect(whole(answerOf(["a"], { kind: "end" }, { id: "", model: "" }))).toMatchObject({
    responseId: "law-1",
    modelVersion: "smart",
  });
  const [chunk] = written([
    { type: "start", id: "", model: "" },
    { type: "finish", finishReasons: [{ kind: "end" }] },
  ]);
  expect(chunk).toMatchObject({ responseId: "made-1", modelVersion: "smart" });
});

test("usage that nobody counted is not told", () => {
  expect(whole(answerOf(["a"]))).not.toHaveProperty("usageMetadata");
});

describe("stops", () => {
  const rows: [FinishReason, JsonObject][] = [
    [{ kind: "end" }, { finishReason: "STOP" }],
    [{ kind: "stop-sequence", sequence: "x" }, { finishReason: "STOP" }],
    [{ kind: "tool-use" }, { finishReason: "STOP" }],
    [{ kind: "length" }, { finishReason: "MAX_TOKENS" }],
    [{ kind: "context-full" }, { finishReason: "MAX_TOKENS" }],
    [{ kind: "refusal" }, { finishReason: "SAFETY" }],
    [{ kind: "filter" }, { finishReason: "SAFETY" }],
    [
      { kind: "filter", detail: { finishReason: "SPII", finishMessage: "m" } },
      { finishReason: "SPII", finishMessage: "m" },
    ],
    [{ kind: "refusal", detail: { type: "refusal" } }, { finishReason: "SAFETY" }],
    [{ kind: "pause" }, { finishReason: "OTHER" }],
  ];
  test.each(rows)("%j", (finishReason, members) => {
    const response = answerOf(["a"], finishReason);
    expect((whole(response).candidates as JsonObject[])[0]).toMatchObject(members);
    const chunks = written(streamEventsOf(response));
    expect(chunks.map((chunk) => (chunk.candidates as JsonObject[])[0]?.finishReason)).toEqual([
      undefined,
      members.finishReason,
    ]);
  });

  test("a blocked prompt has no candidate", () => {
    const response = answerOf([], { kind: "filter", detail: { blockReason: "OTHER" } });
    expect(whole(response)).toEqual({ promptFeedback: { blockReason: "OTHER" }, modelVersion: "m", responseId: "r1" });
    expect(written(streamEventsOf(response))).toEqual([whole(response)]);
  });
});

describe("input that is no JSON", () => {
  const broken = call("c1", "get_time", '{"zone":');
  test("is left out where the length cut it", () => {
    const response = answerOf(["Hi", broken], { kind: "length" });
    expect(partsOf([whole(response)])).toEqual([{ text: "Hi" }]);
    expect(partsOf(written(streamEventsOf(response)))).toEqual([{ text: "Hi" }, { text: "" }]);
  });

  test("is an error otherwise", () => {
    const response = answerOf(["Hi", broken], { kind: "tool-use" });
    expect(refusal(() => whole(response))?.kind).toBe("upstream_protocol_error");
    expect(written(streamEventsOf(response)).at(-1)).toMatchObject({ error: { code: 502, status: "INTERNAL" } });
  });
});

test("calls that arrive interleaved come whole, each in its own part (bug 1)", () => {
  const at = (block: number) => ({ choice: 0, block });
  const events: StreamEvent[] = [
    { type: "start", id: "r1", model: "m" },
    { type: "block-start", ...at(0), open: { kind: "tool-call", id: "a", name: "f", tool: "function" } },
    { type: "block-start", ...at(1), open: { kind: "tool-call", id: "b", name: "g", tool: "function" } },
    { type: "tool-input", ...at(1), text: '{"y":' },
    { type: "tool-input", ...at(0), text: '{"x":1}' },
    { type: "tool-input", ...at(1), text: "2}" },
    { type: "block-end", ...at(0) },
    { type: "block-end", ...at(1) },
    { type: "finish", finishReasons: [{ kind: "tool-use" }] },
  ];
  expect(partsOf(written(events))).toMatchObject([
    { functionCall: { id: "a", name: "f", args: { x: 1 } } },
    { functionCall: { id: "b", name: "g", args: { y: 2 } } },
  ]);
});

test("sources: character ranges become byte ranges of their part", () => {
  const citations = [
    { url: "https://x.test", title: "X", start: 3, end: 5 },
    { quote: "no address" },
    { url: "https://y.test" },
  ];
  const response = answerOf([
    { type: "thinking", text: "Hm." },
    { type: "text", text: "Zü 👋.", citations },
  ]);
  const grounding = {
    groundingChunks: [{ web: { uri: "https://x.test", title: "X" } }, { web: { uri: "https://y.test", title: "" } }],
    groundingSupports: [
      { segment: { partIndex: 1, startIndex: 4, endIndex: 9, text: "👋." }, groundingChunkIndices: [0] },
      { segment: { partIndex: 1, endIndex: 9, text: "Zü 👋." }, groundingChunkIndices: [1] },
    ],
  };
  expect(whole(response)).toMatchObject({ candidates: [{ groundingMetadata: grounding }] });
  expect(written(streamEventsOf(response)).at(-1)).toMatchObject({ candidates: [{ groundingMetadata: grounding }] });
});

test("log probabilities", () => {
  const logprobs = [{ token: "Hi", logprob: -0.5, top: [{ token: "Ho", logprob: -2 }] }];
  const result = {
    topCandidates: [{ candidates: [{ token: "Ho", logProbability: -2 }] }],
    chosenCandidates: [{ token: "Hi", logProbability: -0.5 }],
  };
  const response = answerOf([{ type: "text", text: "Hi", logprobs }]);
  expect(whole(response)).toMatchObject({ candidates: [{ logprobsResult: result }] });
  expect(written(streamEventsOf(response))[0]).toMatchObject({ candidates: [{ logprobsResult: result }] });
});

test("nothing follows an error, and an error within wears the client's envelope", () => {
  const error = new GatewayError("upstream_overloaded", "busy", { retryAfterMs: 1500 });
  const chunks = written([
    { type: "start", id: "r1", model: "m" },
    { type: "error", error },
    { type: "finish", finishReasons: [{ kind: "end" }] },
  ]);
  expect(chunks).toMatchObject([{ error: { code: 503, status: "UNAVAILABLE", message: "busy" } }]);
});

test("the array's pieces make one JSON text", () => {
  const { array } = dialect.stream ?? {};
  const frames = written(streamEventsOf(answerOf(["a", call("c1")], { kind: "tool-use" }))).map((chunk) =>
    JSON.stringify(chunk),
  );
  const text = frames.map((data, index) => `${index === 0 ? array?.open : array?.between}${array?.heartbeat}${data}`);
  expect(JSON.parse(`${text.join("")}${array?.close}`)).toHaveLength(frames.length);
  expect(JSON.parse(`${array?.open}${array?.close}`)).toEqual([]);
});
