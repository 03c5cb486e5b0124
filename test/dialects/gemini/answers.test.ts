// Whole replies and streams of upstreams into canon: state, calls, stops, usage, sources.
import { describe, expect, test } from "bun:test";
import { collect } from "../../../src/canon/delta.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { askOf, dialect, readChunks, readFixture, refusal, reply, wholeFixture } from "./bench.ts";

const parse = (wire: unknown, more: object = {}) => dialect.response.parse(wire, { origin: "gemini", ...more });
const blocksOf = (parts: JsonObject[], more: object = {}) => parse(reply(parts), more).choices[0]?.blocks;
const gemini = (data: string) => ({ origin: "gemini", data });
const sealed = (signature: object) => ({ type: "thinking", text: "", signature, redacted: true });
const text = (words: string) => ({ type: "text", text: words });

test("a whole reply", () => {
  expect(wholeFixture("text")).toEqual({
    operation: "chat",
    id: "mFk2Z8SvLpKZ-8YP7oTb6Aw",
    model: "gemini-2.5-flash",
    choices: [{ index: 0, blocks: [{ type: "text", text: "Hello, world!" }], stop: { kind: "end" } }],
    usage: { inputTokens: 8, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 4, reasoningTokens: 0 },
  });
});

test("fields of tomorrow are passed over, the time is kept", () => {
  expect(wholeFixture("unknown-fields")).toMatchObject({
    createdAt: Date.parse("2026-11-01T10:00:00Z") / 1000,
    choices: [{ blocks: [text("Hi")] }],
  });
});

test("parallel calls keep ids, order and proof (bugs 1, 8)", () => {
  const [choice] = wholeFixture("tools").choices;
  expect(choice).toEqual({
    index: 0,
    blocks: [
      { type: "thinking", text: "Need two lookups." },
      { type: "text", text: "Let me check." },
      {
        type: "tool-call",
        id: "8f2b1a0e",
        name: "get_time",
        kind: "function",
        input: '{"zone":"UTC"}',
        signature: gemini("EsQDCsEDAXLI2nzToolSignature/+ab=="),
      },
      { type: "tool-call", id: "77c0d1ff", name: "get_day", kind: "function", input: "{}" },
    ],
    stop: { kind: "tool-use" },
  });
});

test("a call's proof is known when it opens, for wires that tell it first", () => {
  const opened = readFixture("tools").filter((delta) => delta.type === "block-open" && delta.open.kind === "tool-call");
  expect(opened).toMatchObject([
    { open: { id: "8f2b1a0e", signature: { data: "EsQDCsEDAXLI2nzToolSignature/+ab==" } } },
    { open: { id: "77c0d1ff" } },
  ]);
});

test("calls without ids get ids of their own, the same each time (bug 8)", () => {
  const ids = () => wholeFixture("calls-without-ids").choices[0]?.blocks.map((block) => "id" in block && block.id);
  expect(new Set(ids()).size).toBe(2);
  expect(ids()).toEqual(ids());
  expect(String(ids()?.[0])).toMatch(/^call_[0-9a-f]{24}$/);
});

test("a call repeated in a later chunk is one call", () => {
  const part = { functionCall: { id: "c1", name: "f", args: {} } };
  const deltas = readChunks([reply([part], null), reply([part])]);
  expect(collect(deltas)?.choices[0]?.blocks).toHaveLength(1);
});

test("of several calls the first counts where one was asked for", () => {
  const ask = askOf({ parallelToolCalls: false });
  const parts = ["a", "b"].map((name) => ({ functionCall: { name, args: {} } }));
  expect(blocksOf(parts, { ask })).toMatchObject([{ name: "a" }]);
  expect(blocksOf(parts)).toHaveLength(2);
});

test("names and kinds come back as the client knows them (bug 15)", () => {
  const ask = askOf({
    tools: [
      { kind: "custom", name: "patch", path: "tools[0]" },
      { kind: "function", name: "1 two" },
    ],
  });
  const parts = [
    { functionCall: { id: "a", name: "patch", args: { input: "x\ny" } } },
    { functionCall: { id: "b", name: "_1_two" } },
  ];
  expect(blocksOf(parts, { ask })).toMatchObject([
    { name: "patch", kind: "custom", input: "x\ny" },
    { name: "1 two", kind: "function", input: "{}" },
  ]);
});

