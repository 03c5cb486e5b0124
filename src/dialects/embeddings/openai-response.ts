// The reply that OpenAI's embeddings and their imitators share: a list of items by index, and a count of tokens.
import type { EmbeddingRequest, EmbeddingResponse } from "../../canonical/embedding.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { WriteContext } from "../dialect.ts";
import { invalidUpstreamResponse } from "../errors.ts";
import { objectsIn } from "../shared/json-accessors.ts";
import { inForm, inputUsage, readVector } from "./vectors.ts";

const position = ({ index }: JsonObject): number => (typeof index === "number" ? index : 0);

/** Items in the order of their numbers, whatever order they came in. */
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

/** The reply in the form that was asked for. */
export function renderResponse(response: EmbeddingResponse, context: WriteContext): JsonObject {
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

/** True for a reply that says everything that clients read, in its order and in the form that was asked for. */
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

/** A reply with everything that clients read; what else it tells travels on. The same object when nothing is missing. */
export function patchResponse(
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
