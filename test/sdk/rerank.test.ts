// Ranking through Cohere's SDK, both versions, to every kind of upstream: one normal form whatever the far side says.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { CohereClient, CohereError } from "cohere-ai";
import { says } from "../support/fixtures.ts";
import { gateway } from "../support/gateway.ts";
import { ledgerRows } from "../support/ledger.ts";
import { upstream } from "../support/upstream.ts";

const up = await upstream();
const kinds = ["cohere", "jina", "voyage", "siliconflow", "dashscope", "vllm", "tei", "compatible"] as const;
/** Where each kind's own SDK points, behind its host. */
const bases: Partial<Record<string, string>> = { cohere: "", tei: "", dashscope: "/compatible-mode/v1" };
const entry = (kind: string) =>
  `  ${kind}: { kind: ${kind}, base_url: "${up.url}${bases[kind] ?? "/v1"}", credential: canary-${kind}, models: [m] }`;
const running = await gateway({ yaml: `providers:\n${kinds.map(entry).join("\n")}\n` });
const cohere = new CohereClient({ token: running.key, baseUrl: running.url });
const once = { maxRetries: 0 };
afterAll(async () => {
  await running.stop();
  await up.stop();
});
beforeEach(() => up.clear());

const documents = ["first", "second", "third"];
const upstreamRequest = () => up.requests[0]?.json as Record<string, unknown>;
const body = { query: "which?", documents };

interface Row {
  kind: (typeof kinds)[number];
  reply: string;
  /** As the first version is asked, and as the second. */
  paths: [string, string];
  sent: Record<string, unknown>;
  scores: number[];
  billed: object;
  id?: string;
}

const flat = { query: "which?", documents, top_n: 2 };
const quiet = { ...flat, return_documents: false };

/** What each upstream says, what it must have been asked, and what becomes of it. */
const rows: Row[] = [
  {
    kind: "cohere",
    reply: "cohere-v1",
    paths: ["/v1/rerank", "/v2/rerank"],
    sent: { model: "m", ...flat },
    scores: [0.98671205, 0.2873],
    billed: { searchUnits: 1 },
    id: "8c14c4d5-2e5b-4c2c-9f0d-5b1c6a2f7e11",
  },
  {
    kind: "jina",
    reply: "jina",
    paths: ["/v1/rerank", "/v1/rerank"],
    sent: { model: "m", ...quiet },
    scores: [0.4451, -0.0132],
    billed: { total_tokens: 42 },
  },
  {
    kind: "voyage",
    reply: "voyage",
    paths: ["/v1/rerank", "/v1/rerank"],
    sent: { model: "m", query: "which?", documents, top_k: 2 },
    scores: [0.4375, 0.421875],
    billed: { total_tokens: 26 },
  },
  {
    kind: "siliconflow",
    reply: "siliconflow-tokens",
    paths: ["/v1/rerank", "/v1/rerank"],
    sent: { model: "m", ...quiet },
    scores: [0.99184376, 0.0126],
    billed: { total_tokens: 28 },
    id: "0198d3c7a4b1",
  },
  {
    kind: "dashscope",
    reply: "dashscope",
    paths: ["/api/v1/services/rerank/text-rerank/text-rerank", "/api/v1/services/rerank/text-rerank/text-rerank"],
    sent: { model: "m", input: { query: "which?", documents }, parameters: { return_documents: false, top_n: 2 } },
    scores: [0.9334521178273196, 0.34100082218647],
    billed: { total_tokens: 79 },
    id: "85ba5752-1900-47d2-8896-23f99b13f6e1",
  },
  {
    kind: "vllm",
    reply: "vllm",
    paths: ["/v1/rerank", "/v1/rerank"],
    sent: { model: "m", ...quiet },
    scores: [0.998, 0.0004],
    billed: { total_tokens: 35 },
    id: "score-e3c5",
  },
  {
    kind: "tei",
    reply: "tei",
    paths: ["/rerank", "/rerank"],
    sent: { query: "which?", texts: documents, raw_scores: false, return_text: false, truncate: true },
    scores: [0.9976433, 0.0073],
    billed: { searchUnits: 1 },
  },
  {
    kind: "compatible",
    reply: "xinference",
    paths: ["/v1/rerank", "/v1/rerank"],
    sent: { model: "m", ...quiet },
    scores: [0.9996, 0.02],
    billed: { total_tokens: 31 },
    id: "88f21c2e-a1f8-11ef-8c1a-00163e4b2a10",
  },
];

