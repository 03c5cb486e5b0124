// The dialects of Google's embedContent and batchEmbedContents: contents in, vectors as numbers out.
import { Type } from "typebox";
import type { EmbedAnswer, EmbedAsk, Vector } from "../../canonical/embedding.ts";
import type { Extra } from "../../canonical/warning.ts";
import { compact, isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { Dialect, Envelope, ReadContext, RenderContext, Rendered, WriteContext } from "../dialect.ts";
import { badReply } from "../errors.ts";
import { geminiErrors } from "../gemini/error.ts";
import { callPath, modelIn } from "../gemini/request.ts";
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

const modelOf = ({ params }: Envelope): string => modelIn(params.model ?? "");

function askOf(model: string, items: readonly Item[], extras: readonly Extra[]): EmbedAsk {
  const [first] = items;
  const { dimensions, purpose, title } = first ?? {};
  return {
    ...bare,
    model,
    input: { kind: "texts", texts: items.map(({ text }) => text) },
    format: "float",
    extras: [...items.flatMap((item) => item.extras), ...extras],
    ...(dimensions === undefined ? {} : { dimensions }),
    ...(purpose === undefined ? {} : { purpose }),
    ...(title === undefined ? {} : { title }),
  };
}

/** Members that differ between requests: other wires say them once for all. */
function differences(items: readonly Item[]): Extra[] {
  return items.flatMap((item, index): Extra[] => {
    const at = `requests[${index}]`;
    return [
      ...(item.dimensions === items[0]?.dimensions
        ? []
        : [{ path: `${at}.outputDimensionality`, rule: "reject" } as const]),
      ...(item.purpose === items[0]?.purpose ? [] : [{ path: `${at}.taskType`, rule: "reject" } as const]),
      ...(item.title === items[0]?.title ? [] : [{ path: `${at}.title`, rule: "drop" } as const]),
    ];
  });
}

function parseOne(wire: JsonObject, envelope: Envelope): EmbedAsk {
  return askOf(modelOf(envelope), [readItem(wire, "")], []);
}

function parseBatch(wire: JsonObject, envelope: Envelope): EmbedAsk {
  const items = objectsIn(wire.requests).map((request, index) => readItem(request, `requests[${index}].`));
  return askOf(modelOf(envelope), items, differences(items));
}

/** Every request of a batch names its model. */
const named = (model: string, request: JsonObject): JsonObject => ({ model: `models/${modelIn(model)}`, ...request });

function renderBatch(ask: EmbedAsk, context: RenderContext): Rendered {
  return renderedAs(callPath(context.model, batchVerb), ask, context, ["endUser"], () => ({
    requests: textsOf(ask.input, context).map((text) => named(context.model, renderItem({ ...ask, text }))),
  }));
}

function renderOne(ask: EmbedAsk, context: RenderContext): Rendered {
  return renderedAs(callPath(context.model, oneVerb), ask, context, ["endUser"], () =>
    renderItem({ ...ask, text: textsOf(ask.input, context).join("\n") }),
  );
}

function answerOf(wire: JsonObject, list: readonly Json[], { ask }: ReadContext): EmbedAnswer {
  const vectors = list.map((item, index) =>
    readVector(isObject(item) ? item.values : undefined, `embeddings[${index}].values`),
  );
  const counts = isObject(wire.usageMetadata) ? wire.usageMetadata : {};
  return {
    operation: "embed",
    model: "",
    vectors: unitVectors(vectors, ask),
    ...inputUsage(counts.promptTokenCount ?? counts.totalTokenCount),
  };
}

function parseBatchReply(wire: unknown, context: ReadContext): EmbedAnswer {
  if (!isObject(wire) || !Array.isArray(wire.embeddings)) throw badReply("there is no list of embeddings");
  return answerOf(wire, wire.embeddings, context);
}

function parseOneReply(wire: unknown, context: ReadContext): EmbedAnswer {
  if (!isObject(wire) || wire.embedding === undefined) throw badReply("there is no embedding");
  return answerOf(wire, [wire.embedding], context);
}

const valuesOf = (vector: Vector): JsonObject => ({ values: asFloats(vector) });

function usageMetadata({ usage }: EmbedAnswer, { inputEstimate }: WriteContext): JsonObject {
  return { promptTokenCount: usage?.inputTokens ?? inputEstimate };
}

const fieldPath = (prefix: string) =>
  pathsWith({
    input: prefix === "" ? "content" : "requests",
    dimensions: `${prefix}outputDimensionality`,
    purpose: `${prefix}taskType`,
    title: `${prefix}title`,
  });

export const geminiBatchEmbeddings: Dialect<EmbedAsk, EmbedAnswer> = {
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
    mostItems: () => mostRequests,
    fieldPath: fieldPath("requests[0]."),
  },
  response: {
    parse: parseBatchReply,
    render: (answer, context) => ({
      embeddings: answer.vectors.map(valuesOf),
      usageMetadata: usageMetadata(answer, context),
    }),
  },
  verbatim: {
    call: (wire, { model }) => ({
      path: callPath(model, batchVerb),
      body: { ...wire, requests: objectsIn(wire.requests).map((request) => ({ ...request, ...named(model, {}) })) },
    }),
    divide: (wire, most) => dividedWire(wire, "requests", most),
  },
  error: geminiErrors,
};

export const geminiEmbeddings: Dialect<EmbedAsk, EmbedAnswer> = {
  name: "gemini-embeddings",
  operation: "embed",
  within: geminiBatchEmbeddings as unknown as Dialect,
  request: {
    schema: object(itemMembers),
    parse: parseOne,
    render: renderOne,
    mostItems: () => 1,
    fieldPath: fieldPath(""),
  },
  response: {
    parse: parseOneReply,
    render: (answer, context) =>
      compact({
        embedding: valuesOf(answer.vectors[0] ?? []),
        usageMetadata: usageMetadata(answer, context),
      }),
  },
  verbatim: {
    call: (wire, { model }) => ({ path: callPath(model, oneVerb), body: { ...wire, ...named(model, {}) } }),
  },
  error: geminiErrors,
};
