// The dialects of Google's embedContent and batchEmbedContents: contents in, vectors as numbers out.
import { Type } from "typebox";
import type { EmbeddingRequest, EmbeddingResponse, Vector } from "../../canonical/embedding.ts";
import type { UnmappedField } from "../../canonical/warning.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { Dialect, ReadContext, RenderContext, RenderedRequest, RequestMeta, WriteContext } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { geminiErrors } from "../gemini/error.ts";
import { callPath, modelFromPath } from "../gemini/request.ts";
import { object } from "../schema-helpers.ts";
import { objectsIn } from "../shared/json-accessors.ts";
import { dividedWire, mostItems, textsOf } from "./embedding-input.ts";
import { type Item, itemMembers, readItem, renderItem } from "./gemini-content.ts";
import { bare, pathsWith, renderedAs } from "./upstream-embeddings.ts";
import { asFloats, inputUsage, readVector, unitVectors } from "./vector-encoding.ts";

const oneVerb = "embedContent";
const batchVerb = "batchEmbedContents";
/** https://ai.google.dev/api/embeddings#method:-models.batchembedcontents */
const mostRequests = 100;

const modelOf = ({ params }: RequestMeta): string => modelFromPath(params.model ?? "");

function askOf(model: string, items: readonly Item[], extras: readonly UnmappedField[]): EmbeddingRequest {
  const [first] = items;
  const { dimensions, purpose, title } = first ?? {};
  return {
    ...bare,
    model,
    input: { kind: "texts", texts: items.map(({ text }) => text) },
    format: "float",
    unmappedFields: [...items.flatMap((item) => item.extras), ...extras],
    ...(dimensions === undefined ? {} : { dimensions }),
    ...(purpose === undefined ? {} : { purpose }),
    ...(title === undefined ? {} : { title }),
  };
}

/** Members that differ between requests: other wires say them once for all. */
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

/** Every request of a batch names its model. */
const named = (model: string, request: JsonObject): JsonObject => ({
  model: `models/${modelFromPath(model)}`,
  ...request,
});

function renderBatch(request: EmbeddingRequest, context: RenderContext): RenderedRequest {
  return renderedAs(callPath(context.model, batchVerb), request, context, ["endUser"], () => ({
    requests: textsOf(request.input, context).map((text) => named(context.model, renderItem({ ...request, text }))),
  }));
}

function renderOne(request: EmbeddingRequest, context: RenderContext): RenderedRequest {
  return renderedAs(callPath(context.model, oneVerb), request, context, ["endUser"], () =>
    renderItem({ ...request, text: textsOf(request.input, context).join("\n") }),
  );
}

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

const fieldPath = (prefix: string) =>
  pathsWith({
    input: prefix === "" ? "content" : "requests",
    dimensions: `${prefix}outputDimensionality`,
    purpose: `${prefix}taskType`,
    title: `${prefix}title`,
  });

export const geminiBatchEmbeddings: Dialect<EmbeddingRequest, EmbeddingResponse> = {
  name: "gemini-batch-embeddings",
  operation: "embed",
  request: {
    schema: object({
      requests: Type.Array(object(itemMembers), {
        minItems: 1,
        maxItems: mostItems,
        description: "One request for each vector.",
      }),
    }),
    parse: parseBatch,
    render: renderBatch,
    maxItems: () => mostRequests,
    fieldPath: fieldPath("requests[0]."),
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
    render: renderOne,
    maxItems: () => 1,
    fieldPath: fieldPath(""),
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
