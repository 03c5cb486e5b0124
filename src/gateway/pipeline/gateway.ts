// The gateway for the HTTP layer, stored responses and tasks: its dependencies, and the pipeline.
import type { RequestIds } from "../../telemetry/events.ts";
import type { Ending } from "../ledger/settlement.ts";
import type { GatewayDependencies } from "./dependencies.ts";
import type { AdmittedExchange, ExchangeRequest, Work } from "./exchange-request.ts";
import type { GatewayRequest } from "./gateway-request.ts";
import type { GatewayReply, RequestContext } from "./request-context.ts";

export interface Gateway extends GatewayDependencies {
  /** Answers one request to a model. Throws GatewayError for every failure before the first byte. */
  answer(request: GatewayRequest, context: RequestContext): Promise<GatewayReply>;
  /** Only the admission, for work that starts after its request was answered. */
  admit(request: GatewayRequest, context: Omit<RequestContext, "signal" | "encoder">): AdmittedExchange;
  /** The rest of an admitted request. */
  answerAdmitted(admitted: AdmittedExchange, request: GatewayRequest, context: RequestContext): Promise<GatewayReply>;
  /** Any other exchange, from its admission to its answer. */
  run<T>(request: ExchangeRequest, work: Work<T>): Promise<T>;
  /** Settles an exchange that was left pending when its request was answered, maybe by another process. */
  settlePending(ids: RequestIds, ending: Ending): Promise<void>;
}
