// The dialects of Google's embedContent and batchEmbedContents: contents in, vectors as numbers out.
import { Type } from "typebox";
import type { EmbeddingRequest, EmbeddingResponse, Vector } from "../../canonical/embedding.ts";
import type { UnmappedField } from "../../canonical/warning.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { Dialect, ReadContext, RequestMeta, WriteContext } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { fieldPaths } from "../field-table.ts";
import { geminiErrors } from "../gemini/error.ts";
import { callPath, modelFromPath } from "../gemini/request.ts";
import { renderer } from "../render-fields.ts";
import { object } from "../schema-helpers.ts";
import { objectsIn } from "../shared/json-accessors.ts";
import { dividedWire, type EmbeddingTable, madeHere, maxItems, noUser, textsIn, textsOnly } from "./fields.ts";
import { type Item, itemFields, itemMembers, readItem, renderItem } from "./gemini-content.ts";
import { asFloats, inputUsage, readVector, unitVectors } from "./vectors.ts";

const oneVerb = "embedContent";
const batchVerb = "batchEmbedContents";
/** https://ai.google.dev/api/embeddings#method:-models.batchembedcontents */
const mostRequests = 100;

const modelOf = ({ params }: RequestMeta): string => modelFromPath(params.model ?? "");

function askOf(model: string, items: readonly Item[], extras: readonly UnmappedField[]): EmbeddingRequest {
  const [first] = items;
  const { dimensions, purpose, title } = first ?? {};
  return {
    operation: "embed",
    stream: false,
    model,
    input: { kind: "texts", texts: items.map(({ text }) => text) },
    format: "float",
    unmappedFields: [...items.flatMap((item) => item.extras), ...extras],
    ...(dimensions === undefined ? {} : { dimensions }),
    ...(purpose === undefined ? {} : { purpose }),
    ...(title === undefined ? {} : { title }),
  };
}

/** Members that differ between the requests of a batch. Other formats have them once for all items. */
function differences(items: readonly Item[]): UnmappedField[] {
  return items.flatMap((item, index): UnmappedField[] => {
    const at = `requests[${index}]`;
    return [
      ...(item.dimensions === items[0]?.dimensions
        ? []
        : [{ path: `${at}.outputDimensionality`, rule: "reject" } as const]),
      ...(item.purpose === items[0]?.purpose ? [] : [{ path: `${at}.taskType`, rule: "reject" } as const]),
      ...(item.title === items[0]?.title ? [] : [{ path: `${at}.title`, rule: "warn" } as const]),
    ];
  });
}

function parseOne(wire: JsonObject, envelope: RequestMeta): EmbeddingRequest {
  return askOf(modelOf(envelope), [readItem(wire, "")], []);
}

function parseBatch(wire: JsonObject, envelope: RequestMeta): EmbeddingRequest {
  const items = objectsIn(wire.requests).map((request, index) => readItem(request, `requests[${index}].`));
  return askOf(modelOf(envelope), items, differences(items));
}

/** Every request of a batch contains its model. */
const named = (model: string, request: JsonObject): JsonObject => ({
  model: `models/${modelFromPath(model)}`,
  ...request,
});

const carried = (name: string) => ({ path: name, carriedBy: "input" }) as const;
/** The members of a batch request, which are parsed and rendered together. */
const batchFields: EmbeddingTable = {
  input: {
    path: "requests",
    limit: textsOnly,
    renderMembers: (setting) => ({
      requests: textsIn(setting.request.input).map((text) =>
        named(setting.warnings.context.model, renderItem(text, setting)),
      ),
    }),
  },
  dimensions: carried("requests[0].outputDimensionality"),
  purpose: carried("requests[0].taskType"),
  title: carried("requests[0].title"),
  format: madeHere,
  unit: madeHere,
  endUser: noUser,
};

function answerOf(wire: JsonObject, list: readonly Json[], { request }: ReadContext): EmbeddingResponse {
  const vectors = list.map((item, index) =>
    readVector(isObject(item) ? item.values : undefined, `embeddings[${index}].values`),
  );
  const counts = isObject(wire.usageMetadata) ? wire.usageMetadata : {};
  return {
    operation: "embed",
    model: "",
    vectors: unitVectors(vectors, request),
    ...inputUsage(counts.promptTokenCount ?? counts.totalTokenCount),
  };
}

function parseBatchReply(wire: unknown, context: ReadContext): EmbeddingResponse {
  if (!isObject(wire) || !Array.isArray(wire.embeddings))
    throw invalidUpstreamResponse("the response has no list of embeddings");
  return answerOf(wire, wire.embeddings, context);
}

function parseOneReply(wire: unknown, context: ReadContext): EmbeddingResponse {
  if (!isObject(wire) || wire.embedding === undefined) throw invalidUpstreamResponse("the response has no embedding");
  return answerOf(wire, [wire.embedding], context);
}

const valuesOf = (vector: Vector): JsonObject => ({ values: asFloats(vector) });

function usageMetadata({ usage }: EmbeddingResponse, { inputEstimate }: WriteContext): JsonObject {
  return { promptTokenCount: usage?.inputTokens ?? inputEstimate };
}

export const geminiBatchEmbeddings: Dialect<EmbeddingRequest, EmbeddingResponse> = {
  name: "gemini-batch-embeddings",
  operation: "embed",
  request: {
    schema: object({
      requests: Type.Array(object(itemMembers), {
        minItems: 1,
        maxItems,
        description: "One request per embedding.",
      }),
    }),
    parse: parseBatch,
    fields: batchFields,
    render: renderer(batchFields, { path: ({ model }) => callPath(model, batchVerb) }),
    maxItems: () => mostRequests,
    fieldPath: fieldPaths(batchFields),
  },
  response: {
    parse: parseBatchReply,
    render: (response, context) => ({
      embeddings: response.vectors.map(valuesOf),
      usageMetadata: usageMetadata(response, context),
    }),
  },
  passthrough: {
    render: (wire, { model }) => ({
      path: callPath(model, batchVerb),
      body: { ...wire, requests: objectsIn(wire.requests).map((request) => ({ ...request, ...named(model, {}) })) },
    }),
    splitBatch: (wire, most) => dividedWire(wire, "requests", most),
  },
  error: geminiErrors,
};

export const geminiEmbeddings: Dialect<EmbeddingRequest, EmbeddingResponse> = {
  name: "gemini-embeddings",
  operation: "embed",
  variantOf: geminiBatchEmbeddings as unknown as Dialect,
  request: {
    schema: object(itemMembers),
    parse: parseOne,
    fields: itemFields,
    render: renderer(itemFields, { path: ({ model }) => callPath(model, oneVerb) }),
    maxItems: () => 1,
    fieldPath: fieldPaths(itemFields),
  },
  response: {
    parse: parseOneReply,
    render: (response, context) =>
      omitUndefined({
        embedding: valuesOf(response.vectors[0] ?? []),
        usageMetadata: usageMetadata(response, context),
      }),
  },
  passthrough: {
    render: (wire, { model }) => ({ path: callPath(model, oneVerb), body: { ...wire, ...named(model, {}) } }),
  },
  error: geminiErrors,
};
