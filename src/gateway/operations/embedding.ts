// Embeddings of more inputs than an upstream accepts in one call.
import {
  type EmbeddingInput,
  type EmbeddingRequest,
  type EmbeddingResponse,
  itemsOf,
} from "../../canonical/embedding.ts";
import { sumUsage } from "../../canonical/usage.ts";
import { invalidUpstreamResponse } from "../../dialects/errors.ts";
import type { OperationRules } from "./operation.ts";

function part(input: EmbeddingInput, from: number, to: number): EmbeddingInput {
  return input.kind === "texts"
    ? { kind: "texts", texts: input.texts.slice(from, to) }
    : { kind: "tokens", tokens: input.tokens.slice(from, to) };
}

export const embedding: OperationRules<EmbeddingRequest, EmbeddingResponse> = {
  itemCount: itemsOf,
  split(request, maxItems) {
    if (itemsOf(request) <= maxItems) return [request];
    const starts = Array.from({ length: Math.ceil(itemsOf(request) / maxItems) }, (_, index) => index * maxItems);
    return starts.map((from) => ({ ...request, input: part(request.input, from, from + maxItems) }));
  },
  merge(responses) {
    const usage = sumUsage(responses.map((response) => response.usage));
    return {
      operation: "embed",
      model: responses[0]?.model ?? "",
      vectors: responses.flatMap((response) => response.vectors),
      ...(usage === undefined ? {} : { usage }),
    };
  },
  // With a missing vector, all that follow would belong to the wrong text.
  check({ vectors }, request) {
    const [given, expected] = [vectors.length, itemsOf(request)];
    if (given !== expected) throw invalidUpstreamResponse(`expected ${expected} embeddings, got ${given}`);
  },
};
