// Voyage's ranking: its own words for the count and for the list.
import { isObject } from "../../lib/json.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { upstreamRerank } from "./rerank-dialect.ts";
import { tokensIn } from "./response.ts";

const mostDocuments = 1000;

export const voyageRerank = upstreamRerank({
  name: "voyage-rerank",
  path: "rerank",
  form: () => "text",
  knows: { truncation: "truncation" },
  mostDocuments: () => mostDocuments,
  body: ({ model, query, documents, top, options }) => ({ model, query, documents, top_k: top, ...options }),
  read(reply) {
    if (!isObject(reply)) throw invalidUpstreamResponse("expected a JSON object");
    return { results: reply.data, model: reply.model, tokens: tokensIn(reply) };
  },
});
