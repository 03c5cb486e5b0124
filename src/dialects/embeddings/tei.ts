// The dialect of Text Embeddings Inference's own embed: texts in, a bare list of vectors out. No client speaks it to the gateway.
import { Type } from "typebox";
import type { EmbeddingRequest, EmbeddingResponse } from "../../canonical/embedding.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import type { Dialect, RenderContext, RenderedRequest, RequestMeta } from "../dialect.ts";
import { object, optional } from "../schema-helpers.ts";
import { errorsWith } from "../vendor-errors.ts";
import { readInput, textsOf, unknownFields } from "./embedding-input.ts";
import { bare, pathsWith, readDimensions, renderedAs } from "./upstream-embeddings.ts";
import { asFloats, readVectors } from "./vector-encoding.ts";

/** https://huggingface.github.io/text-embeddings-inference */
const path = "embed";
/** What a server takes when it was told nothing else. */
const mostTexts = 32;
const known = new Set(["inputs", "dimensions", "normalize"]);

const schema = object({
  inputs: Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1 })]),
  dimensions: optional("integer", { minimum: 1 }),
  normalize: optional("boolean"),
  truncate: optional("boolean"),
});

/** The wire names no model: a server has one. */
function parseRequest(wire: JsonObject, { params }: RequestMeta): EmbeddingRequest {
  return {
    ...bare,
    model: params.model ?? "",
    input: readInput(wire.inputs, "inputs"),
    format: "float",
    unmappedFields: unknownFields(wire, known),
    ...readDimensions(wire.dimensions),
  };
}

function renderRequest(request: EmbeddingRequest, context: RenderContext): RenderedRequest {
  return renderedAs(path, request, context, ["purpose", "title", "endUser"], () => ({
    inputs: textsOf(request.input, context),
    normalize: true,
    dimensions: request.dimensions,
  }));
}

function parseReply(wire: unknown): EmbeddingResponse {
  return { operation: "embed", model: "", vectors: readVectors(wire as Json | undefined, "") };
}

export const teiEmbeddings: Dialect<EmbeddingRequest, EmbeddingResponse> = {
  name: "tei-embeddings",
  operation: "embed",
  request: {
    schema,
    parse: parseRequest,
    render: renderRequest,
    maxItems: ({ options }) => options?.embeddings?.mostItems ?? mostTexts,
    fieldPath: pathsWith({ input: "inputs" }),
  },
  response: {
    parse: parseReply,
    // The one reply without an object around it.
    render: (response) => response.vectors.map(asFloats) as unknown as JsonObject,
  },
  passthrough: { render: (wire) => ({ path, body: wire }) },
  // 424: the model failed, and nothing is wrong with the request. 429: the server's queue is full.
  error: errorsWith({ statuses: { 424: 500, 429: 503 } }),
};
