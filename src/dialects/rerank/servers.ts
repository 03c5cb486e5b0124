// The rerank formats of servers only: Text Embeddings Inference's, Voyage's, and both of DashScope's.

import type { RerankRequest, RerankResponse } from "../../canonical/rerank.ts";
import { isObject, type Json } from "../../lib/json.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { openaiErrors } from "../openai-error.ts";
import type { RequestFrame } from "../render-fields.ts";
import { type UpstreamFormat, upstreamsOf } from "../upstream-format.ts";
import { errorsWith } from "../vendor-errors.ts";
import { type DocumentRules, documentRows, documentsReturnedHere, noOptions, resultsCutHere, topAt } from "./fields.ts";
import { type ReadRanking, readAnswer, tokensIn } from "./response.ts";

type Server = Omit<UpstreamFormat<RerankRequest, RerankResponse>, "parse"> &
  RequestFrame<RerankRequest> & {
    /** Throws `upstream_protocol_error` on what is not a reply. */
    read(reply: Json): ReadRanking;
  };

const server = ({ read, ...format }: Server) =>
  upstreamsOf<RerankRequest, RerankResponse>("rerank")({
    ...format,
    parse: (wire, { request }) => readAnswer(read(wire as Json), request?.operation === "rerank" ? request : undefined),
  });

/** One model, a bare list of scores, no counts. */
export const teiRerank = server({
  name: "tei-rerank",
  path: () => "rerank",
  // Other servers truncate long texts by default; here it must be requested.
  members: () => ({ raw_scores: false, return_text: false, truncate: true }),
  fields: {
    ...noOptions,
    ...documentRows({ form: () => "text" }, "query", "texts"),
    top: resultsCutHere,
    returnDocuments: documentsReturnedHere,
    truncation: { path: "truncate" },
  },
  read: (reply) => ({ results: reply, score: "score", tokens: [] }),
  // A server failure has a status that usually means an invalid request.
  error: errorsWith({ statuses: { 424: 500 } }),
});

const maxVoyageDocuments = 1000;

export const voyageRerank = server({
  name: "voyage-rerank",
  path: () => "rerank",
  members: ({ model }) => ({ model }),
  fields: {
    ...noOptions,
    ...documentRows({ form: () => "text", maxDocuments: () => maxVoyageDocuments }),
    top: topAt("top_k"),
    returnDocuments: documentsReturnedHere,
    truncation: { path: "truncation" },
  },
  read(reply) {
    if (!isObject(reply)) throw invalidUpstreamResponse("expected a JSON object");
    return { results: reply.data, model: reply.model, tokens: tokensIn(reply) };
  },
  error: openaiErrors,
});

const seesImages = /-vl-/;
/** An account without funds is reported as a bad request. */
const dashscopeErrors = errorsWith({ codes: { Arrearage: 402 } });

const dashscopeRules: DocumentRules = {
  form: ({ model }) => (seesImages.test(model) ? "parts" : "text"),
  maxDocuments: (model) => (seesImages.test(model) ? 100 : 500),
};

/** A reply may be an error despite its status. */
function opened(reply: Json) {
  if (!isObject(reply)) throw invalidUpstreamResponse("expected a JSON object");
  if (typeof reply.code === "string" && reply.code !== "") throw dashscopeErrors.parse(200, reply);
  return reply;
}

export const dashscopeRerank = server({
  name: "dashscope-rerank",
  path: () => "api/v1/services/rerank/text-rerank/text-rerank",
  members: ({ model }) => ({ model }),
  fields: {
    ...noOptions,
    ...documentRows(dashscopeRules, "input.query", "input.documents"),
    returnDocuments: { path: "parameters.return_documents", render: () => false },
    top: topAt("parameters.top_n"),
    instruction: { path: "parameters.instruct" },
  },
  read(reply) {
    const { output, request_id, ...rest } = opened(reply);
    return { results: isObject(output) ? output.results : undefined, id: request_id, tokens: tokensIn(rest) };
  },
  error: dashscopeErrors,
});

export const dashscopeFlatRerank = server({
  name: "dashscope-flat-rerank",
  path: () => "compatible-api/v1/reranks",
  members: ({ model }) => ({ model }),
  fields: {
    ...noOptions,
    ...documentRows(dashscopeRules),
    top: topAt("top_n"),
    returnDocuments: documentsReturnedHere,
    instruction: { path: "instruct" },
  },
  read(reply) {
    const { id, model, results, ...rest } = opened(reply);
    return { results, id, model, tokens: tokensIn(rest) };
  },
  error: dashscopeErrors,
});
