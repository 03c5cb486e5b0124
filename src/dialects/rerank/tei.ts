// Ranking by a Text Embeddings Inference server: one model, a bare list of scores, no count of anything.
import { errorsWith } from "../vendor-errors.ts";
import { upstreamRerank } from "./rerank-dialect.ts";

/** A failure of its own has a status that elsewhere means a fault of the request. */
const errors = errorsWith({ statuses: { 424: 500 } });

export const teiRerank = upstreamRerank({
  name: "tei-rerank",
  path: "rerank",
  form: () => "text",
  knows: { truncation: "truncate" },
  // Elsewhere what is too long is cut off unless the client says otherwise; here it must be asked for.
  body: ({ query, documents, options }) => ({
    query,
    texts: documents,
    raw_scores: false,
    return_text: false,
    truncate: true,
    ...options,
  }),
  read: (reply) => ({ results: reply, score: "score", tokens: [] }),
  error: errors,
});
