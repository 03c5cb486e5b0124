// Fields that a server takes and ignores: the reply shows it, the client is warned, and strict mode refuses it.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { at } from "../support/chat-stream-reader.ts";
import { gateway } from "../support/gateway.ts";
import { ledgerRows } from "../support/ledger.ts";
import { upstream } from "../support/upstream.ts";

const up = await upstream();
const entry = (name: string, kind: string, path: string) =>
  `  ${name}: { kind: ${kind}, base_url: "${up.url}${path}", credential: canary, models: [${name}-m] }\n`;
const running = await gateway({
  yaml: `providers:\n${entry("near", "compatible", "/v1")}${entry("far", "gemini", "")}`,
});
beforeEach(() => up.clear());
afterAll(async () => {
  await running.stop();
  await up.stop();
});

async function ask(path: string, body: object, strict = false) {
  const answer = await fetch(`${running.url}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${running.key}`,
      "content-type": "application/json",
      ...(strict ? { "x-turnpike-strict": "true" } : {}),
    },
    body: JSON.stringify(body),
  });
  return {
    status: answer.status,
    warnings: answer.headers.get("x-turnpike-warnings"),
    body: (await answer.json()) as unknown,
  };
}

const floats = (count: number): number[] => Array.from({ length: count }, (_, index) => index / 8);
const base64 = (count: number): string => Buffer.from(Float32Array.from(floats(count)).buffer).toString("base64");
const vectors = (...embeddings: unknown[]) => ({
  object: "list",
  model: "m",
  data: embeddings.map((embedding, index) => ({ object: "embedding", index, embedding })),
  usage: { prompt_tokens: 1, total_tokens: 1 },
});
const googleVectors = (count: number) => ({
  embeddings: [{ values: floats(count) }],
  embedding: { values: floats(count) },
});
const choice = (index: number) => ({ index, message: { role: "assistant", content: "hi" }, finish_reason: "stop" });
const chat = (count: number) => ({
  ...{ id: "c", object: "chat.completion", created: 1, model: "m" },
  choices: Array.from({ length: count }, (_, index) => choice(index)),
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
const images = (count: number) => ({ created: 1, data: Array.from({ length: count }, () => ({ b64_json: "aGk=" })) });

const embed = { input: "a", dimensions: 16 };
const talk = { messages: [{ role: "user", content: "hi" }], n: 2 };
const draw = { prompt: "a cat", n: 2 };

interface Row {
  readonly name: string;
  readonly path: string;
  readonly body: object;
  readonly reply: object;
  /** Null where the field was heeded. */
  readonly field: string | null;
}

const rows: readonly Row[] = [
  ["vectors that are longer", "/v1/embeddings", { model: "near-m", ...embed }, vectors(floats(32)), "dimensions"],
  ["Base64 that is longer", "/v1/embeddings", { model: "near-m", ...embed }, vectors(base64(32)), "dimensions"],
  ["translated vectors", "/v1/embeddings", { model: "far-m", ...embed }, googleVectors(32), "dimensions"],
  ["the length asked for", "/v1/embeddings", { model: "near-m", ...embed }, vectors(floats(16)), null],
  ["the same as Base64", "/v1/embeddings", { model: "near-m", ...embed }, vectors(base64(16)), null],
  ["bits packed into bytes", "/v1/embeddings", { model: "near-m", ...embed }, vectors([3, 255]), null],
  ["no length asked for", "/v1/embeddings", { model: "near-m", input: "a" }, vectors(floats(32)), null],
  ["one choice of two", "/v1/chat/completions", { model: "near-m", ...talk }, chat(1), "n"],
  ["two choices", "/v1/chat/completions", { model: "near-m", ...talk }, chat(2), null],
  ["one image of two", "/v1/images/generations", { model: "near-m", ...draw }, images(1), "n"],
  ["two images", "/v1/images/generations", { model: "near-m", ...draw }, images(2), null],
].map(([name, path, body, reply, field]) => ({ name, path, body, reply, field }) as Row);

describe.each(rows)("$name", ({ path, body, reply, field }) => {
  test("the client is warned where the field was ignored, in the ledger too", async () => {
    up.on("*", { json: reply });
    const received = await ask(path, body);
    const expected = field === null ? null : `approximated;field=${field}`;
    expect([received.status, received.warnings]).toEqual([200, expected]);
    expect(ledgerRows(running.dataFolder).at(-1)?.warnings).toBe(expected);
  });

  test("strict mode refuses the reply, and what it reported is booked", async () => {
    up.on("*", { json: reply });
    const received = await ask(path, body, true);
    expect(received.status).toBe(field === null ? 200 : 400);
    if (field === null) return;
    expect(at(received.body, "error")).toMatchObject({ code: "unsupported_parameter", param: field });
    expect(up.requests.length).toBe(1);
    if ("usage" in reply)
      expect(ledgerRows(running.dataFolder).at(-1)).toMatchObject({ state: "rejected", charged: true });
  });
});
