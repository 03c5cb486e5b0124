// The dialect of Cohere's embed, second version: texts in, vectors by their type out. No client speaks it to the gateway.
import { Type } from "typebox";
import type { EmbedAnswer, EmbedAsk } from "../../canonical/embedding.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { Dialect, RenderContext, Rendered } from "../dialect.ts";
import { badReply } from "../errors.ts";
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

function parseRequest(wire: JsonObject): EmbedAsk {
  return {
    ...bare,
    model: wire.model as string,
    input: readInput(wire.texts, "texts"),
    format: Array.isArray(wire.embedding_types) && wire.embedding_types[0] === "base64" ? "base64" : "float",
    extras: unknownFields(wire, known),
    ...readDimensions(wire.output_dimension),
    ...readPurpose(wire.input_type),
  };
}

function renderRequest(ask: EmbedAsk, context: RenderContext): Rendered {
  return renderedAs(path, ask, context, ["title", "endUser"], (notes) => ({
    model: context.model,
    texts: textsOf(ask.input, context),
    ...renderPurpose(ask, vocabularies.cohere, notes),
    embedding_types: ["float"],
    output_dimension: ask.dimensions,
  }));
}

function parseReply(wire: unknown): EmbedAnswer {
  const embeddings = isObject(wire) ? wire.embeddings : undefined;
  if (!isObject(wire) || embeddings === undefined) throw badReply("there is no list of embeddings");
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

export const cohereEmbeddings: Dialect<EmbedAsk, EmbedAnswer> = {
  name: "cohere-embeddings",
  operation: "embed",
  request: {
    schema,
    parse: parseRequest,
    render: renderRequest,
    mostItems: () => mostTexts,
    fieldPath: pathsWith({
      input: "texts",
      dimensions: "output_dimension",
      purpose: "input_type",
      encodingFormat: "embedding_types",
    }),
  },
  response: {
    parse: parseReply,
    render: (answer, { id, inputEstimate }) => ({
      id,
      embeddings: { float: answer.vectors.map(asFloats) },
      meta: {
        api_version: { version: "2" },
        billed_units: { input_tokens: answer.usage?.inputTokens ?? inputEstimate },
      },
    }),
  },
  verbatim: bodyLane(path),
  error: cohereErrors,
};