describe.each(rows)("$kind", ({ kind, reply, paths, sent, scores, billed, id }) => {
  const model = `${kind}/m`;
  const normal = (version: string) => ({
    id: id ?? expect.stringMatching(/\S/),
    results: [
      { index: 2, relevanceScore: scores[0] },
      { index: 0, relevanceScore: scores[1] },
    ],
    meta: {
      apiVersion: { version },
      billedUnits: billed,
      tokens: { inputTokens: expect.any(Number), outputTokens: 0 },
    },
  });

  test("the first version: sorted, cut, numbered as the client counts, and no document unasked", async () => {
    up.on("*", says(`rerank/${reply}.json`));
    const response = await cohere.rerank({ model, topN: 2, ...body }, once);
    expect(response as object).toMatchObject(normal("1"));
    expect(response.results).toHaveLength(2);
    for (const result of response.results) expect(result).not.toHaveProperty("document");
    expect(up.requests[0]?.path).toBe(paths[0]);
    expect(upstreamRequest()).toMatchObject(sent);
    expect(upstreamRequest()["return_documents"] ?? false).toBe(false);
    expect(up.requests[0]?.headers.get("authorization")).toBe(`Bearer canary-${kind}`);
  });

  test("documents when they are asked for: the client's own, texts as text", async () => {
    up.on("*", says(`rerank/${reply}.json`));
    const { results } = await cohere.rerank({ model, ...body, returnDocuments: true }, once);
    expect(results.map(({ document }) => document)).toEqual([{ text: "third" }, { text: "first" }, { text: "second" }]);
    expect(upstreamRequest()["return_documents"] ?? false).toBe(false);
  });

  test("the second version", async () => {
    up.on("*", says(`rerank/${reply === "cohere-v1" ? "cohere-v2" : reply}.json`));
    const answer = await cohere.v2.rerank({ model, topN: 2, ...body }, once);
    const expected = kind === "cohere" ? { ...normal("2"), id: "07734bd2-2473-4f07-94e1-0d9f0e6843cf" } : normal("2");
    expect(answer as object).toMatchObject(expected);
    expect(answer.results).toHaveLength(2);
    expect(up.requests[0]?.path).toBe(paths[1]);
    expect(upstreamRequest()).toMatchObject(sent);
    expect(upstreamRequest()).not.toHaveProperty("return_documents", true);
  });
});

test("DashScope is asked in its flat form where the native one is not known", async () => {
  const path = "/api/v1/services/rerank/text-rerank/text-rerank";
  up.on(`POST ${path}`, { status: 404, json: { code: "NotFound", message: "no such path", request_id: "r" } });
  up.on("POST /compatible-api/v1/reranks", says("rerank/dashscope-flat.json"));
  const { results } = await cohere.rerank({ model: "dashscope/m", topN: 1, ...body }, once);
  expect(results).toEqual([{ index: 2, relevanceScore: 0.9334 }] as never);
  expect(up.requests[1]?.json).toEqual({ model: "m", query: "which?", documents, top_n: 1 });
});

test("a deployment that bills tokens and says so beside searches that are none", async () => {
  up.on("*", says("rerank/siliconflow.json"));
  const { meta } = await cohere.rerank({ model: "siliconflow/m", ...body }, once);
  expect(meta).toMatchObject({ billedUnits: { total_tokens: 28 }, tokens: { inputTokens: 28 } } as object);
  expect(meta?.billedUnits).not.toHaveProperty("searchUnits");
});

