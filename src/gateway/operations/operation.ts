// What may differ between operations beyond their canonical types: how requests are split, and how responses are merged
// and checked.
import type { OperationRequest, OperationResponse } from "../../canonical/operation.ts";
import type { GatewayLimits } from "../policy/limits.ts";

/** Methods, not function members, so that rules of different operations fit one table. */
export interface OperationRules<Request extends OperationRequest, Response extends OperationResponse> {
  /** The number of items that can be split: texts, inputs, images. */
  itemCount(request: Request): number;
  /**
   * The request split into several in the order of its items, each with at most `maxItems`; itself if it has no more.
   */
  split(request: Request, maxItems: number, limits: Pick<GatewayLimits, "maxCallsPerRequest">): readonly Request[];
  /** The responses to the parts, in order, merged. The usage is unknown if that of one part is. */
  merge(responses: readonly Response[]): Response;
  /** Throws `upstream_protocol_error` if an item of the request has no result in the response. */
  check?(response: Response, request: Request): void;
}
