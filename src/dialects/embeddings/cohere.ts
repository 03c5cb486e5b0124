// The dialect of Cohere's embed, second version: texts in, vectors by their type out. No client speaks it to the gateway.
import { Type } from "typebox";
import type { EmbeddingRequest, EmbeddingResponse } from "../../canonical/embedding.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { Dialect, RenderContext, RenderedRequest } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { enumeration, object, optional } from "../schema-helpers.ts";
import { cohereErrors } from "../vendor-errors.ts";
import { readInput, textsOf, unknownFields } from "./embedding-input.ts";
import { readPurpose, renderPurpose, vocabularies } from "./task-type.ts";
import { bare, bodyLane, pathsWith, readDimensions, renderedAs } from "./upstream-embeddings.ts";
import { asFloats, inputUsage, readVectors } from "./vector-encoding.ts";

/** https://docs.cohere.com/reference/embed */
const path = "v2/embed";
const mostTexts = 96;
const known = new Set(["model", "texts", "input_type", "embedding_types", "output_dimension"]);

const schema = object({
  model: Type.String({ minLength: 1 }),
  texts: Type.Array(Type.String(), { minItems: 1, maxItems: mostTexts }),
  input_type: enumeration(["search_document", "search_query", "classification", "clustering", "image"]),
  embedding_types: optional("array", { items: { type: "string" } }),
  output_dimension: optional("integer", { minimum: 1 }),
});

function parseRequest(wire: JsonObject): EmbeddingRequest {
  return {
    ...bare,
    model: wire.model as string,
    input: readInput(wire.texts, "texts"),
    format: Array.isArray(wire.embedding_types) && wire.embedding_types[0] === "base64" ? "base64" : "float",
    unmappedFields: unknownFields(wire, known),
    ...readDimensions(wire.output_dimension),
    ...readPurpose(wire.input_type),
  };
}

function renderRequest(request: EmbeddingRequest, context: RenderContext): RenderedRequest {
  return renderedAs(path, request, context, ["title", "endUser"], (warnings) => ({
    model: context.model,
    texts: textsOf(request.input, context),
    ...renderPurpose(request, vocabularies.cohere, warnings),
    embedding_types: ["float"],
    output_dimension: request.dimensions,
  }));
}

function parseReply(wire: unknown): EmbeddingResponse {
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

export const cohereEmbeddings: Dialect<EmbeddingRequest, EmbeddingResponse> = {
  name: "cohere-embeddings",
  operation: "embed",
  request: {
    schema,
    parse: parseRequest,
    render: renderRequest,
    maxItems: () => mostTexts,
    fieldPath: pathsWith({
      input: "texts",
      dimensions: "output_dimension",
      purpose: "input_type",
    }),
  },
  response: {
    parse: parseReply,
    render: (response, { id, inputEstimate }) => ({
      id,
      embeddings: { float: response.vectors.map(asFloats) },
      meta: {
        api_version: { version: "2" },
        billed_units: { input_tokens: response.usage?.inputTokens ?? inputEstimate },
      },
    }),
  },
  passthrough: bodyLane(path),
  error: cohereErrors,
};
