// The dialect of text embeddings on Vertex: instances in, predictions out. No client speaks it to the gateway.
import { Type } from "typebox";
import type { EmbeddingRequest, EmbeddingResponse } from "../../canonical/embedding.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { Dialect, ReadContext, RenderContext, RenderedRequest, RequestMeta } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { geminiErrors } from "../gemini/error.ts";
import { callPath, modelFromPath } from "../gemini/request.ts";
import { object, optional } from "../schema-helpers.ts";
import { objectsIn } from "../shared/json-accessors.ts";
import { readInput, textsOf, unknownFields } from "./embedding-input.ts";
import { readPurpose, renderPurpose, vocabularies } from "./task-type.ts";
import { bare, pathsWith, readDimensions, renderedAs } from "./upstream-embeddings.ts";
import { asFloats, inputUsage, readVector, unitVectors } from "./vector-encoding.ts";

/** https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api */
const verb = "predict";
const mostInstances = 250;
/** Models of this family take one text in a call. */
const oneByOne = /^gemini-embedding/;

const schema = object({
  instances: Type.Array(object({ content: Type.String(), task_type: optional("string"), title: optional("string") }), {
    minItems: 1,
  }),
  parameters: optional("object", { properties: { outputDimensionality: optional("integer", { minimum: 1 }) } }),
});
const known = new Set(["instances", "parameters"]);

function parseRequest(wire: JsonObject, { params }: RequestMeta): EmbeddingRequest {
  const instances = objectsIn(wire.instances);
  const [first] = instances;
  const parameters = isObject(wire.parameters) ? wire.parameters : {};
  return {
    ...bare,
    model: modelFromPath(params.model ?? ""),
    input: readInput(
      instances.map((instance) => instance.content as Json),
      "instances",
    ),
    format: "float",
    unmappedFields: unknownFields(wire, known),
    ...readDimensions(parameters.outputDimensionality),
    ...readPurpose(first?.task_type),
    ...(typeof first?.title === "string" ? { title: first.title } : {}),
  };
}

function renderRequest(request: EmbeddingRequest, context: RenderContext): RenderedRequest {
  return renderedAs(callPath(context.model, verb), request, context, ["endUser"], (warnings) => ({
    instances: textsOf(request.input, context).map((content) =>
      omitUndefined({ content, ...renderPurpose(request, vocabularies.vertex, warnings), title: request.title }),
    ),
    parameters: omitUndefined({ outputDimensionality: request.dimensions }),
  }));
}

/** The tokens of all texts; nothing where one is not counted. */
function tokensOf(items: readonly JsonObject[]): Json | undefined {
  const counts = items.map(({ statistics }) => (isObject(statistics) ? statistics.token_count : undefined));
  return counts.every((count) => typeof count === "number") ? counts.reduce((sum, count) => sum + count, 0) : undefined;
}

function parseReply(wire: unknown, { request }: ReadContext): EmbeddingResponse {
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

export const vertexEmbeddings: Dialect<EmbeddingRequest, EmbeddingResponse> = {
  name: "vertex-embeddings",
  operation: "embed",
  request: {
    schema,
    parse: parseRequest,
    render: renderRequest,
    maxItems: ({ model }) => (oneByOne.test(model) ? 1 : mostInstances),
    fieldPath: pathsWith({
      input: "instances",
      dimensions: "parameters.outputDimensionality",
      purpose: "instances[0].task_type",
      title: "instances[0].title",
    }),
  },
  response: {
    parse: parseReply,
    render: (response, { inputEstimate }) => {
      const tokens = response.usage?.inputTokens ?? inputEstimate;
      return {
        predictions: response.vectors.map((vector, index) => ({
          embeddings: {
            values: asFloats(vector),
            statistics: { token_count: index === 0 ? tokens : 0, truncated: false },
          },
        })),
      };
    },
  },
  passthrough: {
    render: (wire, { model }) => ({ path: callPath(model, verb), body: wire }),
  },
  error: geminiErrors,
};
