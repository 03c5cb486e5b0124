// The official SDK reads what this dialect writes, and what it sends back is understood: replies, streams, chats, errors.
import { afterAll, beforeEach, expect, test } from "bun:test";
import { ApiError, FinishReason, type GenerateContentResponse, Modality } from "@google/genai";
import { Compile } from "typebox/compile";
import type { Block, FinishReason as CanonicalFinishReason, ChatResponse } from "../../../src/canonical/chat.ts";
import { GatewayError } from "../../../src/canonical/error.ts";
import { streamEventsOf } from "../../../src/canonical/stream-event.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { formatFrame } from "../../../src/lib/sse.ts";
import { geminiClient } from "../../support/clients.ts";
import { writeContextOf } from "../../support/laws.ts";
import { upstream } from "../../support/upstream.ts";
import { askOf, call, dialect, envelope, messageOf, wholeFixture } from "./bench.ts";

const up = await upstream();
const client = geminiClient(up.url, "none");
beforeEach(() => up.clear());
afterAll(() => up.stop());

const context = writeContextOf(askOf({ stream: true }));
const requests = Compile(dialect.request.schema);
const theirs = { origin: "anthropic", data: "EqQB" };
const thought: Block[] = [{ type: "thinking", text: "Need two lookups.", signature: theirs }];
const answerOf = (blocks: Block[], stop: CanonicalFinishReason["kind"]): ChatResponse => ({
  operation: "chat",
  id: "r1",
  model: "m",
  choices: [{ index: 0, blocks, finishReason: { kind: stop } }],
  usage: { inputTokens: 40, cacheReadTokens: 60, cacheWriteTokens: 0, outputTokens: 20, reasoningTokens: 10 },
});
const calling = answerOf(
  [...thought, { type: "text", text: "Let me check. 👋🏽" }, call("c1"), call("c2", "get_day", "{}")],
  "tool-use",
);

/** The upstream answers with this, as a gateway would write it. */
function expectWhole(response: ChatResponse): void {
  up.next({ json: dialect.response.render(response, context) });
}

function expectStream(response: ChatResponse): void {
  const writer = dialect.stream?.writer(context);
  up.next({ frames: [...streamEventsOf(response)].flatMap((event) => writer?.write(event) ?? []).map(formatFrame) });
}

/** The ask that the SDK's request number `index` means; the request passes the schema. */
async function requestAt(index: number) {
  const seen = await up.seen(index);
  expect(requests.Errors(seen.json)).toEqual([]);
  const [, model = "", verb = ""] = /models\/(.+):(\w+)$/.exec(seen.path) ?? [];
  return dialect.request.parse(seen.json as JsonObject, envelope(verb, model));
}

/** Everything that a reply shows, whole or chunk by chunk. */
function shown(chunks: GenerateContentResponse[]) {
  const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
  return {
    thoughts: parts.flatMap((part) => (part.thought ? [part.text] : [])).join(""),
    text: parts.flatMap((part) => (part.thought ? [] : [part.text ?? ""])).join(""),
    calls: chunks.flatMap((chunk) => chunk.functionCalls ?? []),
    reasons: chunks.flatMap((chunk) => chunk.candidates?.[0]?.finishReason ?? []),
    usage: chunks.at(-1)?.usageMetadata,
  };
}

const expected = {
  thoughts: "Need two lookups.",
  text: "Let me check. 👋🏽",
  calls: [
    { id: "c1", name: "get_time", args: { zone: "UTC" } },
    { id: "c2", name: "get_day", args: {} },
  ],
  reasons: [FinishReason.STOP],
  usage: {
    promptTokenCount: 100,
    cachedContentTokenCount: 60,
    candidatesTokenCount: 20,
    thoughtsTokenCount: 10,
    totalTokenCount: 130,
  },
};

test("a whole reply", async () => {
  expectWhole(calling);
  const reply = await client.models.generateContent({ model: "smart", contents: "hi" });
  expect(shown([reply])).toEqual(expected);
  expect(reply).toMatchObject({ responseId: "r1", modelVersion: "m" });
  expect(await requestAt(0)).toMatchObject({ model: "smart", stream: false, messages: [messageOf("user", "hi")] });
});

test("a stream", async () => {
  expectStream(calling);
  const chunks = await Array.fromAsync(await client.models.generateContentStream({ model: "smart", contents: "hi" }));
  expect(shown(chunks)).toEqual(expected);
  expect((await requestAt(0)).stream).toBe(true);
});

test.each(["whole", "stream"])("a chat brings state, calls and results back as they went: %s", async (how) => {
  const chat = client.chats.create({ model: "smart" });
  const send = async (message: Parameters<typeof chat.sendMessage>[0]) => {
    if (how === "whole") return void (await chat.sendMessage(message));
    await Array.fromAsync(await chat.sendMessageStream(message));
  };
  const expectResponse = how === "whole" ? expectWhole : expectStream;
  expectResponse(calling);
  await send({ message: "hi" });
  expectResponse(answerOf([{ type: "text", text: "Noon." }], "end"));
  const results = expected.calls.map(({ id, name }) => ({
    functionResponse: { id, name, response: { output: name } },
  }));
  await send({ message: results });
  const { messages: turns } = await requestAt(1);
  const blocks = turns.flatMap((turn) => turn.blocks);
  const ids = blocks.flatMap((block) => (block.type === "tool-call" ? [block.id] : []));
  const signed = blocks.flatMap((block) => (block.type === "thinking" && block.signature ? [block.signature] : []));
  expect(turns[0]).toEqual(messageOf("user", "hi"));
  expect({ ids, signed }).toEqual({ ids: ["c1", "c2"], signed: [theirs] });
  expect(turns.at(-1)).toMatchObject({ role: "tool", blocks: [{ callId: "c1" }, { callId: "c2" }] });
  expect(chat.getHistory(true)).toEqual(chat.getHistory(false));
});

