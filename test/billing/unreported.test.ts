// Operations beside chat whose provider reports nothing: what their rows hold, and what a failed attempt leaves there.
import { afterAll, beforeEach, expect, test } from "bun:test";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { readAttempts } from "../../src/gateway/ledger/read.ts";
import { place } from "../cli/command.ts";
import fixtures from "../fixtures/tokens/texts.json";
import { gateway } from "../support/gateway.ts";
import { ledgerRows, settledRow } from "../support/ledger.ts";
import { upstream } from "../support/upstream.ts";

const [first, second] = [await upstream(), await upstream()];
const running = await gateway({
  yaml: `providers:
  one: { kind: compatible, base_url: "${first.url}/v1", credential: "x", models: [m, gpt-image-1] }
  two: { kind: compatible, base_url: "${second.url}/v1", credential: "x", models: [m] }
models:
  both: { candidates: [{ provider: one, model: m }, { provider: two, model: m }] }
`,
});
beforeEach(() => {
  first.clear();
  second.clear();
});
afterAll(async () => {
  await running.stop();
  await Promise.all([first.stop(), second.stop()]);
});

const { text } = fixtures["english-letter"];
const tokens = countTokens(text);
const ask = (path: string, body: object): Promise<Response> =>
  fetch(`${running.url}/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${running.key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

interface Case {
  readonly path: string;
  readonly body: object;
  readonly reply: object;
  /** Tokens of the input, and units; a row has one of them. */
  readonly input: number;
  readonly units: { readonly [column in "images" | "characters"]?: number };
  readonly estimated: boolean;
}

const cases: readonly Case[] = [
  {
    path: "embeddings",
    body: { model: "one/m", input: text },
    reply: { object: "list", model: "m", data: [{ object: "embedding", index: 0, embedding: [0.5, 1] }] },
    input: tokens,
    units: {},
    estimated: true,
  },
  {
    path: "rerank",
    body: { model: "one/m", query: text, documents: [text, text] },
    reply: { results: [{ index: 0, relevance_score: 0.5 }] },
    // The query is read with each document.
    input: 4 * tokens,
    units: {},
    estimated: true,
  },
  {
    path: "moderations",
    body: { model: "one/m", input: text },
    reply: {
      id: "modr",
      model: "m",
      results: [{ flagged: false, categories: { violence: false }, category_scores: { violence: 0.1 } }],
    },
    input: tokens,
    units: {},
    estimated: true,
  },
  {
    path: "images/generations",
    body: { model: "one/gpt-image-1", prompt: text, n: 2 },
    reply: { created: 1, data: [{ b64_json: dot }, { b64_json: dot }] },
    input: 0,
    units: { images: 2 },
    estimated: false,
  },
];

test.each(cases)("$path", async ({ path, body, reply, input, units, estimated }) => {
  first.on("*", { json: reply });
  const before = ledgerRows(running.dataFolder).length;
  const answer = await ask(path, body);
  expect({ status: answer.status, text: await answer.text() }).toMatchObject({ status: 200 });
  const row = await settledRow(running.dataFolder, before);
  expect(row as unknown).toMatchObject({
    state: "completed",
    charged: true,
    estimated,
    outputTokens: 0,
    ...{ images: 0, characters: 0, ...units },
  });
  expect(Math.abs(row.inputTokens - input)).toBeLessThanOrEqual(input * 0.1 + 3 * Math.sign(input));
});

test("audio/speech", async () => {
  first.on("*", { bytes: [new Uint8Array(400)], headers: { "content-type": "audio/mpeg" } });
  const before = ledgerRows(running.dataFolder).length;
  const answer = await ask("audio/speech", { model: "one/m", input: text, voice: "alloy" });
  await answer.arrayBuffer();
  const row = await settledRow(running.dataFolder, before);
  expect(row as unknown).toMatchObject({
    ...{ state: "completed", charged: true, estimated: false, inputTokens: 0 },
    characters: [...text].length,
  });
});

test("a failed attempt is read back, and turnpike usage and requests show print it", async () => {
  first.on("*", { status: 500, json: { error: { message: "no" } } });
  second.on("*", {
    json: {
      ...{ id: "c", object: "chat.completion", created: 1, model: "m" },
      choices: [{ index: 0, message: { role: "assistant", content: "Yes." }, finish_reason: "stop" }],
      usage: { prompt_tokens: 1_234, completion_tokens: 2 },
    },
  });
  const before = ledgerRows(running.dataFolder).length;
  expect((await ask("chat/completions", { model: "both", messages: [{ role: "user", content: text }] })).status).toBe(
    200,
  );
  const row = await settledRow(running.dataFolder, before);
  const attempts = readAttempts(running.dataFolder, row.id);
  expect(attempts.length).toBeGreaterThan(0);
  for (const each of attempts)
    expect(each).toMatchObject({
      ...{ id: row.id, provider: "one", upstreamModel: "m", outcome: "possible", httpStatus: 500 },
      possibleInputTokens: 1_234,
    });
  expect(row).toMatchObject({ provider: "two", inputTokens: 1_234, estimated: false, charged: true });

  const here = place();
  const environment = { TURNPIKE_DATA: running.dataFolder };
  const usage = JSON.parse((await here.run(["usage", "--json"], environment)).out) as Record<string, unknown>[];
  const possible = attempts.length * 1_234;
  expect(usage.find(({ group }) => group === "both")).toMatchObject({ inputTokens: 1_234, possibleTokens: possible });
  const lines = (await here.run(["usage"], environment)).out.split("\n");
  const [head, both] = [lines[0] ?? "", lines.find((line) => line.startsWith("both ")) ?? ""];
  expect(both.split(/ {2,}| (?=\d)/).map((cell) => cell.trim())).toContain(String(possible));
  expect(head).toContain("possible");
  const { out } = await here.run(["requests", "show", row.id], environment);
  expect(out).toMatch(/1 +one +m +possible +\S+ +500 +\d+ +1234/);
  here.remove();
}, 120_000);
