// The dialect of Text Embeddings Inference's own embed: texts in, a bare list of vectors out. No client speaks it to the gateway.
import { Type } from "typebox";
import type { EmbedAnswer, EmbedAsk } from "../../canonical/embedding.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import type { Dialect, Envelope, RenderContext, Rendered } from "../dialect.ts";
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
function parseRequest(wire: JsonObject, { params }: Envelope): EmbedAsk {
  return {
    ...bare,
    model: params.model ?? "",
    input: readInput(wire.inputs, "inputs"),
    format: "float",
    extras: unknownFields(wire, known),
    ...readDimensions(wire.dimensions),
  };
}

function renderRequest(ask: EmbedAsk, context: RenderContext): Rendered {
  return renderedAs(path, ask, context, ["purpose", "title", "endUser"], () => ({
    inputs: textsOf(ask.input, context),
    normalize: true,
    dimensions: ask.dimensions,
  }));
}

function parseReply(wire: unknown): EmbedAnswer {
  return { operation: "embed", model: "", vectors: readVectors(wire as Json | undefined, "") };
}

export const teiEmbeddings: Dialect<EmbedAsk, EmbedAnswer> = {
  name: "tei-embeddings",
  operation: "embed",
  request: {
    schema,
    parse: parseRequest,
    render: renderRequest,
    mostItems: ({ options }) => options?.embeddings?.mostItems ?? mostTexts,
    fieldPath: pathsWith({ input: "inputs" }),
  },
  response: {
    parse: parseReply,
    // The one reply without an object around it.
    render: (answer) => answer.vectors.map(asFloats) as unknown as JsonObject,
  },
  verbatim: { call: (wire) => ({ path, body: wire }) },
  // 424: the model failed, and nothing is wrong with the request. 429: the server's queue is full.
  error: errorsWith({ statuses: { 424: 500, 429: 503 } }),
};
