// Cohere's second version: texts alone, and no documents in the reply.
import { cohereErrors } from "../vendor-errors.ts";
import { clientRerank, type RerankCodec } from "./rerank-dialect.ts";
import { readFlat } from "./response.ts";

const ranker: RerankCodec = {
  name: "cohere-rerank",
  path: "v2/rerank",
  form: () => "text",
  knows: { max_tokens_per_doc: "max_tokens_per_doc", priority: "priority" },
  body: ({ model, query, documents, top, options }) => ({ model, query, documents, top_n: top, ...options }),
  read: readFlat,
  error: cohereErrors,
};

export const cohereRerank = clientRerank(ranker, "2");