test("usage as those read it who look beside the meta, in the ledger too", async () => {
  const before = ledgerRows(running.dataFolder).length;
  up.on("*", says("rerank/jina.json"));
  const answer = await fetch(`${running.url}/v1/rerank`, {
    method: "POST",
    headers: { authorization: `Bearer ${running.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "jina/m", ...body }),
  });
  const json = (await answer.json()) as { usage: object; model: string };
  expect(json).toMatchObject({ model: "jina-reranker-v3", usage: { prompt_tokens: 42, total_tokens: 42 } });
  const row = ledgerRows(running.dataFolder)[before];
  expect(row as object).toMatchObject({ operation: "rerank", inputTokens: 42, outputTokens: 0 });
});

/** How each upstream refuses, and what the SDK throws. */
const refusals: { kind: string; status: number; json: unknown; sees: number; says?: string }[] = [
  { kind: "cohere", status: 400, json: { message: "too many documents" }, sees: 400, says: "too many documents" },
  { kind: "cohere", status: 401, json: { message: "invalid api token" }, sees: 502 },
  { kind: "cohere", status: 429, json: { message: "trial key limit" }, sees: 429 },
  { kind: "jina", status: 422, json: { detail: [{ loc: ["query"], msg: "bad query", type: "x" }] }, sees: 422 },
  { kind: "jina", status: 400, json: { detail: "bad words" }, sees: 400, says: "bad words" },
  { kind: "voyage", status: 400, json: { detail: "Model m is not supported" }, sees: 400, says: "not supported" },
  { kind: "siliconflow", status: 400, json: { code: 20012, message: "Model does not exist" }, sees: 404 },
  { kind: "siliconflow", status: 503, json: "overloaded", sees: 503 },
  { kind: "dashscope", status: 400, json: { code: "InvalidParameter", message: "too long" }, sees: 400 },
  { kind: "dashscope", status: 400, json: { code: "Arrearage", message: "no money" }, sees: 502 },
  { kind: "dashscope", status: 200, json: { code: "InternalError", message: "oh" }, sees: 502 },
  { kind: "vllm", status: 400, json: { object: "error", message: "no score model", code: 400 }, sees: 400 },
  { kind: "tei", status: 413, json: { error: "batch size 3 > 2", error_type: "Validation" }, sees: 413, says: "batch" },
  { kind: "tei", status: 424, json: { error: "inference failed", error_type: "Backend" }, sees: 502 },
  { kind: "tei", status: 429, json: { error: "overloaded", error_type: "Overloaded" }, sees: 429 },
];

test.each(refusals)("$kind refuses with $status $json", async ({ kind, status, json, sees, says: words }) => {
  up.on("*", { status, json });
  const thrown = await cohere.rerank({ model: `${kind}/m`, ...body }, once).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(CohereError);
  const { statusCode, body: result } = thrown as CohereError;
  expect(statusCode).toBe(sees);
  expect(JSON.stringify(result)).not.toContain("canary");
  if (words) expect(JSON.stringify(result)).toContain(words);
});

/** Replies that are no rankings. */
const nonsense: [string, string, unknown][] = [
  ["no list", "cohere", { id: "x" }],
  ["an index beyond the documents", "cohere", { results: [{ index: 3, relevance_score: 1 }] }],
  ["an index below them", "jina", { results: [{ index: -1, relevance_score: 1 }] }],
  ["an index between two", "jina", { results: [{ index: 0.5, relevance_score: 1 }] }],
  ["a score that is a text", "voyage", { data: [{ index: 0, relevance_score: "1" }] }],
  ["a document twice", "vllm", { results: [0, 0].map((index) => ({ index, relevance_score: 1 })) }],
  ["a bare list where none belongs", "jina", [{ index: 0, score: 1 }]],
  ["an object where a bare list belongs", "tei", { results: [] }],
];

test.each(nonsense)("%s from %s is a protocol error", async (_name, kind, json) => {
  up.on("*", { json });
  const thrown = await cohere.rerank({ model: `${kind}/m`, ...body }, once).catch((error: unknown) => error);
  expect((thrown as CohereError).statusCode).toBe(502);
});
