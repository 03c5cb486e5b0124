// The path of every exchange: authorize, resolve, admit, order, open its row, do its work, settle.
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import type { Operation } from "../../canonical/operation.ts";
import type { PassedOver } from "../ledger/types.ts";
import type { ExchangeIntent, Policy } from "../policy/policy.ts";
import { reserve } from "../policy/reservations.ts";
import { endsByItself, priorityOf } from "../policy/waiting.ts";
import type { Candidate, Route } from "../routing/catalog.ts";
import { routeOf } from "../routing/resolve.ts";
import type { RoutedCandidates } from "../routing/router.ts";
import type { GatewayDependencies } from "./dependencies.ts";
import { createExchange, type Exchange } from "./exchange.ts";
import type { AdmittedExchange, ExchangeRequest, Work } from "./exchange-request.ts";
import type { RequestContext } from "./request-context.ts";

/** The steps before the row. A GatewayError is the refusal of a policy, or means that no provider serves the model. */
export function admit(dependencies: GatewayDependencies, request: ExchangeRequest): AdmittedExchange {
  const { policies, nextId, clock } = dependencies;
  const { caller, operation, model, size, content, times } = request;
  times.begin(clock);
  const id = nextId();
  const intent: ExchangeIntent = { id, caller, operation, model, content };
  for (const policy of policies) policy.authorize?.(intent);
  times.authorized = clock.monotonicMs();
  const plan = request.resolve();
  const candidates = permitted(policies, intent, plan.candidates);
  const routed = dependencies.router.choose(candidates, plan.route, request);
  times.routed = clock.monotonicMs();
  const reservations = reserve(policies, {
    id,
    caller,
    operation,
    model,
    content,
    size,
    candidates: routed.candidates,
  });
  times.admitted = clock.monotonicMs();
  const decisions = decisionsOf(plan.candidates, candidates, routed);
  const dueMs = request.arrivedMs + (totalMsOf(plan.route, operation) ?? dependencies.limits.requestMs);
  const repeats = plan.route?.repeats ?? 0;
  const { candidates: ordered, affinity } = routed;
  const admitted = { id, request, reservations, candidates: ordered, affinity, dueMs, repeats };
  return decisions.length === 0 ? admitted : { ...admitted, passedOver: decisions };
}

const totalMsOf = (route: Route | undefined, operation: Operation): number | undefined =>
  route?.operations?.[operation]?.totalMs ?? route?.timeouts?.totalMs;

const noDecisions: readonly PassedOver[] = [];

/**
 * The decisions in the story of the request: the rule that selected the first candidate, unless it was their order,
 * and the skipped ones.
 */
function decisionsOf(
  all: readonly Candidate[],
  permittedOnes: readonly Candidate[],
  { candidates: [first], reason, passedOver }: RoutedCandidates,
): readonly PassedOver[] {
  const isOrdered = reason === "ordered" || first === undefined;
  if (all === permittedOnes && isOrdered) return passedOver.length === 0 ? noDecisions : passedOver;
  const rowOf = ({ provider, model }: Candidate, why: string): PassedOver => ({
    provider: provider.entry.name,
    upstreamModel: model,
    reason: why,
  });
  const refused = all === permittedOnes ? [] : all.filter((each) => !permittedOnes.includes(each));
  return [
    ...(isOrdered ? [] : [rowOf(first, `chosen_by_${reason}`)]),
    ...refused.map((each) => rowOf(each, "not_permitted")),
    ...passedOver,
  ];
}

/** The candidates that all policies permit. Throws `model_not_allowed` if none is left. */
function permitted(
  policies: readonly Policy[],
  intent: ExchangeIntent,
  candidates: readonly Candidate[],
): readonly Candidate[] {
  const isPermitted = (candidate: Candidate): boolean =>
    policies.every((policy) => policy.permits === undefined || policy.permits(intent, candidate));
  if (candidates.every(isPermitted)) return candidates;
  const left = candidates.filter(isPermitted);
  if (left.some(({ after }) => after === undefined)) return left;
  throw new GatewayError("model_not_allowed", "This key is not allowed to use any provider of this model.", {
    param: "model",
  });
}

/** The admission of a request; where the route of its model lets requests wait, a refusal that ends by itself is waited for. */
export function admitInTurn(
  { waiting, catalog }: GatewayDependencies,
  model: string,
  { caller, signal }: Pick<RequestContext, "caller" | "signal">,
  admitRequest: () => AdmittedExchange,
): AdmittedExchange | Promise<AdmittedExchange> {
  try {
    if (!waiting.isQueued(model)) return admitRequest();
    throw new GatewayError("overloaded", "Other requests of this model wait. Try again shortly.");
  } catch (thrown) {
    const rule = routeOf(catalog.current(), model)?.waiting;
    if (rule === undefined || !(thrown instanceof GatewayError && endsByItself(thrown))) throw thrown;
    const refused = { route: model, rule, keyId: caller.keyId, priority: priorityOf(caller), signal: signal() };
    return waiting.wait({ ...refused, admit: admitRequest }, thrown);
  }
}

/** The steps from the row on. */
export async function perform<T>(
  dependencies: GatewayDependencies,
  admitted: AdmittedExchange,
  work: Work<T>,
): Promise<T> {
  const { id, reservations, candidates, request } = admitted;
  const { clock, events, prices, running, bodies, traces } = dependencies;
  const { requestId, times, operation, model, caller } = request;
  let exchange: Exchange;
  try {
    const entry = await work.open(admitted);
    times.recorded = clock.monotonicMs();
    exchange = createExchange({
      id,
      requestId,
      entry,
      reservations,
      candidates,
      clock,
      events,
      times,
      prices,
      operation,
      model,
      tier: request.size.tier(),
      passedOver: admitted.passedOver,
      keyId: caller.keyId,
      project: caller.project,
      running,
      router: dependencies.router,
      affinity: admitted.affinity,
      bodies: bodies.begin(id, caller),
      trace: traces === null ? null : traces.exchangeStarted({ id, requestId, operation, model }),
    });
  } catch (thrown) {
    reservations.cancel();
    throw thrown;
  }
  try {
    return await work.perform(exchange, admitted);
  } catch (thrown) {
    await exchange.settle(await work.failed(toGatewayError(thrown)));
    throw thrown;
  }
}

/** An exchange from its admission to its answer. */
export async function run<T>(dependencies: GatewayDependencies, request: ExchangeRequest, work: Work<T>): Promise<T> {
  return perform(dependencies, admit(dependencies, request), work);
}
