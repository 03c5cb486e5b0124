// Embeddings through the openai SDK, which asks for base64 by itself: the floats must be right from every kind of upstream.
import { expect, test } from "bun:test";
import OpenAI from "openai";
import { says } from "../support/fixtures.ts";
import { setting, thrownBy } from "./setting.ts";

const { world, openai } = await setting();
const { alpha } = world.upstreams;
const floats = [0.5, -0.25, 1, 0.125];
const second = [-1, 0.75, 0.0625, 0];
const upstreamRequest = () => alpha.requests[0]?.json as Record<string, unknown>;

test.each(["one-float", "one-base64"])("the SDK's own base64 from an upstream that answers %s", async (fixture) => {
  alpha.on("*", says(`openai-embeddings/${fixture}.json`));
  const { data, model, usage } = await openai.embeddings.create({ model: "embed-x", input: "hello" });
  expect(upstreamRequest()["encoding_format"]).toBe("base64");
  expect(Array.from(data[0]!.embedding)).toEqual(floats);
  expect({ model, usage }).toEqual({ model: "embed-x", usage: { prompt_tokens: 4, total_tokens: 4 } });
});

test.each(["two-float", "two-base64"])("numbers on demand from an upstream that answers %s", async (fixture) => {
  alpha.on("*", says(`openai-embeddings/${fixture}.json`));
  const input = ["hello", "world"];
  const { data } = await openai.embeddings.create({ model: "embed-x", input, encoding_format: "float", dimensions: 4 });
  expect(data.map(({ index, embedding }) => [index, embedding])).toEqual([
    [0, floats],
    [1, second],
  ]);
  expect(upstreamRequest()).toMatchObject({ input, dimensions: 4, encoding_format: "float" });
});

test("values that no float32 holds exactly come as the nearest one", async () => {
  const exact = [0.1, -1e-7, 3.4e38, 1 / 3];
  const item = { object: "embedding", index: 0, embedding: exact };
  alpha.on("*", { json: { object: "list", model: "embed-x", data: [item], usage: {} } });
  const { data } = await openai.embeddings.create({ model: "embed-x", input: "hello" });
  expect(Array.from(data[0]!.embedding)).toEqual(exact.map(Math.fround));
});

test.each([
  { input: [1, 2, 3], reply: "one" },
  { input: [[1, 2, 3], [4]], reply: "two" },
])("token ids travel on: %j", async ({ input, reply }) => {
  alpha.on("*", says(`openai-embeddings/${reply}-float.json`));
  await openai.embeddings.create({ model: "embed-x", input: input as never });
  expect(upstreamRequest()["input"]).toEqual(input);
});

test("the engines path names the model, and gives what was asked for", async () => {
  alpha.on("*", says("openai-embeddings/one-float.json"));
  const path = "/engines/embed-x/embeddings";
  const reply = await openai.post<{ data: { embedding: number[] }[] }>(path, { body: { input: "hello" } } as never);
  expect(reply.data[0]?.embedding).toEqual(floats);
  expect(upstreamRequest()).toMatchObject({ model: "embed-x", input: "hello" });
  expect(alpha.requests[0]?.path).toBe("/v1/embeddings");
});

test("an upstream's refusal and our own are typed", async () => {
  alpha.on("*", says("openai-chat/error-429.json"));
  const limited = await thrownBy(openai.embeddings.create({ model: "embed-x", input: "hello" }));
  expect(limited).toBeInstanceOf(OpenAI.RateLimitError);
  const empty = await thrownBy(openai.embeddings.create({ model: "embed-x", input: [] }));
  expect(empty).toBeInstanceOf(OpenAI.BadRequestError);
  expect(empty).toMatchObject({ param: "input", code: "invalid_value" });
});

test("a chat model's provider without embeddings says so", async () => {
  const thrown = await thrownBy(openai.embeddings.create({ model: "claude-x", input: "hello" }));
  expect(thrown).toBeInstanceOf(OpenAI.BadRequestError);
  expect(thrown).toMatchObject({ param: "model", code: "unsupported_parameter" });
});
