// The dialect of DashScope's own text embeddings. No client speaks it to the gateway.
import { Type } from "typebox";
import type { EmbeddingRequest, EmbeddingResponse } from "../../canonical/embedding.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { Dialect, RenderContext, RenderedRequest } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { enumeration, object, optional } from "../schema-helpers.ts";
import { errorsWith } from "../vendor-errors.ts";
import { readInput, textsOf, unknownFields } from "./embedding-input.ts";
import { readPurpose, renderPurpose, vocabularies } from "./task-type.ts";
import { bare, bodyLane, pathsWith, readDimensions, renderedAs } from "./upstream-embeddings.ts";
import { asFloats, inputUsage, readVector } from "./vector-encoding.ts";

/** https://help.aliyun.com/zh/model-studio/text-embedding-synchronous-api */
const path = "api/v1/services/embeddings/text-embedding/text-embedding";
const mostTexts = 10;

const schema = object({
  model: Type.String({ minLength: 1 }),
  input: object({ texts: Type.Array(Type.String(), { minItems: 1 }) }),
  parameters: optional("object", {
    properties: {
      text_type: enumeration(["query", "document"]),
      dimension: optional("integer", { minimum: 1 }),
      output_type: optional("string"),
    },
  }),
});

const known = new Set(["model", "input", "parameters"]);
const knownParameters = new Set(["text_type", "dimension"]);

function parseRequest(wire: JsonObject): EmbeddingRequest {
  const input = isObject(wire.input) ? wire.input : {};
  const parameters = isObject(wire.parameters) ? wire.parameters : {};
  const further = unknownFields(parameters, knownParameters);
  return {
    ...bare,
    model: wire.model as string,
    input: readInput(input.texts, "input.texts"),
    format: "float",
    unmappedFields: [
      ...unknownFields(wire, known),
      ...further.map(({ path: name, rule }) => ({ path: `parameters.${name}`, rule })),
    ],
    ...readDimensions(parameters.dimension),
    ...readPurpose(parameters.text_type),
  };
}

function renderRequest(request: EmbeddingRequest, context: RenderContext): RenderedRequest {
  return renderedAs(path, request, context, ["title", "endUser"], (warnings) => ({
    model: context.model,
    input: { texts: textsOf(request.input, context) },
    parameters: omitUndefined({
      ...renderPurpose(request, vocabularies.dashscope, warnings),
      dimension: request.dimensions,
    }),
  }));
}

const position = (item: Json): number => (isObject(item) && typeof item.text_index === "number" ? item.text_index : 0);

function parseReply(wire: unknown): EmbeddingResponse {
  const output = isObject(wire) && isObject(wire.output) ? wire.output : {};
  if (!isObject(wire) || !Array.isArray(output.embeddings))
    throw invalidUpstreamResponse("the response has no list of embeddings");
  const ordered = [...output.embeddings].sort((left, right) => position(left) - position(right));
  const usage = isObject(wire.usage) ? wire.usage : {};
  return {
    operation: "embed",
    model: "",
    vectors: ordered.map((item, index) =>
      readVector(isObject(item) ? item.embedding : undefined, `output.embeddings[${index}].embedding`),
    ),
    ...inputUsage(usage.total_tokens),
  };
}

export const dashscopeEmbeddings: Dialect<EmbeddingRequest, EmbeddingResponse> = {
  name: "dashscope-embeddings",
  operation: "embed",
  request: {
    schema,
    parse: parseRequest,
    render: renderRequest,
    maxItems: ({ options }) => options?.embeddings?.mostItems ?? mostTexts,
    fieldPath: pathsWith({
      input: "input.texts",
      dimensions: "parameters.dimension",
      purpose: "parameters.text_type",
    }),
  },
  response: {
    parse: parseReply,
    render: (response, { id, inputEstimate }) => ({
      output: {
        embeddings: response.vectors.map((vector, index) => ({ text_index: index, embedding: asFloats(vector) })),
      },
      usage: { total_tokens: response.usage?.inputTokens ?? inputEstimate },
      request_id: id,
    }),
  },
  passthrough: bodyLane(path),
  // The operator's account is in arrears, which is told as a bad request.
  error: errorsWith({ codes: { Arrearage: 402, InvalidApiKey: 401 } }),
};
