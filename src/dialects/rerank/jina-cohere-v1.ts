// The ranking dialect of most servers: Cohere's first version, Jina's, and what compatible servers made of both.
import { cohereErrors } from "../vendor-errors.ts";
import { clientRerank, type RerankCodec } from "./rerank-dialect.ts";
import { readFlat } from "./response.ts";

const ranker: RerankCodec = {
  name: "rerank",
  path: "rerank",
  form: (_model, { ranks }) => ranks ?? "text",
  knows: {
    rank_fields: "rank_fields",
    max_chunks_per_doc: "max_chunks_per_doc",
    max_tokens_per_doc: "max_tokens_per_doc",
    overlap_tokens: "overlap_tokens",
    instruction: "instruction",
    truncation: "truncation",
    priority: "priority",
  },
  // Some servers send the documents back unless they are told not to.
  body: ({ model, query, documents, top, options }) => ({
    model,
    query,
    documents,
    top_n: top,
    return_documents: false,
    ...options,
  }),
  read: readFlat,
  error: cohereErrors,
};

export const plainRerank = clientRerank(ranker, "1");
