// OpenAI's embeddings: strings or token ids in, vectors as numbers or as base64 float32 out.
import { Type } from "typebox";
import type { EmbeddingInput, EmbeddingRequest, EmbeddingResponse } from "../../canonical/embedding.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { Dialect, RenderContext, UpstreamRequest, WriteContext } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { fieldPaths, ignored, type Reading, rejected, type WireMembers } from "../field-table.ts";
import { openaiErrors } from "../openai-error.ts";
import { fieldReader, requestSchema } from "../read-fields.ts";
import { renderer } from "../render-fields.ts";
import { enumeration, optional } from "../schema-helpers.ts";
import { objectsIn } from "../shared/json-accessors.ts";
import { lose, newWarnings } from "../shared/warnings.ts";
import {
  dividedWire,
  type EmbeddingTable,
  maxItems,
  noPurpose,
  noTitle,
  noTokens,
  readInput,
  textsOnly,
} from "./fields.ts";
import { purposeOf } from "./tasks.ts";
import { inForm, inputUsage, readVector } from "./vectors.ts";

const path = "embeddings";
const tokenIds = Type.Array(Type.Integer({ minimum: 0 }));
/** Fields of other vendors for the purpose of the vectors; the first one present is used. */
const purposeFields = ["input_type", "task", "task_type", "text_type"] as const;

/** A purpose that this dialect would ignore is refused here, so that another dialect of the same server is used. */
const ignoredPurpose = rejected("this model ignores it.");

const purposeField = (wire: JsonObject): string | undefined =>
  purposeFields.find((field) => purposeOf(wire[field]) !== undefined);

/** The member that sets the purpose is mapped; the others are not. */
function readPurpose({ wire, unmapped }: Reading): Pick<EmbeddingRequest, "purpose"> {
  const usedField = purposeField(wire);
  const found = unmapped.findIndex((member) => member.path === usedField);
  if (found >= 0) unmapped.splice(found, 1);
  const { [purposeFields[0]]: first } = wire;
  if (usedField !== purposeFields[0] && first !== undefined && first !== null)
    unmapped.push({ path: purposeFields[0], rule: "warn" });
  const purpose = usedField === undefined ? undefined : purposeOf(wire[usedField]);
  return purpose === undefined ? {} : { purpose };
}

const formatOf = (wire: JsonObject): EmbeddingRequest["format"] =>
  wire.encoding_format === "base64" ? "base64" : "float";

function wireInput(input: EmbeddingInput): Json {
  if (input.kind === "texts") return [...input.texts];
  return input.tokens.map((ids) => [...ids]);
}

const fields: EmbeddingTable = {
  input: {
    path: "input",
    schema: Type.Union(
      [Type.String(), Type.Array(Type.Union([Type.String(), Type.Integer({ minimum: 0 }), tokenIds]))],
      { description: "Text to embed: a string, an array of strings, or token IDs." },
    ),
    parseMembers: ({ wire }) => ({ input: readInput(wire.input, "input") }),
    limit: (setting, input) =>
      setting.warnings.context.options?.embeddings?.textsOnly ? textsOnly?.(setting, input) : undefined,
    render: wireInput,
  },
  format: {
    path: "encoding_format",
    schema: enumeration(["float", "base64"], { default: "float", description: "Format of the embeddings." }),
    parseMembers: ({ wire }) => ({ format: formatOf(wire) }),
    render: (format, { warnings }) => (warnings.context.options?.embeddings?.floatsOnly ? "float" : format),
  },
  dimensions: {
    path: "dimensions",
    schema: optional("integer", { minimum: 1, description: "Number of dimensions of each embedding." }),
  },
  endUser: { path: "user", schema: optional("string", { description: "An identifier of the end user." }) },
  purpose: {
    path: purposeFields[0],
    parseMembers: readPurpose,
    limit: ({ warnings }) => (warnings.context.options?.embeddings?.purposeElsewhere ? ignoredPurpose : noPurpose),
  },
  title: noTitle,
  unit: ignored("vectors of OpenAI's models have unit length"),
};

const members: WireMembers = {
  model: { schema: Type.String({ minLength: 1, description: "ID of the model to use." }), lost: null },
};

const readFields = fieldReader(fields, members);

/** Clients rely on vectors of unit length, and always send input and format. */
function parseRequest(wire: JsonObject): EmbeddingRequest {
  const { fields: read, unmappedFields } = readFields(wire);
  return {
    ...{ operation: "embed", model: wire.model as string, stream: false, unit: true },
    ...(read as Pick<EmbeddingRequest, "input" | "format">),
    unmappedFields,
  };
}

