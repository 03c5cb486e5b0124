// The dialect of text embeddings on Vertex: instances in, predictions out. No client speaks it to the gateway.
import { Type } from "typebox";
import type { EmbedAnswer, EmbedAsk } from "../../canonical/embedding.ts";
import { compact, isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { Dialect, Envelope, ReadContext, RenderContext, Rendered } from "../dialect.ts";
import { badReply } from "../errors.ts";
import { geminiErrors } from "../gemini/error.ts";
import { callPath, modelIn } from "../gemini/request.ts";
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

function parseRequest(wire: JsonObject, { params }: Envelope): EmbedAsk {
  const instances = objectsIn(wire.instances);
  const [first] = instances;
  const parameters = isObject(wire.parameters) ? wire.parameters : {};
  return {
    ...bare,
    model: modelIn(params.model ?? ""),
    input: readInput(
      instances.map((instance) => instance.content as Json),
      "instances",
    ),
    format: "float",
    extras: unknownFields(wire, known),
    ...readDimensions(parameters.outputDimensionality),
    ...readPurpose(first?.task_type),
    ...(typeof first?.title === "string" ? { title: first.title } : {}),
  };
}

function renderRequest(ask: EmbedAsk, context: RenderContext): Rendered {
  return renderedAs(callPath(context.model, verb), ask, context, ["endUser"], (notes) => ({
    instances: textsOf(ask.input, context).map((content) =>
      compact({ content, ...renderPurpose(ask, vocabularies.vertex, notes), title: ask.title }),
    ),
    parameters: compact({ outputDimensionality: ask.dimensions }),
  }));
}

/** The tokens of all texts; nothing where one is not counted. */
function tokensOf(items: readonly JsonObject[]): Json | undefined {
  const counts = items.map(({ statistics }) => (isObject(statistics) ? statistics.token_count : undefined));
  return counts.every((count) => typeof count === "number") ? counts.reduce((sum, count) => sum + count, 0) : undefined;
}

function parseReply(wire: unknown, { ask }: ReadContext): EmbedAnswer {
  if (!isObject(wire) || !Array.isArray(wire.predictions)) throw badReply("there is no list of predictions");
  const items = objectsIn(wire.predictions).map(({ embeddings }) => (isObject(embeddings) ? embeddings : {}));
  const vectors = items.map((item, index) => readVector(item.values, `predictions[${index}].embeddings.values`));
  return {
    operation: "embed",
    model: "",
    vectors: unitVectors(vectors, ask),
    ...inputUsage(tokensOf(items)),
  };
}

export const vertexEmbeddings: Dialect<EmbedAsk, EmbedAnswer> = {
  name: "vertex-embeddings",
  operation: "embed",
  request: {
    schema,
    parse: parseRequest,
    render: renderRequest,
    mostItems: ({ model }) => (oneByOne.test(model) ? 1 : mostInstances),
    fieldPath: pathsWith({
      input: "instances",
      dimensions: "parameters.outputDimensionality",
      purpose: "instances[0].task_type",
      title: "instances[0].title",
    }),
  },
  response: {
    parse: parseReply,
    render: (answer, { inputEstimate }) => {
      const tokens = answer.usage?.inputTokens ?? inputEstimate;
      return {
        predictions: answer.vectors.map((vector, index) => ({
          embeddings: {
            values: asFloats(vector),
            statistics: { token_count: index === 0 ? tokens : 0, truncated: false },
          },
        })),
      };
    },
  },
  verbatim: {
    call: (wire, { model }) => ({ path: callPath(model, verb), body: wire }),
  },
  error: geminiErrors,
};
