// The sandbox ranks by the words that documents share with the query.
import { expect, test } from "bun:test";
import { at } from "../support/chat-stream-reader.ts";
import { sandbox } from "./setting.ts";

const { say } = await sandbox();
const post = (path: string, body: Record<string, unknown>) =>
  say({ path, rawBody: JSON.stringify({ model: "sandbox/rerank", ...body }) });
const documents = ["", "the apples of Paris", { text: "an apple is a red fruit" }, "red apples taste sweet"];

test.each(["/v1/rerank", "/v2/rerank"])(
  "%s: more likeness, higher place; the same request, the same bytes",
  async (path) => {
    const body = { query: "red apples", documents, top_n: 3, return_documents: true };
    const received = await post(path, body);
    expect(received.status).toBe(200);
    const results = at(received.json, "results") as { index: number; relevance_score: number; document: unknown }[];
    expect(results.map(({ index }) => index)).toEqual([3, 1, 2]);
    expect(results.map(({ document }) => document)).toEqual([
      { text: documents[3] },
      { text: documents[1] },
      documents[2],
    ]);
    expect(results[0]?.relevance_score).toBeGreaterThan(results[1]?.relevance_score ?? 1);
    for (const { relevance_score } of results) expect(relevance_score >= 0 && relevance_score <= 1).toBe(true);
    expect(at(received.json, "model")).toBe("sandbox/rerank");
    expect((await post(path, body)).text).toBe(received.text);
  },
);

test("a document that is the query is as like it as can be", async () => {
  const received = await post("/v1/rerank", { query: "red apples", documents: ["blue", "red apples"] });
  expect(at(received.json, "results", 0)).toEqual({ index: 1, relevance_score: expect.closeTo(1) });
});

test("directives stand in the query", async () => {
  const received = await post("/v1/rerank", { query: "x [sandbox error=503]", documents });
  expect(received.status).toBe(503);
});
