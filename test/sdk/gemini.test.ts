// The official Google SDK in front of all upstream dialects: tools over two turns, thinking and its state, counts, models, errors.
import { describe, expect, test } from "bun:test";
import { ApiError, type Content, FunctionCallingConfigMode, type FunctionDeclaration } from "@google/genai";
import { clockTool } from "../scenarios/bodies.ts";
import { at, list } from "../support/chat-stream-reader.ts";
import { geminiClient } from "../support/clients.ts";
import { says, wireFrames } from "../support/fixtures.ts";
import { fars } from "../translation-matrix/upstreams.ts";
import { setting, thrownBy } from "./setting.ts";

const { google, world } = await setting();
const declarations: FunctionDeclaration[] = [
  { name: "get_time", description: "The time in a zone.", parametersJsonSchema: clockTool.function.parameters },
  { name: "get_day", description: "The day." },
];
const config = { tools: [{ functionDeclarations: declarations }] };

describe.each([...fars])("Google SDK, upstream speaks $speaks", ({ speaks, at: name, model }) => {
  const up = world.upstreams[name];
  const lastRequest = () => up.requests.at(-1)?.json;

  test.each(["json", "sse"])("a chat: parallel calls, then their results, then an answer (%s)", async (kind) => {
    up.on("*", says(`${speaks}/tools.${kind}`), says(`${speaks}/text.${kind}`));
    const chat = google.chats.create({ model, config });
    const send = async (message: Parameters<typeof chat.sendMessage>[0]) =>
      kind === "json"
        ? [await chat.sendMessage(message)]
        : await Array.fromAsync(await chat.sendMessageStream(message));
    const calls = (await send({ message: "What time and day is it?" })).flatMap((reply) => reply.functionCalls ?? []);
    expect(calls).toMatchObject([
      { name: "get_time", args: { zone: "UTC" } },
      { name: "get_day", args: {} },
    ]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    const results = calls.map(({ id, name: of }, index) => ({
      functionResponse: { id: id!, name: of!, response: { output: `result ${index + 1}` } },
    }));
    const answer = await send({ message: results });
    expect(answer.map((reply) => reply.text ?? "").join("")).toStartWith("Hello");
    const wire = JSON.stringify(lastRequest());
    expect(wire.indexOf("get_time")).toBeGreaterThan(0);
    expect(wire.indexOf("result 1")).toBeGreaterThan(wire.indexOf("UTC"));
    expect(wire.indexOf("result 2")).toBeGreaterThan(wire.indexOf("result 1"));
  });

  test("a forced function is forced, in the upstream's words", async () => {
    up.on("*", says(`${speaks}/tools.json`));
    const functionCallingConfig = { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ["get_time"] };
    const reply = await google.models.generateContent({
      model,
      contents: "now",
      config: { ...config, toolConfig: { functionCallingConfig } },
    });
    expect(reply.functionCalls?.[0]).toMatchObject({ name: "get_time" });
    const choice = JSON.stringify(at(lastRequest(), "tool_choice") ?? at(lastRequest(), "toolConfig"));
    expect(choice).toContain("get_time");
  });

  test("system instruction, sampling and bounds arrive", async () => {
    up.on("*", says(`${speaks}/text.json`));
    await google.models.generateContent({
      model,
      contents: "hi",
      config: { systemInstruction: "Be brief.", temperature: 0.5, maxOutputTokens: 77 },
    });
    const wire = JSON.stringify(lastRequest());
    for (const part of ["Be brief.", "0.5", "77"]) expect(wire).toContain(part);
  });

  test.each(["json", "sse"])(
    "thinking comes as thought parts, and its state goes back where it came from (%s)",
    async (kind) => {
      const fixture = speaks.startsWith("openai") ? "reasoning" : "thinking";
      up.on("*", says(`${speaks}/${fixture}.${kind}`));
      const ask = {
        model,
        contents: "think",
        config: { thinkingConfig: { includeThoughts: true, thinkingBudget: 2048 } },
      };
      const replies =
        kind === "json"
          ? [await google.models.generateContent(ask)]
          : await Array.fromAsync(await google.models.generateContentStream(ask));
      const parts = replies.flatMap((reply) => reply.candidates?.[0]?.content?.parts ?? []);
      expect(parts.some((part) => part.thought && part.text)).toBe(true);
      expect(replies.at(-1)?.usageMetadata?.totalTokenCount).toBeGreaterThan(0);
      const signed = parts.flatMap((part) => part.thoughtSignature ?? []);
      if (speaks === "openai-chat") return;
      expect(signed.length).toBeGreaterThan(0);
      const contents: Content[] = [
        { role: "user", parts: [{ text: "think" }] },
        { role: "model", parts },
        { role: "user", parts: [{ text: "and now?" }] },
      ];
      up.on("*", says(`${speaks}/text.json`));
      await google.models.generateContent({ ...ask, contents });
      expect(JSON.stringify(lastRequest())).toContain(state[speaks] ?? "");
    },
  );

  test("an error has its status and its words", async () => {
    for (const [fixture, status] of [
      ["error-429", 429],
      ["error-400", 400],
      ["error-500", 502],
    ] as const) {
      up.on("*", says(`${speaks}/${fixture}.json`));
      const thrown = await thrownBy(google.models.generateContent({ model, contents: "hi" }));
      expect(thrown).toBeInstanceOf(ApiError);
      expect(thrown).toMatchObject({ status, message: expect.stringMatching(/"code":\d{3}.*"status":"[A-Z_]+"/) });
    }
  });

  test("an error within a stream is thrown", async () => {
    const received = Promise.withResolvers<void>();
    const frames = wireFrames(`${speaks}/error-midstream.sse`);
    up.on("*", { frames, gate: received.promise, gateAfter: frames.length - 1 });
    const stream = await google.models.generateContentStream({ model, contents: "hi" });
    const read = async () => {
      for await (const _chunk of stream) received.resolve();
    };
    expect(await thrownBy(read())).toBeInstanceOf(ApiError);
  });
});

/** The state of thought in the fixtures, as its maker wrote it. */
const state: Record<string, string> = {
  "openai-responses": "gAAAAABpDnwsAAA",
  "anthropic-messages": "EqQBCkYIBBgCKkDk3h0Zx1mTnQ==",
  gemini: "EuIBCt8BAXLI2nyJ5o+thinkingTextSignature==",
};

describe("counts", () => {
  test("relayed by who can count, estimated for who cannot", async () => {
    world.upstreams.google.on("*", {
      json: { totalTokens: 31, promptTokensDetails: [{ modality: "TEXT", tokenCount: 31 }] },
    });
    world.upstreams.claude.on("*", { json: { input_tokens: 14 } });
    const count = async (model: string) =>
      (await google.models.countTokens({ model, contents: "Say hello." })).totalTokens;
    expect([await count("gemini-x"), await count("claude-x")]).toEqual([31, 14]);
    const estimated = await count("gpt-x");
    expect(estimated).toBeGreaterThan(2);
    expect(estimated).toBeLessThan(20);
    expect(world.upstreams.alpha.requests).toHaveLength(0);
  });
});

describe("models", () => {
  test("the list page by page", async () => {
    const names: string[] = [];
    for await (const model of await google.models.list({ config: { pageSize: 2 } })) names.push(model.name ?? "");
    expect(names.slice(0, 3)).toEqual(["models/chain", "models/mixed", "models/lucky"]);
    for (const name of ["gpt-x", "claude-x", "gemini-x", "gpt-r"]) expect(names).toContain(`models/${name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  test("one model, also by its full name, and an unknown one", async () => {
    expect(await google.models.get({ model: "gpt-x" })).toMatchObject({ name: "models/gpt-x" });
    expect(await google.models.get({ model: "models/gemini-x" })).toMatchObject({ name: "models/gemini-x" });
    expect(await thrownBy(google.models.get({ model: "nobody" }))).toMatchObject({ status: 404 });
  });
});

test("a wrong key is 401", async () => {
  const wrong = geminiClient(world.gateway.url, "tp-wrong");
  const thrown = await thrownBy(wrong.models.generateContent({ model: "gemini-x", contents: "hi" }));
  expect(thrown).toMatchObject({ status: 401, message: expect.stringContaining("UNAUTHENTICATED") });
});

test("several candidates where the upstream gives one", async () => {
  world.upstreams.claude.on("*", says("anthropic-messages/text.json"));
  const reply = await google.models.generateContent({
    model: "claude-x",
    contents: "hi",
    config: { candidateCount: 2 },
  });
  expect(list(reply, "candidates").map((each) => at(each, "index") ?? 0)).toEqual([0, 1]);
  expect(world.upstreams.claude.requests).toHaveLength(2);
});
