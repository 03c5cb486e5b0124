// What may differ between operations beyond their canonical types: how a request is split, and how responses are merged and checked.
import type { OperationRequest, OperationResponse } from "../../canonical/operation.ts";
import type { GatewayLimits } from "../policy/limits.ts";

/** Methods, not function members, so that rules of different operations fit one table. */
export interface OperationRules<Request extends OperationRequest, Response extends OperationResponse> {
  /** Items of a request that can be asked for in parts: texts, inputs, images. */
  itemCount(request: Request): number;
  /** The request as several in the order of its items, each with at most `maxItems`; itself where it has no more. */
  split(request: Request, maxItems: number, limits: Pick<GatewayLimits, "maxCallsPerRequest">): readonly Request[];
  /** The responses to the parts, in their order, as one. Its usage is unknown where that of one part is. */
  merge(responses: readonly Response[]): Response;
  /** Throws `upstream_protocol_error` where not every item of the request has its own in the response. */
  check?(response: Response, request: Request): void;
}
