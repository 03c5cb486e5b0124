// Every field of ranking on every format: what its table says is what is sent, refused or warned of.
import { afterAll } from "bun:test";
import {
  cohereRerank,
  dashscopeFlatRerank,
  dashscopeRerank,
  plainRerank,
  teiRerank,
  voyageRerank,
} from "../../src/dialects/index.ts";
import { type FieldClient, type FieldUpstream, provesFields } from "../support/field-conformance.ts";
import { gateway } from "../support/gateway.ts";
import { upstream } from "../support/upstream.ts";

const up = await upstream();
const entry = (kind: string, base: string) =>
  `  ${kind}: { kind: ${kind}, base_url: "${up.url}${base}", credential: canary, models: [m, qwen3-rerank] }`;
const kinds = [
  entry("cohere", ""),
  entry("jina", "/v1"),
  entry("voyage", "/v1"),
  entry("dashscope", "/compatible-mode/v1"),
  entry("tei", ""),
];
const running = await gateway({ yaml: `providers:\n${kinds.join("\n")}\n` });
afterAll(async () => {
  await running.stop();
  await up.stop();
});

const documents = ["a", "b", "c"];
const says = {
  documents: { param: "documents", body: {} },
  query: { param: "query", body: {} },
  top: { param: "top_n", body: { top_n: 2 } },
  returnDocuments: { param: "return_documents", body: { return_documents: true } },
  rank_fields: {
    param: "rank_fields",
    body: { rank_fields: ["text"], documents: documents.map((text) => ({ text })) },
  },
  max_chunks_per_doc: { param: "max_chunks_per_doc", body: { max_chunks_per_doc: 2 } },
  max_tokens_per_doc: { param: "max_tokens_per_doc", body: { max_tokens_per_doc: 9 } },
  overlap_tokens: { param: "overlap_tokens", body: { overlap_tokens: 1 } },
  instruction: { param: "instruction", body: { instruction: "be strict" } },
  truncation: { param: "truncation", body: { truncation: false } },
  priority: { param: "priority", body: { priority: 1 } },
};
const body = (model: string) => ({ model, query: "which?", documents });
const plain: FieldClient = { dialect: plainRerank, path: () => "/v1/rerank", body, says };
const cohere: FieldClient = { dialect: cohereRerank, path: () => "/v2/rerank", body, says };

const results = documents.map((_, index) => ({ index, relevance_score: 1 - index / 10 }));
const flat = { id: "r", model: "m", results };
const upstreamOf = (dialect: FieldUpstream["dialect"], model: string, reply: unknown): FieldUpstream => ({
  dialect,
  model,
  ready: () => up.on("*", { json: reply }),
});

provesFields({
  title: "rerank",
  ...{ up, gateway: running },
  clients: [plain, cohere],
  upstreams: [
    // Its server speaks both formats of clients, so nothing else reaches it.
    { ...upstreamOf(cohereRerank, "cohere/m", flat), clients: [cohere] },
    upstreamOf(plainRerank, "jina/m", flat),
    upstreamOf(voyageRerank, "voyage/m", { data: results, model: "m" }),
    upstreamOf(
      teiRerank,
      "tei/m",
      results.map(({ index, relevance_score: score }) => ({ index, score })),
    ),
    upstreamOf(dashscopeRerank, "dashscope/m", { output: { results }, request_id: "r" }),
    {
      ...upstreamOf(dashscopeFlatRerank, "dashscope/qwen3-rerank", flat),
      ready() {
        up.on("POST /api/v1/services/rerank/text-rerank/text-rerank", { status: 404, json: { code: "NotFound" } });
        up.on("POST /compatible-api/v1/reranks", { json: flat });
      },
    },
  ],
});
