// The dialect of Voyage's embeddings: OpenAI's reply to a request of its own. No client speaks it to the gateway.
import { Type } from "typebox";
import type { EmbedAnswer, EmbedAsk } from "../../canonical/embedding.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Dialect, RenderContext, Rendered } from "../dialect.ts";
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

function parseRequest(wire: JsonObject): EmbedAsk {
  return {
    ...bare,
    model: wire.model as string,
    input: readInput(wire.input, "input"),
    format: wire.encoding_format === "base64" ? "base64" : "float",
    extras: unknownFields(wire, known),
    ...readDimensions(wire.output_dimension),
    ...readPurpose(wire.input_type),
  };
}

/** Numbers are what it gives when nothing is said; it knows no word for them. */
function renderRequest(ask: EmbedAsk, context: RenderContext): Rendered {
  return renderedAs(path, ask, context, ["title", "endUser"], (notes) => ({
    model: context.model,
    input: textsOf(ask.input, context),
    ...renderPurpose(ask, vocabularies.voyage, notes),
    output_dimension: ask.dimensions,
    encoding_format: ask.format === "base64" ? "base64" : undefined,
  }));
}

export const voyageEmbeddings: Dialect<EmbedAsk, EmbedAnswer> = {
  name: "voyage-embeddings",
  operation: "embed",
  request: {
    schema,
    parse: parseRequest,
    render: renderRequest,
    mostItems: () => mostTexts,
    fieldPath: pathsWith({
      dimensions: "output_dimension",
      purpose: "input_type",
      encodingFormat: "encoding_format",
    }),
  },
  response: { parse: parseReply, render: renderReply },
  verbatim: bodyLane(path),
  error: errorsWith(),
};