describe("state", () => {
  const envelope = Buffer.from(`gw1.anthropic.${Buffer.from("E").toString("base64url")}`).toString("base64");
  const theirs = { origin: "anthropic", data: "E" };
  const rows: [string, JsonObject[], object[]][] = [
    [
      "last, on an empty text (bug 31)",
      [{ text: "Hi" }, { text: "", thoughtSignature: "S" }],
      [text("Hi"), sealed(gemini("S"))],
    ],
    [
      "on a text",
      [{ text: "Hi", thoughtSignature: "S" }, { text: " you" }],
      [text("Hi"), sealed(gemini("S")), text(" you")],
    ],
    [
      "on thought",
      [
        { text: "Hm", thought: true, thoughtSignature: "S" },
        { text: ".", thought: true },
      ],
      [
        { type: "thinking", text: "Hm", signature: gemini("S") },
        { type: "thinking", text: "." },
      ],
    ],
    ["in an envelope, on a text", [{ text: "Hi", thoughtSignature: envelope }], [sealed(theirs), text("Hi")]],
    [
      "in an envelope, on a call",
      [{ functionCall: { id: "a", name: "f" }, thoughtSignature: envelope }],
      [sealed(theirs), { type: "tool-call", id: "a", name: "f", kind: "function", input: "{}" }],
    ],
    [
      "on a picture",
      [{ inlineData: { mimeType: "image/png", data: "AA==" }, thoughtSignature: "S" }],
      [{ type: "image", source: { kind: "bytes", mediaType: "image/png", base64: "AA==" } }, sealed(gemini("S"))],
    ],
  ];
  test.each(rows)("%s", (_, parts, blocks) => {
    expect(blocksOf(parts)).toEqual(blocks as never);
  });
});

test("text, thought and text again stay three blocks (bug 32)", () => {
  const parts = [{ text: "a" }, { text: "b", thought: true }, { text: "c" }];
  expect(blocksOf(parts)).toEqual([text("a"), { type: "thinking", text: "b" }, text("c")] as never);
});

test("pictures are blocks, drafts among the thoughts are not", () => {
  expect(wholeFixture("image").choices[0]?.blocks).toMatchObject([
    text("Here is a dot."),
    { type: "image", source: { mediaType: "image/png" } },
  ]);
  expect(blocksOf([{ inlineData: { mimeType: "image/png", data: "AA==" }, thought: true }])).toEqual([]);
  expect(blocksOf([{ inlineData: { mimeType: "audio/L16;rate=24000", data: "AA==" } }])).toMatchObject([
    { type: "audio", source: { mediaType: "audio/L16;rate=24000" } },
  ]);
});

test("work of the server leaves only what it says", () => {
  expect(wholeFixture("code-execution").choices[0]?.blocks).toEqual([text("I will compute it.It is 4.")] as never);
});

test("log probabilities", () => {
  expect(wholeFixture("logprobs").choices[0]?.blocks).toEqual([
    {
      type: "text",
      text: "Hi",
      logprobs: [
        {
          token: "Hi",
          logprob: -0.1,
          top: [
            { token: "Hi", logprob: -0.1 },
            { token: "Hello", logprob: -2.5 },
          ],
        },
      ],
    },
  ]);
});

