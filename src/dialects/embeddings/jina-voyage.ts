// Jina's and Voyage's embeddings: OpenAI's reply to requests of their own.
import { renderer } from "../render-fields.ts";
import { errorsWith } from "../vendor-errors.ts";
import {
  type EmbeddingTable,
  madeHere,
  maxItems,
  noTitle,
  noUser,
  textsAt,
  type UpstreamEmbeddings,
} from "./fields.ts";
import { parseResponse } from "./openai-response.ts";
import { purposeAt, vocabularies } from "./tasks.ts";

const maxVoyageTexts = 1000;

/** https://jina.ai/embeddings */
const jinaFields: EmbeddingTable = {
  input: textsAt("input"),
  purpose: purposeAt("task", vocabularies.jina),
  dimensions: { path: "dimensions" },
  format: { path: "embedding_type" },
  unit: madeHere,
  title: noTitle,
  endUser: noUser,
};

/** https://docs.voyageai.com/reference/embeddings-api */
const voyageFields: EmbeddingTable = {
  input: textsAt("input"),
  purpose: purposeAt("input_type", vocabularies.voyage),
  dimensions: { path: "output_dimension" },
  // Numbers are the default, and have no name.
  format: { path: "encoding_format", render: (format) => (format === "base64" ? format : undefined) },
  unit: madeHere,
  title: noTitle,
  endUser: noUser,
};

const openaiLike = (name: string, fields: EmbeddingTable, max: number): UpstreamEmbeddings => ({
  name,
  operation: "embed",
  request: {
    fields,
    render: renderer(fields, { path: () => "embeddings", members: ({ model }) => ({ model }) }),
    maxItems: () => max,
  },
  response: { parse: parseResponse },
  error: errorsWith(),
});

export const jinaEmbeddings: UpstreamEmbeddings = openaiLike("jina-embeddings", jinaFields, maxItems);
export const voyageEmbeddings: UpstreamEmbeddings = openaiLike("voyage-embeddings", voyageFields, maxVoyageTexts);
