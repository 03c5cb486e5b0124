// The embedding formats of servers only: Cohere's, DashScope's, Jina's, Voyage's, Ollama's, and Text Embeddings
// Inference's.
import type { EmbeddingResponse } from "../../canonical/embedding.ts";
import { isObject, type Json } from "../../lib/json.ts";
import type { RenderContext } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { cohereErrors, errorsWith } from "../vendor-errors.ts";
import { madeHere, maxItems, noPurpose, noTitle, noUser, textsAt, upstreamEmbeddings } from "./fields.ts";
import { parseResponse } from "./openai.ts";
import { purposeAt, vocabularies } from "./tasks.ts";
import { inputUsage, readVector, readVectors } from "./vectors.ts";

/** Maximum texts per call. */
const maxTexts = { cohere: 96, dashscope: 10, voyage: 1000, tei: 32 } as const;

/** The body's members beyond the fields: the model. */
const members = ({ model }: RenderContext) => ({ model });

/** Fields that most of them lack, and what the gateway does itself. */
const common = { format: madeHere, unit: madeHere, title: noTitle, endUser: noUser, purpose: noPurpose } as const;

const responseOf = (vectors: EmbeddingResponse["vectors"], tokens?: Json, model?: Json): EmbeddingResponse => ({
  operation: "embed",
  model: typeof model === "string" ? model : "",
  vectors,
  ...inputUsage(tokens),
});

const noList = () => invalidUpstreamResponse("the response has no list of embeddings");

function parseCohere(wire: unknown): EmbeddingResponse {
  const { embeddings, meta } = isObject(wire) ? wire : {};
  if (embeddings === undefined) throw noList();
  const list = isObject(embeddings) ? (embeddings.float ?? embeddings.base64) : embeddings;
  const billed = isObject(meta) && isObject(meta.billed_units) ? meta.billed_units : {};
  return responseOf(readVectors(list, "embeddings.float"), billed.input_tokens);
}

/** https://docs.cohere.com/reference/embed: version 2, where a task type is required. */
export const cohereEmbeddings = upstreamEmbeddings({
  name: "cohere-embeddings",
  path: () => "v2/embed",
  members: ({ model }) => ({ model, input_type: vocabularies.cohere.words.document }),
  fields: {
    ...common,
    input: textsAt("texts"),
    purpose: purposeAt("input_type", vocabularies.cohere),
    format: { path: "embedding_types", render: () => ["float"] },
    dimensions: { path: "output_dimension" },
  },
  maxItems: maxTexts.cohere,
  parse: parseCohere,
  error: cohereErrors,
});

const position = (item: Json): number => (isObject(item) && typeof item.text_index === "number" ? item.text_index : 0);

function parseDashscope(wire: unknown): EmbeddingResponse {
  const { output, usage } = isObject(wire) ? wire : {};
  const list = isObject(output) ? output.embeddings : undefined;
  if (!Array.isArray(list)) throw noList();
  const vectors = [...list]
    .sort((left, right) => position(left) - position(right))
    .map((item, index) =>
      readVector(isObject(item) ? item.embedding : undefined, `output.embeddings[${index}].embedding`),
    );
  return responseOf(vectors, isObject(usage) ? usage.total_tokens : undefined);
}

/** https://help.aliyun.com/zh/model-studio/text-embedding-synchronous-api */
export const dashscopeEmbeddings = upstreamEmbeddings({
  name: "dashscope-embeddings",
  path: () => "api/v1/services/embeddings/text-embedding/text-embedding",
  members: ({ model }) => ({ model, parameters: {} }),
  fields: {
    ...common,
    input: textsAt("input.texts"),
    purpose: purposeAt("parameters.text_type", vocabularies.dashscope),
    dimensions: { path: "parameters.dimension" },
  },
  maxItems: ({ options }) => options?.embeddings?.mostItems ?? maxTexts.dashscope,
  parse: parseDashscope,
  // An overdue account is reported as a bad request.
  error: errorsWith({ codes: { Arrearage: 402, InvalidApiKey: 401 } }),
});

/** https://jina.ai/embeddings */
export const jinaEmbeddings = upstreamEmbeddings({
  name: "jina-embeddings",
  path: () => "embeddings",
  members,
  fields: {
    ...common,
    input: textsAt("input"),
    purpose: purposeAt("task", vocabularies.jina),
    dimensions: { path: "dimensions" },
    format: { path: "embedding_type" },
  },
  maxItems,
  parse: parseResponse,
  error: errorsWith(),
});

/** https://docs.voyageai.com/reference/embeddings-api: numbers are the default format and have no name of their own. */
export const voyageEmbeddings = upstreamEmbeddings({
  name: "voyage-embeddings",
  path: () => "embeddings",
  members,
  fields: {
    ...common,
    input: textsAt("input"),
    purpose: purposeAt("input_type", vocabularies.voyage),
    dimensions: { path: "output_dimension" },
    format: { path: "encoding_format", render: (format) => (format === "base64" ? format : undefined) },
  },
  maxItems: maxTexts.voyage,
  parse: parseResponse,
  error: errorsWith(),
});

/** https://docs.ollama.com/api/embed */
export const ollamaEmbeddings = upstreamEmbeddings({
  name: "ollama-embeddings",
  path: () => "api/embed",
  members,
  fields: { ...common, input: textsAt("input"), dimensions: { path: "dimensions" } },
  parse(wire) {
    if (!isObject(wire)) throw noList();
    return responseOf(readVectors(wire.embeddings, "embeddings"), wire.prompt_eval_count, wire.model);
  },
  error: errorsWith(),
});

/** https://huggingface.github.io/text-embeddings-inference: a server has one model and accepts 32 texts by default. */
export const teiEmbeddings = upstreamEmbeddings({
  name: "tei-embeddings",
  path: () => "embed",
  fields: {
    ...common,
    input: textsAt("inputs"),
    dimensions: { path: "dimensions" },
    unit: { path: "normalize", renderMembers: () => ({ normalize: true }) },
  },
  maxItems: ({ options }) => options?.embeddings?.mostItems ?? maxTexts.tei,
  parse: (wire) => responseOf(readVectors(wire as Json | undefined, "")),
  // 424: the model failed; the request is valid. 429: the server's queue is full.
  error: errorsWith({ statuses: { 424: 500, 429: 503 } }),
});
