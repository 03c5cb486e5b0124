// The operations whose requests can be split, by name: a new one is a file and a line here.
import type { OperationRequest, OperationResponse } from "../../canonical/operation.ts";
import type { RenderContext, UpstreamDialect } from "../../dialects/dialect.ts";
import type { GatewayLimits } from "../policy/limits.ts";
import { embedding } from "./embedding.ts";
import { image } from "./image.ts";
import { moderation } from "./moderation.ts";
import type { OperationRules } from "./operation.ts";

const rules: {
  readonly [operation in OperationRequest["operation"]]?: OperationRules<OperationRequest, OperationResponse>;
} = {
  embed: embedding,
  moderate: moderation,
  image,
};

/** The number of items that can be split. */
export const itemCount = (request: OperationRequest): number => rules[request.operation]?.itemCount(request) ?? 1;

/** Maximum items per call to this upstream. */
export const maxItems = (upstream: UpstreamDialect, context: RenderContext): number =>
  upstream.request.maxItems?.(context) ?? Number.POSITIVE_INFINITY;

/** The request split into several, each with at most `maxItems`. */
export const split = (
  request: OperationRequest,
  maxItems: number,
  limits: Pick<GatewayLimits, "maxCallsPerRequest">,
): readonly OperationRequest[] => rules[request.operation]?.split(request, maxItems, limits) ?? [request];

/** Responses to the parts of one request, merged; undefined for an operation that is not split. */
export function merge(responses: readonly OperationResponse[]): OperationResponse | undefined {
  const [first] = responses;
  return first === undefined ? undefined : rules[first.operation]?.merge(responses);
}

/** Throws `upstream_protocol_error` if an item of the request has no result in the response. */
export function check(response: OperationResponse, request: OperationRequest): void {
  if (response.operation === request.operation) rules[response.operation]?.check?.(response, request);
}
