// Detects fields that a server accepted and ignored: fewer choices or images, or vectors of another length.
import type { Vector } from "../../canonical/embedding.ts";
import type { OperationRequest, OperationResponse } from "../../canonical/operation.ts";
import type { Warning } from "../../canonical/warning.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import { mergedAnswerOf, parsedResponse } from "../streaming/buffered-response.ts";
import type { ReadResponse, UpstreamPlan } from "./upstream-plan.ts";

const bitsPerByte = 8;
const bytesPerFloat = 4;

/** Whether a vector may have this length: as numbers or Base64 of floats, of bytes, or of bits packed into bytes. */
function hasLength(vector: Vector, dimensions: number): boolean {
  const packed = Math.ceil(dimensions / bitsPerByte);
  if (typeof vector !== "string") return [dimensions, packed].includes(vector.length);
  return [dimensions * bytesPerFloat, dimensions, packed].includes(Buffer.byteLength(vector, "base64"));
}

/** What to check in the response: the path of the field, and whether the response matches it; null if it does. */
interface Requested {
  readonly path: string;
  isMet(response: OperationResponse): boolean;
}

function requestedOf(canonicalRequest: OperationRequest, { request }: GatewayRequest["dialect"]): Requested | null {
  if (canonicalRequest.operation === "embed" && canonicalRequest.dimensions !== undefined) {
    const { dimensions } = canonicalRequest;
    const isMet = (response: OperationResponse) =>
      response.operation !== "embed" || response.vectors.every((vector) => hasLength(vector, dimensions));
    return { path: request.fieldPath("dimensions"), isMet };
  }
  if (canonicalRequest.operation === "chat" && canonicalRequest.choices > 1) {
    const { choices } = canonicalRequest;
    const isMet = (response: OperationResponse) => response.operation !== "chat" || response.choices.length >= choices;
    return { path: request.fieldPath("choices"), isMet };
  }
  if (canonicalRequest.operation === "image" && canonicalRequest.n !== undefined) {
    const { n } = canonicalRequest;
    const isMet = (response: OperationResponse) => response.operation !== "image" || response.images.length >= n;
    return { path: request.fieldPath("n"), isMet };
  }
  return null;
}

/** A warning for a field that the server ignored, unless the request already has one. */
export function ignoredFields(
  replies: readonly [ReadResponse, ...ReadResponse[]],
  plan: UpstreamPlan,
  gatewayRequest: GatewayRequest,
  origin: string,
): readonly Warning[] {
  const { outline } = gatewayRequest;
  if (outline.operation === "chat" && outline.choices === 1) return [];
  const { request, dialect } = gatewayRequest;
  const requested = requestedOf(request, dialect);
  if (requested === null || plan.warnings.some(({ path }) => path === requested.path)) return [];
  const [only, ...others] = replies;
  const response =
    others.length === 0 ? parsedResponse(only, plan, { origin, request }) : mergedAnswerOf(replies, plan);
  return requested.isMet(response) ? [] : [{ code: "approximated", path: requested.path }];
}