describe("several candidates", () => {
  const words = (name: string) =>
    wholeFixture(name).choices.map(({ blocks }) => blocks.map((block) => "text" in block && block.text));
  test("by their index", () => {
    expect(words("candidates")).toEqual([["Heads."], ["Tails."]]);
  });
  test("what the first repeats of the others goes (bug 42)", () => {
    expect(words("repeated-candidates")).toEqual([["Heads."], ["Tails."]]);
  });
});

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
    expect(parse(reply(parts, reason)).choices[0]?.stop).toEqual(stop as never);
  });

  test("the words of a stop are kept", () => {
    expect(parse(reply([], "SPII", { finishMessage: "private" })).choices[0]?.stop.detail).toEqual({
      finishReason: "SPII",
      finishMessage: "private",
    });
  });

  test("a prompt that was blocked", () => {
    expect(wholeFixture("blocked")).toMatchObject({
      choices: [{ index: 0, blocks: [], stop: { kind: "filter", detail: { blockReason: "PROHIBITED_CONTENT" } } }],
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
    [
      { promptTokenCount: -5, candidatesTokenCount: 1e300 },
      { ...none, outputTokens: 1_000_000_000 },
    ],
    [{}, undefined],
  ];
  test.each(rows)("%j (bug 45)", (usageMetadata, usage) => {
    expect(parse({ ...reply([{ text: "a" }]), usageMetadata }).usage).toEqual(usage as never);
  });

  test("the last figures of a stream count, not their sum (bug 47)", () => {
    expect(readFixture("text").at(-1)).toMatchObject({ usage: { inputTokens: 8, outputTokens: 4 } });
  });
});

describe("sources", () => {
  const zurich = "Zürich hat 👋 viele Brücken.";
  const chars = Array.from(zurich).length;

  test.each(["whole", "stream"])(
    "byte ranges become character ranges, one citation for each source: %s (bug 54)",
    (how) => {
      const answer = how === "whole" ? wholeFixture("grounding") : collect(readFixture("grounding"));
      const [block] = answer?.choices[0]?.blocks ?? [];
      const first = { url: "https://vertexaisearch.cloud.google.com/r/AUZ1", title: "zuerich.com" };
      const second = { url: "https://vertexaisearch.cloud.google.com/r/AUZ2", title: "wikipedia.org" };
      expect(block).toMatchObject({
        citations: [
          { ...first, start: 0, end: chars },
          { ...first, start: chars + 1, end: chars + 1 + 28 },
          { ...second, start: chars + 1, end: chars + 1 + 28 },
        ],
      });
    },
  );

  const cited = (parts: JsonObject[], segment: JsonObject) => {
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: "https://x.test" } }],
      groundingSupports: [{ segment, groundingChunkIndices: [0, 9] }],
    };
    const block = parse(reply(parts, "STOP", { groundingMetadata })).choices[0]?.blocks.find(
      ({ type }) => type === "text",
    );
    return block?.type === "text" ? block.citations : undefined;
  };
  const parts = [{ text: "Hm.", thought: true }, { text: "One. " }, { text: "Two." }];
  const rows: [string, JsonObject, object][] = [
    ["from the start of its part", { partIndex: 2, startIndex: 0, endIndex: 4, text: "Two." }, { start: 5, end: 9 }],
    ["from the start of the text", { startIndex: 5, endIndex: 9, text: "Two." }, { start: 5, end: 9 }],
    ["without words", { partIndex: 2, startIndex: 0, endIndex: 3 }, { start: 5, end: 8 }],
    ["found by its words", { partIndex: 7, startIndex: 1, endIndex: 5, text: "Two." }, { start: 5, end: 9 }],
    ["found nowhere", { startIndex: 0, endIndex: 4, text: "Six." }, {}],
    ["without an end", { startIndex: 3 }, {}],
  ];
  test.each(rows)("a segment counted %s", (_, segment, range) => {
    expect(cited(parts, segment)).toEqual([{ url: "https://x.test", ...range }]);
  });

  test("recitation with an address is a citation too", () => {
    const citationMetadata = {
      citationSources: [{ startIndex: 0, endIndex: 3, uri: "https://x.test" }, { license: "MIT" }],
    };
    expect(parse(reply([{ text: "One." }], "STOP", { citationMetadata })).choices[0]?.blocks).toMatchObject([
      { citations: [{ url: "https://x.test", start: 0, end: 3 }] },
    ]);
  });

  test("sources that come behind a signature still belong to the text", () => {
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: "https://x.test" } }],
      groundingSupports: [{ segment: { endIndex: 2 }, groundingChunkIndices: [0] }],
    };
    const chunks = [
      reply([{ text: "Hi" }], null),
      reply([{ text: "", thoughtSignature: "S" }], null),
      reply([], "STOP", { groundingMetadata }),
    ];
    expect(collect(readChunks(chunks))?.choices[0]?.blocks).toMatchObject([
      { citations: [{ start: 0, end: 2 }] },
      sealed(gemini("S")),
    ]);
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
    expect(readChunks([])).toMatchObject([{ type: "error", error: { kind: "upstream_reset" } }]);
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
    const deltas = readChunks([{ ...wire, candidates: [...(wire.candidates as JsonObject[]), second] }]);
    expect(deltas.at(-1)).toMatchObject({ type: "error", error: { kind: "upstream_reset" } });
  });
});
