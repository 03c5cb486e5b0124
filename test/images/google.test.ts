// Images asked for in Google's words: relayed to Google untouched, and translated for everybody else who draws.
import { expect, test } from "bun:test";
import { Modality } from "@google/genai";
import { at } from "../support/chat-stream-reader.ts";
import { settledRow } from "../support/ledger.ts";
import { dotBytes, imageSetting } from "./setting.ts";
import { dot, fars, nameOf } from "./upstream-dialects.ts";

const { up, google, url, ask, gateway, rows } = await imageSetting();
const config = { responseModalities: [Modality.TEXT, Modality.IMAGE], imageConfig: { aspectRatio: "16:9" } };
const last = () => up.requests.findLast(({ method }) => method === "POST")!;
const images = (result: unknown): unknown[] =>
  (at(result, "candidates", 0, "content", "parts") as object[]).flatMap((part) => at(part, "inlineData") ?? []);
const words = (content: unknown): unknown => (typeof content === "string" ? content : at(content, "text"));

test.each([...fars])("$kind $model: the SDK gets an image", async (far) => {
  up.on(far.route, far.answers([url]));
  const result = await google.models.generateContent({ model: nameOf(far), contents: "a fox", config });
  expect(images(result).at(-1)).toEqual({ mimeType: "image/png", data: dot });
  expect(result.candidates?.[0]).toMatchObject({ finishReason: "STOP", content: { role: "model" } });
  expect(result.usageMetadata?.totalTokenCount).toBeNumber();
  expect(words(far.prompt(last()))).toBe("a fox");
});

test.each(fars.filter(({ edit }) => edit))("$kind $model: an image in the request is one to change", async (far) => {
  up.on(far.edit!.route, far.answers([url]));
  const contents = [{ inlineData: { mimeType: "image/png", data: dot } }, { text: "bluer" }];
  const result = await google.models.generateContent({ model: nameOf(far), contents, config });
  expect(images(result).at(-1)).toEqual({ mimeType: "image/png", data: dot });
  expect(far.edit!.image(last())).toMatch(/^(?:data:)?image\/png/);
});

test("Google's own reply goes through as it is, drafts and signatures too", async () => {
  const far = fars.find(({ model }) => model === "gemini-3-pro-image")!;
  const reply = { ...(far.answers([]).json as object), future: true };
  up.on(far.route, { json: reply });
  const before = rows(1_000).length;
  const contents = [{ role: "user", parts: [{ text: "a fox" }] }];
  const wire = { contents, generationConfig: { ...config, temperature: 0.5 }, future_field: 1 };
  const { body } = await ask(`/v1beta/models/${nameOf(far)}:generateContent`, wire);
  expect(body).toEqual(reply as never);
  expect(last().json).toEqual(wire);
  expect(await settledRow(gateway.dataFolder, before)).toMatchObject({
    operation: "image",
    inputTokens: 9,
    outputTokens: 1120,
  });
});

test("a refusal of Google's stays Google's where Google is asked", async () => {
  const far = fars.find(({ model }) => model === "gemini-3-pro-image")!;
  up.on(far.route, { json: { promptFeedback: { blockReason: "SAFETY" } } });
  const result = await google.models.generateContent({ model: nameOf(far), contents: "a fox", config });
  expect(result.promptFeedback?.blockReason as string).toBe("SAFETY");
});

test("a stream of Google's goes through", async () => {
  const chunk = fars.find(({ model }) => model === "gemini-3-pro-image")!.answers([]).json;
  up.on("POST /v1beta/models/gemini-3-pro-image:streamGenerateContent", {
    frames: [`data: ${JSON.stringify(chunk)}\n\n`],
  });
  const before = rows(1_000).length;
  const stream = await google.models.generateContentStream({
    model: "gemini-gemini-3-pro-image",
    contents: "a fox",
    config,
  });
  const chunks = [];
  for await (const each of stream) chunks.push(each);
  expect(images(chunks[0]).at(-1)).toEqual({ mimeType: "image/png", data: dot });
  expect(await settledRow(gateway.dataFolder, before)).toMatchObject({ outputTokens: 1120, state: "completed" });
});

test.each(fars.filter(({ kind }) => kind !== "gemini"))("$kind $model: a stream is one chunk", async (far) => {
  up.on(far.route, far.answers([url]));
  const stream = await google.models.generateContentStream({ model: nameOf(far), contents: "a fox", config });
  const chunks = [];
  for await (const each of stream) chunks.push(each);
  expect(chunks).toHaveLength(1);
  expect(images(chunks[0])).toEqual([{ mimeType: "image/png", data: dot }]);
});

