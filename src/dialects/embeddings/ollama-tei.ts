// The own embeddings of local servers: Ollama's, and Text Embeddings Inference's.
import type { EmbeddingResponse } from "../../canonical/embedding.ts";
import { isObject, type Json } from "../../lib/json.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { renderer } from "../render-fields.ts";
import { errorsWith } from "../vendor-errors.ts";
import {
  type EmbeddingTable,
  madeHere,
  noPurpose,
  noTitle,
  noUser,
  textsAt,
  type UpstreamEmbeddings,
} from "./fields.ts";
import { inputUsage, readVectors } from "./vectors.ts";

/** What a server of Text Embeddings Inference takes by default. */
const maxTeiTexts = 32;

const common = {
  dimensions: { path: "dimensions" },
  format: madeHere,
  purpose: noPurpose,
  title: noTitle,
  endUser: noUser,
} as const;

/** https://docs.ollama.com/api/embed */
const ollamaFields: EmbeddingTable = { ...common, input: textsAt("input"), unit: madeHere };

/** https://huggingface.github.io/text-embeddings-inference */
const teiFields: EmbeddingTable = {
  ...common,
  input: textsAt("inputs"),
  unit: { path: "normalize", renderMembers: () => ({ normalize: true }) },
};

function parseOllama(wire: unknown): EmbeddingResponse {
  if (!isObject(wire)) throw invalidUpstreamResponse("the response has no list of embeddings");
  return {
    operation: "embed",
    model: typeof wire.model === "string" ? wire.model : "",
    vectors: readVectors(wire.embeddings, "embeddings"),
    ...inputUsage(wire.prompt_eval_count),
  };
}

export const ollamaEmbeddings: UpstreamEmbeddings = {
  name: "ollama-embeddings",
  operation: "embed",
  request: {
    fields: ollamaFields,
    render: renderer(ollamaFields, { path: () => "api/embed", members: ({ model }) => ({ model }) }),
  },
  response: { parse: parseOllama },
  error: errorsWith(),
};

export const teiEmbeddings: UpstreamEmbeddings = {
  name: "tei-embeddings",
  operation: "embed",
  request: {
    fields: teiFields,
    // A server has one model.
    render: renderer(teiFields, { path: () => "embed" }),
    maxItems: ({ options }) => options?.embeddings?.mostItems ?? maxTeiTexts,
  },
  response: {
    parse: (wire): EmbeddingResponse => ({
      operation: "embed",
      model: "",
      vectors: readVectors(wire as Json | undefined, ""),
    }),
  },
  // 424: the model failed, and nothing is wrong with the request. 429: the server's queue is full.
  error: errorsWith({ statuses: { 424: 500, 429: 503 } }),
};
