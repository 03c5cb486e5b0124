// Vectors on the wire, and in the format that the client requested.
import type { EmbeddingRequest, Vector } from "../../canonical/embedding.ts";
import type { OperationRequest } from "../../canonical/operation.ts";
import { tokenCount, type Usage } from "../../canonical/usage.ts";
import { base64ToFloats, floatsToBase64 } from "../../lib/float32-base64.ts";
import type { Json } from "../../lib/json.ts";
import { invalidUpstreamResponse } from "../errors.ts";

const floatBytes = /^[A-Za-z0-9+/]{6,}={0,2}$/;

/** True for Base64 of one or more complete floats. */
function holdsFloats(text: string): boolean {
  const letters = text.endsWith("==") ? text.length - 2 : text.endsWith("=") ? text.length - 1 : text.length;
  return floatBytes.test(text) && Math.floor((letters * 6) / 8) % 4 === 0;
}

/** Numbers, or Base64 of them. `where` is the path for the error. */
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

/** A vector in the requested format. The official SDK decodes Base64 without a check, so the format must be exact. */
export function inForm(vector: Vector, format: EmbeddingRequest["format"]): Json {
  if (format === "float") return asFloats(vector);
  return typeof vector === "string" ? vector : floatsToBase64(vector);
}

/** Within this difference a vector counts as one of unit length. */
const unitTolerance = 1e-6;

/** The vector with length one; the zero vector is unchanged. */
function unitVector(vector: Vector): Vector {
  const floats = asFloats(vector);
  const length = Math.hypot(...floats);
  if (length === 0 || Math.abs(length - 1) < unitTolerance) return vector;
  return floats.map((value) => value / length);
}

/** Google's models return vectors of unit length only at this number of dimensions. */
const fullDimensions = 3072;

/** Shortened vectors with length one, if the client relies on it. */
export function unitVectors(vectors: readonly Vector[], request: OperationRequest | undefined): readonly Vector[] {
  const wanted =
    request?.operation === "embed" && request.unit && (request.dimensions ?? fullDimensions) < fullDimensions;
  return wanted ? vectors.map(unitVector) : vectors;
}

/** Usage of an operation with only input; nothing where the wire has no plausible count. */
export function inputUsage(count: Json | undefined): { usage: Usage } | undefined {
  const inputTokens = tokenCount(count);
  if (inputTokens === 0) return undefined;
  return { usage: { inputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 } };
}
