// The dialect of Ollama's own embed: texts in, bare vectors and a count out. No client speaks it to the gateway.
import { Type } from "typebox";
import type { EmbeddingRequest, EmbeddingResponse } from "../../canonical/embedding.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { Dialect, RenderContext, RenderedRequest } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { object, optional } from "../schema-helpers.ts";
import { errorsWith } from "../vendor-errors.ts";
import { readInput, textsOf, unknownFields } from "./embedding-input.ts";
import { bare, bodyLane, pathsWith, readDimensions, renderedAs } from "./upstream-embeddings.ts";
import { asFloats, inputUsage, readVectors } from "./vector-encoding.ts";

/** https://docs.ollama.com/api/embed */
const path = "api/embed";
const known = new Set(["model", "input", "dimensions"]);

const schema = object({
  model: Type.String({ minLength: 1 }),
  input: Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1 })]),
  dimensions: optional("integer", { minimum: 1 }),
  truncate: optional("boolean"),
  keep_alive: optional(["string", "number"]),
  options: optional("object"),
});

function parseRequest(wire: JsonObject): EmbeddingRequest {
  return {
    ...bare,
    model: wire.model as string,
    input: readInput(wire.input, "input"),
    format: "float",
    unmappedFields: unknownFields(wire, known),
    ...readDimensions(wire.dimensions),
  };
}

function renderRequest(request: EmbeddingRequest, context: RenderContext): RenderedRequest {
  return renderedAs(path, request, context, ["purpose", "title", "endUser"], () => ({
    model: context.model,
    input: textsOf(request.input, context),
    dimensions: request.dimensions,
  }));
}

function parseReply(wire: unknown): EmbeddingResponse {
  if (!isObject(wire)) throw invalidUpstreamResponse("the response has no list of embeddings");
  return {
    operation: "embed",
    model: typeof wire.model === "string" ? wire.model : "",
    vectors: readVectors(wire.embeddings, "embeddings"),
    ...inputUsage(wire.prompt_eval_count),
  };
}

export const ollamaEmbeddings: Dialect<EmbeddingRequest, EmbeddingResponse> = {
  name: "ollama-embeddings",
  operation: "embed",
  request: { schema, parse: parseRequest, render: renderRequest, fieldPath: pathsWith({}) },
  response: {
    parse: parseReply,
    render: (response, { request, inputEstimate }) => ({
      model: response.model === "" ? request.model : response.model,
      embeddings: response.vectors.map(asFloats),
      prompt_eval_count: response.usage?.inputTokens ?? inputEstimate,
    }),
  },
  passthrough: bodyLane(path),
  error: errorsWith(),
};
