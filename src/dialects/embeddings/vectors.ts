// Vectors as wires write them, and the form in which the caller wants them.
import type { EmbeddingRequest, Vector } from "../../canonical/embedding.ts";
import type { OperationRequest } from "../../canonical/operation.ts";
import { tokenCount, type Usage } from "../../canonical/usage.ts";
import { base64ToFloats, floatsToBase64 } from "../../lib/float32-base64.ts";
import type { Json } from "../../lib/json.ts";
import { invalidUpstreamResponse } from "../errors.ts";

const floatBytes = /^[A-Za-z0-9+/]{6,}={0,2}$/;

/** True for Base64 of at least one float, and of no half of one. */
function holdsFloats(text: string): boolean {
  const letters = text.endsWith("==") ? text.length - 2 : text.endsWith("=") ? text.length - 1 : text.length;
  return floatBytes.test(text) && Math.floor((letters * 6) / 8) % 4 === 0;
}

/** Numbers, or base64 of them. `where` names the place in a reply that is none. */
export function readVector(vector: Json | undefined, where: string): Vector {
  if (typeof vector === "string" && holdsFloats(vector)) return vector;
  if (Array.isArray(vector) && vector.length > 0 && vector.every((value) => typeof value === "number")) return vector;
  throw invalidUpstreamResponse(`${where} is neither an array of numbers nor base64`);
}

/** A list of vectors. */
export function readVectors(list: Json | undefined, where: string): Vector[] {
  if (!Array.isArray(list)) throw invalidUpstreamResponse("the response has no list of embeddings");
  return list.map((vector, index) => readVector(vector, `${where}[${index}]`));
}

/** A vector as numbers. */
export function asFloats(vector: Vector): number[] {
  return typeof vector === "string" ? base64ToFloats(vector) : vector.slice();
}

/** A vector in the form that the caller asked for. The official SDK decodes base64 without looking, so the form must be right. */
export function inForm(vector: Vector, format: EmbeddingRequest["format"]): Json {
  if (format === "float") return asFloats(vector);
  return typeof vector === "string" ? vector : floatsToBase64(vector);
}

/** Off by less, a vector counts as one of unit length. */
const unitTolerance = 1e-6;

/** The vector with length one; nothing can be done about one without any. */
function unitVector(vector: Vector): Vector {
  const floats = asFloats(vector);
  const length = Math.hypot(...floats);
  if (length === 0 || Math.abs(length - 1) < unitTolerance) return vector;
  return floats.map((value) => value / length);
}

/** Google's models give vectors of length one at these dimensions only. */
const fullDimensions = 3072;

/** Shortened vectors with length one, where the caller counts on it. */
export function unitVectors(vectors: readonly Vector[], request: OperationRequest | undefined): readonly Vector[] {
  const wanted =
    request?.operation === "embed" && request.unit && (request.dimensions ?? fullDimensions) < fullDimensions;
  return wanted ? vectors.map(unitVector) : vectors;
}

/** Usage of an operation that has only input; nothing where the wire gives no count that can be true. */
export function inputUsage(count: Json | undefined): { usage: Usage } | undefined {
  const inputTokens = tokenCount(count);
  if (inputTokens === 0) return undefined;
  return { usage: { inputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 } };
}