test("a picture, and the modalities that ask for it", async () => {
  expectWhole(wholeFixture("image"));
  const config = { responseModalities: [Modality.TEXT, Modality.IMAGE], imageConfig: { aspectRatio: "1:1" } };
  const reply = await client.models.generateContent({ model: "smart", contents: "a dot", config });
  expect(reply.candidates?.[0]?.content?.parts?.[1]?.inlineData?.data).toStartWith("iVBORw0KGgo");
  expect((await requestAt(0)).media).toEqual({
    path: "generationConfig.responseModalities",
    image: { aspectRatio: "1:1" },
  });
});

test("sources, stops and blocked prompts", async () => {
  expectWhole(wholeFixture("grounding"));
  expectStream(answerOf([{ type: "text", text: "cut" }], "length"));
  expectWhole(wholeFixture("blocked"));
  const ask = { model: "smart", contents: "hi" };
  const grounded = await client.models.generateContent(ask);
  const segment = grounded.candidates?.[0]?.groundingMetadata?.groundingSupports?.[0]?.segment;
  expect(Buffer.from(grounded.text ?? "").toString("utf8", 0, segment?.endIndex)).toBe("Zürich hat 👋 viele Brücken.");
  const cut = await Array.fromAsync(await client.models.generateContentStream(ask));
  expect(cut.at(-1)?.candidates?.[0]?.finishReason).toBe(FinishReason.MAX_TOKENS);
  const blocked = await client.models.generateContent(ask);
  expect(String(blocked.promptFeedback?.blockReason)).toBe("PROHIBITED_CONTENT");
});

const thrownBy = async (promise: Promise<unknown>): Promise<ApiError> => {
  try {
    await promise;
  } catch (thrown) {
    if (thrown instanceof ApiError) return thrown;
    throw thrown;
  }
  throw new Error("nothing was thrown");
};

test("errors before and within", async () => {
  const busy = new GatewayError("upstream_overloaded", "The model is busy.");
  const { status, body } = dialect.error.render(busy, "req_1");
  up.next({ status, json: body });
  const ask = { model: "smart", contents: "hi" };
  expect(await thrownBy(client.models.generateContent(ask))).toMatchObject({ status: 503 });
  const writer = dialect.stream?.writer(context);
  const begun = [...streamEventsOf(calling)].slice(0, 3).flatMap((event) => writer?.write(event) ?? []);
  up.next({ frames: [...begun, ...dialect.error.frames(busy, "req_1")].map(formatFrame) });
  const stream = await client.models.generateContentStream(ask);
  expect((await thrownBy(Array.fromAsync(stream))).message).toContain("The model is busy.");
});

test("a heartbeat between the chunks is passed over", async () => {
  const writer = dialect.stream?.writer(context);
  const frames = [...streamEventsOf(calling)].flatMap((event) => writer?.write(event) ?? []).map(formatFrame);
  const beat = dialect.stream?.heartbeat(true) ?? "";
  up.next({ frames: frames.flatMap((frame) => [beat, frame]) });
  const chunks = await Array.fromAsync(await client.models.generateContentStream({ model: "smart", contents: "hi" }));
  expect(shown(chunks)).toEqual(expected);
});

test("what the SDK's own types ask for is understood", async () => {
  expectWhole(calling);
  await client.models.generateContent({
    model: "smart",
    contents: [
      { role: "user", parts: [{ text: "hi" }, { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }] },
    ],
    config: {
      systemInstruction: "Be brief.",
      temperature: 0.5,
      stopSequences: ["END"],
      responseMimeType: "application/json",
      responseSchema: { type: "OBJECT", properties: { a: { type: "STRING", nullable: true } } } as never,
      thinkingConfig: { thinkingBudget: 100, includeThoughts: true },
      tools: [{ functionDeclarations: [{ name: "f", parametersJsonSchema: { type: "object" } }] }],
      toolConfig: { functionCallingConfig: { mode: "ANY" as never, allowedFunctionNames: ["f"] } },
    },
  });
  expect(await requestAt(0)).toMatchObject({
    system: [{ text: "Be brief." }],
    messages: [{ blocks: [{ type: "text" }, { type: "image", source: { mediaType: "image/png" } }] }],
    sampling: { temperature: 0.5 },
    stopSequences: ["END"],
    format: { type: "schema", schema: { type: "object", properties: { a: { type: ["string", "null"] } } } },
    reasoning: { budgetTokens: 100, show: true },
    tools: [{ name: "f", parameters: { type: "object" } }],
    toolChoice: { type: "tool", name: "f" },
  });
});
