// The one way of every exchange: authorize, resolve, admit, order, open its row, do its work, settle.
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import type { PassedOver } from "../ledger/types.ts";
import type { ExchangeIntent, Policy } from "../policy/policy.ts";
import { reserve } from "../policy/reservations.ts";
import type { Candidate } from "../routing/catalog.ts";
import { cooldownsFor } from "../routing/cooldowns.ts";
import type { GatewayDependencies } from "./dependencies.ts";
import { createExchange, type Exchange } from "./exchange.ts";
import type { AdmittedExchange, ExchangeRequest, Work } from "./exchange-request.ts";

/** The steps before the row: a GatewayError is the refusal of a policy, or says that nobody serves the model. */
export function admit(dependencies: GatewayDependencies, request: ExchangeRequest): AdmittedExchange {
  const { policies, nextId } = dependencies;
  const { caller, operation, model, size, content } = request;
  const intent: ExchangeIntent = { id: nextId(), caller, operation, model, content };
  for (const policy of policies) policy.authorize?.(intent);
  const plan = request.resolve();
  const candidates = permitted(policies, intent, plan.candidates);
  const reservations = reserve(policies, { ...intent, size, candidates });
  const cooldowns = cooldownsFor(plan.found, dependencies.cooldowns);
  const ordered = cooldowns.ordered(candidates);
  const admitted = { id: intent.id, request, reservations, candidates: ordered, cooldowns };
  if (candidates === plan.candidates && ordered === candidates) return admitted;
  return { ...admitted, passedOver: passedOver(plan.candidates, candidates, ordered) };
}

/** Who is not among the permitted candidates, and who comes behind one that was after it. */
function passedOver(
  all: readonly Candidate[],
  permittedOnes: readonly Candidate[],
  ordered: readonly Candidate[],
): PassedOver[] {
  const rowsOf = (candidates: readonly Candidate[], reason: string): PassedOver[] =>
    candidates.map(({ provider, model }) => ({ provider: provider.entry.name, upstreamModel: model, reason }));
  const stays = (candidate: Candidate, index: number): boolean =>
    ordered.slice(0, ordered.indexOf(candidate)).every((each) => permittedOnes.indexOf(each) < index);
  return [
    ...rowsOf(
      all.filter((each) => !permittedOnes.includes(each)),
      "not_permitted",
    ),
    ...rowsOf(
      permittedOnes.filter((each, index) => !stays(each, index)),
      "cooling_down",
    ),
  ];
}

/** The candidates that no policy forbids. Throws `model_not_allowed` where none is left. */
function permitted(
  policies: readonly Policy[],
  intent: ExchangeIntent,
  candidates: readonly Candidate[],
): readonly Candidate[] {
  const isPermitted = (candidate: Candidate): boolean =>
    policies.every((policy) => policy.permits === undefined || policy.permits(intent, candidate));
  if (candidates.every(isPermitted)) return candidates;
  const left = candidates.filter(isPermitted);
  if (left.length > 0) return left;
  throw new GatewayError("model_not_allowed", "This key is not allowed to use any provider of this model.", {
    param: "model",
  });
}

/** The steps from the row on. */
export async function perform<T>(
  dependencies: GatewayDependencies,
  admitted: AdmittedExchange,
  work: Work<T>,
): Promise<T> {
  const { id, reservations, candidates, request } = admitted;
  const { clock, events, prices, running } = dependencies;
  const { requestId, arrivedMs, operation, model, caller } = request;
  let exchange: Exchange;
  try {
    const entry = await work.open(admitted);
    exchange = createExchange({
      ...{ id, requestId, entry, reservations, candidates, clock, events, arrivedMs, prices },
      ...{ operation, model, tier: request.size.tier(), passedOver: admitted.passedOver },
      ...{ keyId: caller.keyId, running },
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
