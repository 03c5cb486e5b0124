// The dialect of OpenAI's embeddings: strings or token ids in, vectors as numbers or as base64 float32 out.
import { Type } from "typebox";
import type { EmbeddingInput, EmbeddingRequest, EmbeddingResponse } from "../../canonical/embedding.ts";
import { type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { Dialect, RenderContext, RenderedRequest, UpstreamRequest } from "../dialect.ts";
import { unsupported } from "../errors.ts";
import { openaiErrors } from "../openai-error.ts";
import { dividedWire, mostItems, readInput, unknownFields } from "./embedding-input.ts";
import { parseReply, patchReply, renderReply } from "./openai-response.ts";
import { purposeOf, readPurpose } from "./task-type.ts";
import { pathsWith, readDimensions, renderedAs } from "./upstream-embeddings.ts";

const path = "embeddings";
const tokenIds = Type.Array(Type.Integer({ minimum: 0 }));

const schema = Type.Object(
  {
    model: Type.String({ minLength: 1, description: "Model id." }),
    input: Type.Union(
      [Type.String(), Type.Array(Type.Union([Type.String(), Type.Integer({ minimum: 0 }), tokenIds]))],
      {
        description: "Text, texts, token ids or arrays of token ids.",
      },
    ),
    encoding_format: Type.Optional(
      Type.Union([Type.Enum(["float", "base64"]), Type.Null()], {
        default: "float",
        description: "Form of each vector.",
      }),
    ),
    dimensions: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], { description: "Length of each vector." }),
    ),
    user: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: "End user id." })),
  },
  { additionalProperties: true },
);

const known = new Set(["model", "input", "encoding_format", "dimensions", "user"]);
/** Fields of other makers in which clients say what the vectors are for; the first that says it counts. */
const purposeFields = ["input_type", "task", "task_type", "text_type"] as const;

const saidPurpose = (wire: JsonObject): string | undefined =>
  purposeFields.find((field) => purposeOf(wire[field]) !== undefined);

const formatOf = (wire: JsonObject): EmbeddingRequest["format"] =>
  wire.encoding_format === "base64" ? "base64" : "float";

function parseRequest(wire: JsonObject): EmbeddingRequest {
  const purpose = saidPurpose(wire);
  return {
    operation: "embed",
    model: wire.model as string,
    stream: false,
    input: readInput(wire.input, "input"),
    format: formatOf(wire),
    unit: true,
    unmappedFields: unknownFields(wire, purpose === undefined ? known : new Set([...known, purpose])),
    ...readDimensions(wire.dimensions),
    ...(purpose === undefined ? {} : readPurpose(wire[purpose])),
    ...(typeof wire.user === "string" ? { endUser: wire.user } : {}),
  };
}

function refuseTokens(input: EmbeddingInput, { options, fieldPath }: RenderContext): void {
  if (input.kind === "tokens" && options?.embeddings?.textsOnly)
    throw unsupported(fieldPath("input"), "this model accepts text only, not token IDs.");
}

/** Where the field would be ignored, another dialect of the same servers is asked. */
function refusePurpose(wire: JsonObject, { options }: RenderContext): void {
  const said = options?.embeddings?.purposeElsewhere ? saidPurpose(wire) : undefined;
  if (said !== undefined) throw unsupported(said, "this model ignores it.");
}

function wireInput(input: EmbeddingInput): Json {
  if (input.kind === "texts") return [...input.texts];
  return input.tokens.map((ids) => [...ids]);
}

function renderRequest(request: EmbeddingRequest, context: RenderContext): RenderedRequest {
  refuseTokens(request.input, context);
  return renderedAs(path, request, context, ["purpose", "title"], () => ({
    model: context.model,
    input: wireInput(request.input),
    encoding_format: context.options?.embeddings?.floatsOnly ? "float" : request.format,
    dimensions: request.dimensions,
    user: request.endUser,
  }));
}

function verbatimCall(wire: JsonObject, context: RenderContext): UpstreamRequest {
  refusePurpose(wire, context);
  if (context.options?.embeddings?.textsOnly) refuseTokens(readInput(wire.input, "input"), context);
  const form = context.options?.embeddings?.floatsOnly && wire.encoding_format ? { encoding_format: "float" } : {};
  return { path, body: omitUndefined({ ...wire, ...form, model: context.model }) };
}

export const openaiEmbeddings: Dialect<EmbeddingRequest, EmbeddingResponse> = {
  name: "openai-embeddings",
  operation: "embed",
  request: {
    schema,
    parse: parseRequest,
    render: renderRequest,
    maxItems: ({ options }) => options?.embeddings?.mostItems ?? mostItems,
    fieldPath: pathsWith({ endUser: "user", purpose: "input_type" }),
  },
  response: { parse: parseReply, render: renderReply },
  passthrough: {
    render: verbatimCall,
    splitBatch: (wire, most) => dividedWire(wire, "input", most),
    normalize: (reply, wire, context) => patchReply(reply, formatOf(wire), context),
    withUsage: (reply, { inputTokens }) => ({
      ...reply,
      usage: { prompt_tokens: inputTokens, total_tokens: inputTokens },
    }),
  },
  error: openaiErrors,
};
