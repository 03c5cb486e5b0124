// An ask of more items than an upstream takes in one call: cut into consecutive parts, and their answers as one.
import {
  type EmbeddingInput,
  type EmbeddingRequest,
  type EmbeddingResponse,
  itemsOf,
} from "../../canonical/embedding.ts";
import { imageCount } from "../../canonical/image.ts";
import type { OperationRequest } from "../../canonical/operation.ts";
import type { Dialect, RenderContext } from "../../dialects/dialect.ts";
import { invalidUpstreamResponse } from "../../dialects/errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import { sumUsage } from "../streaming/stop-sequences.ts";
import { splitImages } from "./image-transfer.ts";
import { splitModeration } from "./moderation-batches.ts";

function part(input: EmbeddingInput, from: number, to: number): EmbeddingInput {
  return input.kind === "texts"
    ? { kind: "texts", texts: input.texts.slice(from, to) }
    : { kind: "tokens", tokens: input.tokens.slice(from, to) };
}

const most = (upstream: Dialect, context: RenderContext): number =>
  upstream.request.maxItems?.(context) ?? Number.POSITIVE_INFINITY;

/** The asks that this upstream is asked for one ask, in the order of their items. */
export function batchesOf(
  request: OperationRequest,
  upstream: Dialect,
  context: RenderContext,
): readonly OperationRequest[] {
  const size = most(upstream, context);
  if (request.operation === "moderate") return splitModeration(request, size);
  if (request.operation === "image") return splitImages(request, size);
  if (request.operation !== "embed" || itemsOf(request) <= size) return [request];
  const starts = Array.from({ length: Math.ceil(itemsOf(request) / size) }, (_, index) => index * size);
  return starts.map((from): EmbeddingRequest => ({ ...request, input: part(request.input, from, from + size) }));
}

/** How many items an ask wants that can be asked for in parts. A stream is not cut. */
function wanted(request: OperationRequest): number {
  if (request.operation === "image") return request.stream ? 1 : imageCount(request);
  return request.operation === "embed" ? itemsOf(request) : 1;
}

/** The client's own wires for an upstream that takes fewer items than the client sent. */
export function wiresOf(
  { wire, request }: GatewayRequest,
  upstream: Dialect,
  context: RenderContext,
): readonly JsonObject[] {
  const size = most(upstream, context);
  if (wanted(request) <= size) return [wire];
  return upstream.passthrough.splitBatch?.(wire, size) ?? [wire];
}

/** Consecutive answers as one; what was not told of one part is not known of the whole. */
export function joinVectors(responses: readonly EmbeddingResponse[]): EmbeddingResponse {
  const usage = sumUsage(responses.map((response) => response.usage));
  return {
    operation: "embed",
    model: responses[0]?.model ?? "",
    vectors: responses.flatMap((response) => response.vectors),
    ...(usage === undefined ? {} : { usage }),
  };
}

/** A vector too few, and all that follow would stand beside the wrong text. Throws `upstream_protocol_error`. */
export function checkCount(response: EmbeddingResponse, request: EmbeddingRequest): void {
  const [given, asked] = [response.vectors.length, itemsOf(request)];
  if (given !== asked) throw invalidUpstreamResponse(`expected ${asked} embeddings, got ${given}`);
}
