// DashScope's ranking: its own envelope, and a flat one beside it.
import { isObject, type Json } from "../../lib/json.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { errorsWith } from "../vendor-errors.ts";
import { type RerankCodec, upstreamRerank } from "./rerank-dialect.ts";
import { tokensIn } from "./response.ts";

const seesPictures = /-vl-/;
/** By the model's family. */
const mostDocuments = (model: string): number => (seesPictures.test(model) ? 100 : 500);

/** An account without money is refused as a bad request. */
const errors = errorsWith({ codes: { Arrearage: 402 } });

const common: Pick<RerankCodec, "form" | "knows" | "mostDocuments" | "error"> = {
  form: (model) => (seesPictures.test(model) ? "parts" : "text"),
  knows: { instruction: "instruct" },
  mostDocuments,
  error: errors,
};

/** A reply may be an error in spite of its status. */
function opened(reply: Json) {
  if (!isObject(reply)) throw invalidUpstreamResponse("expected a JSON object");
  if (typeof reply.code === "string" && reply.code !== "") throw errors.parse(200, reply);
  return reply;
}

export const dashscopeRerank = upstreamRerank({
  ...common,
  name: "dashscope-rerank",
  path: "api/v1/services/rerank/text-rerank/text-rerank",
  body: ({ model, query, documents, top, options }) => ({
    model,
    input: { query, documents },
    parameters: { return_documents: false, ...(top === undefined ? {} : { top_n: top }), ...options },
  }),
  read(reply) {
    const { output, request_id, ...rest } = opened(reply);
    return { results: isObject(output) ? output.results : undefined, id: request_id, tokens: tokensIn(rest) };
  },
});

export const dashscopeFlatRerank = upstreamRerank({
  ...common,
  name: "dashscope-flat-rerank",
  path: "compatible-api/v1/reranks",
  body: ({ model, query, documents, top, options }) => ({ model, query, documents, top_n: top, ...options }),
  read(reply) {
    const { id, model, results, ...rest } = opened(reply);
    return { results, id, model, tokens: tokensIn(rest) };
  },
});
