// The dialect of Jina's embeddings: OpenAI's reply to a request of its own. No client speaks it to the gateway.
import { Type } from "typebox";
import type { EmbeddingRequest, EmbeddingResponse } from "../../canonical/embedding.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Dialect, RenderContext, RenderedRequest } from "../dialect.ts";
import { object, optional } from "../schema-helpers.ts";
import { errorsWith } from "../vendor-errors.ts";
import { mostItems, readInput, textsOf, unknownFields } from "./embedding-input.ts";
import { parseReply, renderReply } from "./openai-response.ts";
import { readPurpose, renderPurpose, vocabularies } from "./task-type.ts";
import { bare, bodyLane, pathsWith, readDimensions, renderedAs } from "./upstream-embeddings.ts";

/** https://jina.ai/embeddings */
const path = "embeddings";
const known = new Set(["model", "input", "task", "dimensions", "embedding_type"]);

const schema = object({
  model: Type.String({ minLength: 1 }),
  input: Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1, maxItems: mostItems })]),
  task: optional("string"),
  dimensions: optional("integer", { minimum: 1 }),
  embedding_type: optional(["string", "array"]),
});

function parseRequest(wire: JsonObject): EmbeddingRequest {
  return {
    ...bare,
    model: wire.model as string,
    input: readInput(wire.input, "input"),
    format: wire.embedding_type === "base64" ? "base64" : "float",
    unmappedFields: unknownFields(wire, known),
    ...readDimensions(wire.dimensions),
    ...readPurpose(wire.task),
  };
}

function renderRequest(request: EmbeddingRequest, context: RenderContext): RenderedRequest {
  return renderedAs(path, request, context, ["title", "endUser"], (warnings) => ({
    model: context.model,
    input: textsOf(request.input, context),
    ...renderPurpose(request, vocabularies.jina, warnings),
    dimensions: request.dimensions,
    embedding_type: request.format,
  }));
}

export const jinaEmbeddings: Dialect<EmbeddingRequest, EmbeddingResponse> = {
  name: "jina-embeddings",
  operation: "embed",
  request: {
    schema,
    parse: parseRequest,
    render: renderRequest,
    maxItems: () => mostItems,
    fieldPath: pathsWith({ purpose: "task" }),
  },
  response: { parse: parseReply, render: renderReply },
  passthrough: bodyLane(path),
  error: errorsWith(),
};