test("the shape becomes pixels, and what has no place is told", async () => {
  const far = fars.find(({ kind }) => kind === "ark")!;
  up.on(far.route, far.answers([url]));
  const generationConfig = {
    responseModalities: ["IMAGE"],
    imageConfig: { aspectRatio: "16:9", imageSize: "2K" },
    topK: 3,
  };
  const contents = [
    { role: "user", parts: [{ text: "a fox" }] },
    {
      role: "model",
      parts: [{ text: "Here." }, { inlineData: { mimeType: "image/png", data: dotBytes.toString("base64") } }],
    },
    { role: "user", parts: [{ text: "in snow" }] },
  ];
  const { headers } = await ask(`/v1beta/models/${nameOf(far)}:generateContent`, {
    contents,
    generationConfig,
    safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT" }],
  });
  expect(last().json).toMatchObject({
    prompt: "a fox\n\nin snow",
    size: "2736x1536",
    image: expect.stringMatching(/^data:/),
  });
  expect(headers.get("x-turnpike-warnings")).toBe("dropped;field=safetySettings, dropped;field=generationConfig.topK");
});

test("errors are Google's", async () => {
  const far = fars.find(({ kind }) => kind === "ark")!;
  up.on(far.route, { status: 400, json: { error: { code: "InputImageSensitiveContentDetected", message: "No." } } });
  const { status, body } = await ask(`/v1beta/models/${nameOf(far)}:generateContent`, {
    contents: [{ parts: [{ text: "x" }] }],
    generationConfig: { responseModalities: ["IMAGE"] },
  });
  expect({ status, error: body["error"] }).toMatchObject({
    status: 400,
    error: { code: 400, status: "INVALID_ARGUMENT" },
  });
  expect(JSON.stringify(body)).toContain("content_policy_violation");
});

test("whoever wants text alone is asked in a conversation", async () => {
  up.on("POST /v1/chat/completions", {
    json: { choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }] },
  });
  const { status } = await ask("/v1beta/models/xai-grok-image:generateContent", {
    contents: [{ parts: [{ text: "x" }] }],
    generationConfig: { responseModalities: ["TEXT"] },
  });
  expect({ status, path: last().path }).toEqual({ status: 200, path: "/v1/chat/completions" });
});

const predict = (model: string, instance: object, parameters?: object) =>
  ask(`/v1beta/models/${model}:predict`, { instances: [{ prompt: "a fox", ...instance }], parameters });

test.each([...fars])("$kind $model: `:predict` returns the bytes of an image", async (far) => {
  up.on(far.route, far.answers([url]));
  const { status, body } = await predict(nameOf(far), {}, { sampleCount: 1 });
  expect([status, body]).toEqual([
    200,
    { predictions: [expect.objectContaining({ bytesBase64Encoded: dot })] } as never,
  ]);
  expect(words(far.prompt(last()))).toBe("a fox");
});

test("Imagen gets the client's own request, and its reply goes through", async () => {
  const far = fars.find(({ model }) => model === "imagen-4")!;
  const reply = {
    predictions: [{ bytesBase64Encoded: dot, mimeType: "image/png", future: 1 }, { raiFilteredReason: "x" }],
  };
  up.on(far.route, { json: reply });
  const { body } = await predict(nameOf(far), { future: 1 }, { personGeneration: "allow_all" });
  expect(body).toEqual(reply as never);
  expect(last().json).toEqual({
    instances: [{ prompt: "a fox", future: 1 }],
    parameters: { personGeneration: "allow_all" },
  });
});

test.each([
  [{ referenceImages: [{}] }, {}, "instances[0].referenceImages"],
  [{}, { storageUri: "gs://mine" }, "parameters.storageUri"],
])("what other providers do not have is refused: %j %j", async (instance, parameters, param) => {
  const { status, body } = await predict("gpt-image-1", instance, parameters);
  expect([status, at(body, "error", "param")]).toEqual([400, param]);
});

test("hints that other providers do not have are warnings", async () => {
  const far = fars.find(({ model }) => model === "flux")!;
  up.on(far.route, far.answers([url]));
  const { headers } = await predict(nameOf(far), {}, { personGeneration: "allow_all", aspectRatio: "16:9" });
  expect(headers.get("x-turnpike-warnings")).toContain("parameters.personGeneration");
});
