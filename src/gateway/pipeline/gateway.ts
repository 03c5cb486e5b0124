// The gateway as the front door, stored responses and tasks use it: what it works with, and the pipeline over it.
import { admitRequest, answerAdmitted, answerRequest } from "./answer.ts";
import type { GatewayDependencies } from "./dependencies.ts";
import type { AdmittedExchange, ExchangeRequest, Work } from "./exchange-request.ts";
import type { GatewayRequest } from "./gateway-request.ts";
import type { GatewayReply, RequestContext } from "./request-context.ts";
import { run } from "./run.ts";

export interface Gateway extends GatewayDependencies {
  /** Answers one request to a model. Throws GatewayError for every failure before the first byte. */
  answer(request: GatewayRequest, context: RequestContext): Promise<GatewayReply>;
  /** The admission alone, for work that begins after its request was answered. */
  admit(request: GatewayRequest, context: Omit<RequestContext, "signal" | "encoder">): AdmittedExchange;
  /** The rest of an admitted request. */
  answerAdmitted(admitted: AdmittedExchange, request: GatewayRequest, context: RequestContext): Promise<GatewayReply>;
  /** Any other exchange, from its admission to its answer. */
  run<T>(request: ExchangeRequest, work: Work<T>): Promise<T>;
}

export function createGateway(dependencies: GatewayDependencies): Gateway {
  return {
    ...dependencies,
    answer: (request, context) => answerRequest(dependencies, request, context),
    admit: (request, context) => admitRequest(dependencies, request, context),
    answerAdmitted: (admitted, request, context) => answerAdmitted(dependencies, admitted, request, context),
    run: (request, work) => run(dependencies, request, work),
  };
}
