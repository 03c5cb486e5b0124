// Replies of servers that speak the client's own words: complete, in order, and with a vector for each text, or none at all.
import { describe, expect, test } from "bun:test";
import { at } from "../support/chat-stream-reader.ts";
import { openaiClient } from "../support/clients.ts";
import type { Reply } from "../support/sample-responses.ts";
import { near } from "./upstream-dialects.ts";

const { up, gateway } = await near();
const client = openaiClient(gateway.url, gateway.key);
const route = "POST /v1/embeddings";
const input = ["a", "b", "c"];
const item = (index: number, more: object = {}) => ({ object: "embedding", index, embedding: [index, 0.5], ...more });
const usage = { prompt_tokens: 3, total_tokens: 3 };
const whole = (data: object[]) => ({ object: "list", model: "far", data, usage });

async function answered(reply: Reply) {
  up.on(route, reply);
  const answer = await fetch(`${gateway.url}/v1/embeddings`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "openai/m", input }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const ask = (json: object) => answered({ json });
const inOrder = [0, 1, 2].map((index) => item(index));

describe("what is missing is put in its place", () => {
  test.each([
    ["out of order", whole([item(2), item(0), item(1)])],
    ["without numbers", whole(inOrder.map(({ index: _, ...rest }) => rest))],
    ["without kinds", { model: "far", usage, data: inOrder.map(({ object: _, ...rest }) => rest) }],
    [
      "counted from one",
      whole([item(1), item(2), item(3)].map((each, index) => ({ ...each, embedding: [index, 0.5] }))),
    ],
  ])("%s", async (_name, json) => {
    expect((await ask(json)).body).toEqual(whole(inOrder));
  });

  test("a model and a usage that nobody told, the rest travels on", async () => {
    const { body } = await ask({ data: inOrder.map((each) => ({ ...each, more: 1 })), future: true });
    expect(body).toEqual({
      object: "list",
      model: "openai/m",
      data: inOrder.map((each) => ({ ...each, more: 1 })),
      usage: { prompt_tokens: expect.any(Number), total_tokens: expect.any(Number) },
      future: true,
    });
  });

  test("the official SDK gets the vectors of its texts, which it asks for as Base64", async () => {
    up.on(route, { json: whole([item(1), item(2), item(0)]) });
    const { data } = await client.embeddings.create({ model: "openai/m", input });
    expect(data.map(({ embedding }) => embedding)).toEqual([
      [0, 0.5],
      [1, 0.5],
      [2, 0.5],
    ]);
  });
});

describe("what cannot be trusted is a fault of the upstream", () => {
  test.each([
    ["too few", whole(inOrder.slice(1))],
    ["too many", whole([...inOrder, item(3)])],
    ["none", whole([])],
    ["no object", whole([...inOrder.slice(1), 5 as unknown as object])],
    ["Base64 of half a float", whole([...inOrder.slice(1), item(2, { embedding: "AAAAAAA=" })])],
  ])("%s", async (_name, json) => {
    const { status, body } = await ask(json);
    expect(status).toBe(502);
    expect(body.error).toMatchObject({ code: "upstream_protocol_error" });
  });
});

describe("a reply that is compressed although nobody asked for it", () => {
  const packed = (text: string) => ({
    bytes: [Bun.gzipSync(Buffer.from(text))],
    headers: { "content-type": "application/json", "content-encoding": "gzip" },
    framing: "length" as const,
  });

  test("is read", async () => {
    expect((await answered(packed(JSON.stringify(whole(inOrder))))).body).toEqual(whole(inOrder));
  });

  test("is not unpacked beyond what the gateway takes", async () => {
    const { status, body } = await answered(packed(" ".repeat(65 * 1024 * 1024)));
    expect({ status, message: at(body.error, "message") }).toEqual({
      status: 502,
      message: "Invalid response from the provider: the response exceeds the size limit.",
    });
  });
});

test("a whole reply goes on byte for byte", async () => {
  up.on(route, { json: whole(inOrder) });
  const answer = await fetch(`${gateway.url}/v1/embeddings`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "openai/m", input }),
  });
  expect(await answer.text()).toBe(JSON.stringify(whole(inOrder)));
});
