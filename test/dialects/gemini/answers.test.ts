// What replies of upstreams hold, whole and in a stream: text, thought, state, calls, pictures.
import { describe, expect, test } from "bun:test";
import { collectEvents } from "../../../src/canonical/stream-event.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { wireJson, wireText } from "../../support/fixtures.ts";
import { streamEqualsWhole } from "../../support/laws.ts";
import { askOf, dialect, parsedReply, readChunks, readFixture, reply, sealedBy, wholeFixture } from "./bench.ts";

const blocksOf = (parts: JsonObject[], more: object = {}) => parsedReply(reply(parts), more).choices[0]?.blocks;
const gemini = (data: string) => ({ origin: "gemini", data });
const text = (words: string) => ({ type: "text", text: words });

test("a whole reply", () => {
  expect(wholeFixture("text")).toEqual({
    operation: "chat",
    id: "mFk2Z8SvLpKZ-8YP7oTb6Aw",
    model: "gemini-2.5-flash",
    choices: [{ index: 0, blocks: [{ type: "text", text: "Hello, world!" }], finishReason: { kind: "end" } }],
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
    finishReason: { kind: "tool-use" },
  });
});

test("a call's proof is known when it opens, for wires that tell it first", () => {
  const opened = readFixture("tools").filter(
    (event) => event.type === "block-start" && event.open.kind === "tool-call",
  );
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
  const events = readChunks([reply([part], null), reply([part])]);
  expect(collectEvents(events)?.choices[0]?.blocks).toHaveLength(1);
});

test("of several calls the first counts where one was asked for", () => {
  const request = askOf({ parallelToolCalls: false });
  const parts = ["a", "b"].map((name) => ({ functionCall: { name, args: {} } }));
  expect(blocksOf(parts, { request })).toMatchObject([{ name: "a" }]);
  expect(blocksOf(parts)).toHaveLength(2);
});

test("names and kinds come back as the client knows them (bug 15)", () => {
  const request = askOf({
    tools: [
      { kind: "custom", name: "patch", path: "tools[0]" },
      { kind: "function", name: "1 two" },
    ],
  });
  const parts = [
    { functionCall: { id: "a", name: "patch", args: { input: "x\ny" } } },
    { functionCall: { id: "b", name: "_1_two" } },
  ];
  expect(blocksOf(parts, { request })).toMatchObject([
    { name: "patch", kind: "custom", input: "x\ny" },
    { name: "1 two", kind: "function", input: "{}" },
  ]);
});

describe("state", () => {
  const envelope = Buffer.from(`gw1.anthropic.${Buffer.from("E").toString("base64url")}`).toString("base64");
  const rows: [string, JsonObject[], object[]][] = [
    [
      "last, on an empty text (bug 31)",
      [{ text: "Hi" }, { text: "", thoughtSignature: "S" }],
      [text("Hi"), sealedBy("gemini", "S")],
    ],
    [
      "on a text",
      [{ text: "Hi", thoughtSignature: "S" }, { text: " you" }],
      [text("Hi"), sealedBy("gemini", "S"), text(" you")],
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
    [
      "in an envelope, on a text",
      [{ text: "Hi", thoughtSignature: envelope }],
      [sealedBy("anthropic", "E"), text("Hi")],
    ],
    [
      "in an envelope, on a call",
      [{ functionCall: { id: "a", name: "f" }, thoughtSignature: envelope }],
      [sealedBy("anthropic", "E"), { type: "tool-call", id: "a", name: "f", kind: "function", input: "{}" }],
    ],
    [
      "on a picture",
      [{ inlineData: { mimeType: "image/png", data: "AA==" }, thoughtSignature: "S" }],
      [{ type: "image", source: { kind: "bytes", mediaType: "image/png", base64: "AA==" } }, sealedBy("gemini", "S")],
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

const likely = (token: string, logprob: number, other: string, otherLogprob: number) => ({
  token,
  logprob,
  top: [
    { token, logprob },
    { token: other, logprob: otherLogprob },
  ],
});

test("log probabilities", () => {
  expect(wholeFixture("logprobs").choices[0]?.blocks).toEqual([
    {
      type: "text",
      text: "Hi there.",
      logprobs: [likely("Hi", -0.1, "Hello", -2.5), likely(" there", -0.25, "!", -1.75), likely(".", -0.5, "!", -1)],
    },
  ]);
  streamEqualsWhole(dialect, wireText("gemini/logprobs.sse"), wireJson("gemini/logprobs.json"), []);
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
