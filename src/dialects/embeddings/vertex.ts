// Text embeddings on Vertex: instances in, predictions out.
import type { EmbeddingResponse } from "../../canonical/embedding.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { ReadContext } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { geminiErrors } from "../gemini/error.ts";
import { callPath } from "../gemini/request.ts";
import { objectsIn } from "../shared/json-accessors.ts";
import { type EmbeddingTable, madeHere, noUser, textsIn, textsOnly, upstreamEmbeddings } from "./fields.ts";
import { google } from "./tasks.ts";
import { inputUsage, readVector, unitVectors } from "./vectors.ts";

/** https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api */
const verb = "predict";
const maxInstances = 250;
/** Models of this family accept one text per call. */
const oneByOne = /^gemini-embedding/;

const fields: EmbeddingTable = {
  input: {
    path: "instances",
    limit: textsOnly,
    renderMembers: ({ request: { input, purpose, title } }) => ({
      instances: textsIn(input).map((content) =>
        omitUndefined({ content, task_type: purpose && google[purpose], title }),
      ),
    }),
  },
  purpose: { path: "instances[0].task_type", carriedBy: "input" },
  title: { path: "instances[0].title", carriedBy: "input" },
  dimensions: { path: "parameters.outputDimensionality" },
  format: madeHere,
  unit: madeHere,
  endUser: noUser,
};

/** The sum of tokens of all texts; nothing if any is missing. */
function tokensOf(items: readonly JsonObject[]): Json | undefined {
  const counts = items.map(({ statistics }) => (isObject(statistics) ? statistics.token_count : undefined));
  return counts.every((count) => typeof count === "number") ? counts.reduce((sum, count) => sum + count, 0) : undefined;
}

function parseResponse(wire: unknown, { request }: ReadContext): EmbeddingResponse {
  if (!isObject(wire) || !Array.isArray(wire.predictions))
    throw invalidUpstreamResponse("the response has no list of predictions");
  const items = objectsIn(wire.predictions).map(({ embeddings }) => (isObject(embeddings) ? embeddings : {}));
  const vectors = items.map((item, index) => readVector(item.values, `predictions[${index}].embeddings.values`));
  return {
    operation: "embed",
    model: "",
    vectors: unitVectors(vectors, request),
    ...inputUsage(tokensOf(items)),
  };
}

export const vertexEmbeddings = upstreamEmbeddings({
  name: "vertex-embeddings",
  fields,
  path: ({ model }) => callPath(model, verb),
  members: () => ({ parameters: {} }),
  maxItems: ({ model }) => (oneByOne.test(model) ? 1 : maxInstances),
  parse: parseResponse,
  error: geminiErrors,
});
