// DashScope's own text embeddings.
import type { EmbeddingResponse } from "../../canonical/embedding.ts";
import { isObject, type Json } from "../../lib/json.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { renderer } from "../render-fields.ts";
import { errorsWith } from "../vendor-errors.ts";
import { type EmbeddingTable, madeHere, noTitle, noUser, textsAt, type UpstreamEmbeddings } from "./fields.ts";
import { purposeAt, vocabularies } from "./tasks.ts";
import { inputUsage, readVector } from "./vectors.ts";

/** https://help.aliyun.com/zh/model-studio/text-embedding-synchronous-api */
const path = "api/v1/services/embeddings/text-embedding/text-embedding";
const maxTexts = 10;

const fields: EmbeddingTable = {
  input: textsAt("input.texts"),
  purpose: purposeAt("parameters.text_type", vocabularies.dashscope),
  dimensions: { path: "parameters.dimension" },
  format: madeHere,
  unit: madeHere,
  title: noTitle,
  endUser: noUser,
};

const position = (item: Json): number => (isObject(item) && typeof item.text_index === "number" ? item.text_index : 0);

function parseResponse(wire: unknown): EmbeddingResponse {
  const output = isObject(wire) && isObject(wire.output) ? wire.output : {};
  if (!isObject(wire) || !Array.isArray(output.embeddings))
    throw invalidUpstreamResponse("the response has no list of embeddings");
  const ordered = [...output.embeddings].sort((left, right) => position(left) - position(right));
  const usage = isObject(wire.usage) ? wire.usage : {};
  return {
    operation: "embed",
    model: "",
    vectors: ordered.map((item, index) =>
      readVector(isObject(item) ? item.embedding : undefined, `output.embeddings[${index}].embedding`),
    ),
    ...inputUsage(usage.total_tokens),
  };
}

export const dashscopeEmbeddings: UpstreamEmbeddings = {
  name: "dashscope-embeddings",
  operation: "embed",
  request: {
    fields,
    render: renderer(fields, { path: () => path, members: ({ model }) => ({ model, parameters: {} }) }),
    maxItems: ({ options }) => options?.embeddings?.mostItems ?? maxTexts,
  },
  response: { parse: parseResponse },
  // An account in arrears is refused as a bad request.
  error: errorsWith({ codes: { Arrearage: 402, InvalidApiKey: 401 } }),
};