/** Applies the same refusals to passthrough as the rows do to translation. */
function refuseIgnored(wire: JsonObject, context: RenderContext): void {
  const { purposeElsewhere, textsOnly: hasTextsOnly } = context.options?.embeddings ?? {};
  const usedField = purposeElsewhere ? purposeField(wire) : undefined;
  if (usedField !== undefined) lose(newWarnings(context), ignoredPurpose, usedField);
  const isTokens = hasTextsOnly && readInput(wire.input, "input").kind === "tokens";
  if (isTokens) lose(newWarnings(context), noTokens, context.fieldPath("input"));
}

function passthroughRequest(wire: JsonObject, context: RenderContext): UpstreamRequest {
  refuseIgnored(wire, context);
  const form = context.options?.embeddings?.floatsOnly && wire.encoding_format ? { encoding_format: "float" } : {};
  return { path, body: omitUndefined({ ...wire, ...form, model: context.model }) };
}

const position = ({ index }: JsonObject): number => (typeof index === "number" ? index : 0);

/** Items in the order of their `index`. */
function inOrder(data: readonly Json[]): JsonObject[] {
  const items = data.map((item) => (isObject(item) ? item : {}));
  return items.sort((left, right) => position(left) - position(right));
}

/** Throws `upstream_protocol_error` for an item without a vector. */
export function parseResponse(wire: unknown): EmbeddingResponse {
  if (!isObject(wire) || !Array.isArray(wire.data))
    throw invalidUpstreamResponse("the response has no list of embeddings");
  const usage = isObject(wire.usage) ? wire.usage : {};
  return {
    operation: "embed",
    model: typeof wire.model === "string" ? wire.model : "",
    vectors: inOrder(wire.data).map(({ embedding }, index) => readVector(embedding, `data[${index}].embedding`)),
    ...inputUsage(usage.prompt_tokens ?? usage.total_tokens),
  };
}

/** The reply in the requested format. */
function renderResponse(response: EmbeddingResponse, context: WriteContext): JsonObject {
  const request = context.request as EmbeddingRequest;
  const tokens = response.usage?.inputTokens ?? context.inputEstimate;
  return {
    object: "list",
    data: response.vectors.map((vector, index) => ({
      object: "embedding",
      index,
      embedding: inForm(vector, request.format),
    })),
    model: response.model === "" ? request.model : response.model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

/** Whether a reply has every member that clients read, in order and in the requested format. */
function isWhole({ object, model, data, usage }: JsonObject, format: EmbeddingRequest["format"]): boolean {
  const wanted = format === "base64" ? "string" : "object";
  const isCounted =
    isObject(usage) && typeof usage.prompt_tokens === "number" && typeof usage.total_tokens === "number";
  if (object !== "list" || typeof model !== "string" || !isCounted || !Array.isArray(data)) return false;
  return data.every(
    (item, index) =>
      isObject(item) && item.object === "embedding" && item.index === index && typeof item.embedding === wanted,
  );
}

/**
 * A reply with every member that clients read; its other members are passed on. The same object when nothing is
 * missing.
 */
function patchResponse(
  reply: JsonObject,
  format: EmbeddingRequest["format"],
  context: WriteContext | undefined,
): JsonObject {
  if (context === undefined || isWhole(reply, format)) return reply;
  const normal = renderResponse(parseResponse(reply), context);
  const items = inOrder(Array.isArray(reply.data) ? reply.data : []);
  const data = objectsIn(normal.data).map((item, index) => ({ ...items[index], ...item }));
  const usage = { ...(normal.usage as JsonObject), ...(isObject(reply.usage) ? reply.usage : {}) };
  return { ...reply, ...normal, data, usage };
}

export const openaiEmbeddings: Dialect<EmbeddingRequest, EmbeddingResponse> = {
  name: "openai-embeddings",
  operation: "embed",
  request: {
    fields,
    schema: requestSchema(fields, members),
    parse: parseRequest,
    render: renderer(fields, { path: () => path, members: ({ model }) => ({ model }) }),
    maxItems: ({ options }) => options?.embeddings?.mostItems ?? maxItems,
    fieldPath: fieldPaths(fields),
  },
  response: { parse: parseResponse, render: renderResponse },
  passthrough: {
    render: passthroughRequest,
    splitBatch: (wire, most) => dividedWire(wire, "input", most),
    normalize: (reply, wire, context) => patchResponse(reply, formatOf(wire), context),
    withUsage: (reply, { inputTokens }) => ({
      ...reply,
      usage: { prompt_tokens: inputTokens, total_tokens: inputTokens },
    }),
  },
  error: openaiErrors,
};
