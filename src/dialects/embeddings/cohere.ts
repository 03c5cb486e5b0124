// Cohere's embed, second version: texts in, vectors by their type out.
import type { EmbeddingResponse } from "../../canonical/embedding.ts";
import { isObject } from "../../lib/json.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { renderer } from "../render-fields.ts";
import { cohereErrors } from "../vendor-errors.ts";
import { type EmbeddingTable, madeHere, noTitle, noUser, textsAt, type UpstreamEmbeddings } from "./fields.ts";
import { purposeAt, vocabularies } from "./tasks.ts";
import { inputUsage, readVectors } from "./vectors.ts";

/** https://docs.cohere.com/reference/embed */
const path = "v2/embed";
const maxTexts = 96;
const { cohere } = vocabularies;

const fields: EmbeddingTable = {
  input: textsAt("texts"),
  purpose: purposeAt("input_type", cohere),
  format: { path: "embedding_types", render: () => ["float"] },
  dimensions: { path: "output_dimension" },
  unit: madeHere,
  title: noTitle,
  endUser: noUser,
};

function parseResponse(wire: unknown): EmbeddingResponse {
  const embeddings = isObject(wire) ? wire.embeddings : undefined;
  if (!isObject(wire) || embeddings === undefined)
    throw invalidUpstreamResponse("the response has no list of embeddings");
  const list = isObject(embeddings) ? (embeddings.float ?? embeddings.base64) : embeddings;
  const meta = isObject(wire.meta) ? wire.meta : {};
  const billed = isObject(meta.billed_units) ? meta.billed_units : {};
  return {
    operation: "embed",
    model: "",
    vectors: readVectors(list, "embeddings.float"),
    ...inputUsage(billed.input_tokens),
  };
}

export const cohereEmbeddings: UpstreamEmbeddings = {
  name: "cohere-embeddings",
  operation: "embed",
  request: {
    fields,
    // A task type is required.
    render: renderer(fields, {
      path: () => path,
      members: ({ model }) => ({ model, input_type: cohere.words.document }),
    }),
    maxItems: () => maxTexts,
  },
  response: { parse: parseResponse },
  error: cohereErrors,
};
