// The dialect of Voyage's embeddings: OpenAI's reply to a request of its own. No client speaks it to the gateway.
import { Type } from "typebox";
import type { EmbeddingRequest, EmbeddingResponse } from "../../canonical/embedding.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Dialect, RenderContext, RenderedRequest } from "../dialect.ts";
import { enumeration, object, optional } from "../schema-helpers.ts";
import { errorsWith } from "../vendor-errors.ts";
import { readInput, textsOf, unknownFields } from "./embedding-input.ts";
import { parseReply, renderReply } from "./openai-response.ts";
import { readPurpose, renderPurpose, vocabularies } from "./task-type.ts";
import { bare, bodyLane, pathsWith, readDimensions, renderedAs } from "./upstream-embeddings.ts";

/** https://docs.voyageai.com/reference/embeddings-api */
const path = "embeddings";
const mostTexts = 1000;
const known = new Set(["model", "input", "input_type", "output_dimension", "encoding_format"]);

const schema = object({
  model: Type.String({ minLength: 1 }),
  input: Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1, maxItems: mostTexts })]),
  input_type: enumeration(["query", "document"]),
  output_dimension: optional("integer", { minimum: 1 }),
  encoding_format: enumeration(["base64"]),
});

function parseRequest(wire: JsonObject): EmbeddingRequest {
  return {
    ...bare,
    model: wire.model as string,
    input: readInput(wire.input, "input"),
    format: wire.encoding_format === "base64" ? "base64" : "float",
    unmappedFields: unknownFields(wire, known),
    ...readDimensions(wire.output_dimension),
    ...readPurpose(wire.input_type),
  };
}

/** Numbers are what it gives when nothing is said; it knows no word for them. */
function renderRequest(request: EmbeddingRequest, context: RenderContext): RenderedRequest {
  return renderedAs(path, request, context, ["title", "endUser"], (warnings) => ({
    model: context.model,
    input: textsOf(request.input, context),
    ...renderPurpose(request, vocabularies.voyage, warnings),
    output_dimension: request.dimensions,
    encoding_format: request.format === "base64" ? "base64" : undefined,
  }));
}

export const voyageEmbeddings: Dialect<EmbeddingRequest, EmbeddingResponse> = {
  name: "voyage-embeddings",
  operation: "embed",
  request: {
    schema,
    parse: parseRequest,
    render: renderRequest,
    maxItems: () => mostTexts,
    fieldPath: pathsWith({
      dimensions: "output_dimension",
      purpose: "input_type",
    }),
  },
  response: { parse: parseReply, render: renderReply },
  passthrough: bodyLane(path),
  error: errorsWith(),
};
