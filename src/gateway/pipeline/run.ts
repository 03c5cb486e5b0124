// The one way of every exchange: authorize, resolve, admit, order, open its row, do its work, settle.
import { toGatewayError } from "../../canonical/error.ts";
import type { Operation } from "../../canonical/operation.ts";
import type { LedgerEntry } from "../ledger/types.ts";
import type { Caller } from "../policy/keys.ts";
import type { ExchangeIntent } from "../policy/policy.ts";
import { type Reservations, reserve } from "../policy/reservations.ts";
import type { Candidate } from "../routing/catalog.ts";
import { type Cooldowns, cooldownsFor } from "../routing/cooldowns.ts";
import type { Plan } from "../routing/resolve.ts";
import type { GatewayDependencies } from "./dependencies.ts";
import { createExchange, type Exchange, type ExchangeOutcome } from "./exchange.ts";

/** What every exchange says of itself, whatever its operation. */
export interface ExchangeRequest {
  readonly caller: Caller;
  readonly operation: Operation;
  /** As the client named it. */
  readonly model: string;
  /** The id that the client sees. */
  readonly requestId: string;
  /** Monotonic time of arrival, in milliseconds. */
  readonly arrivedMs: number;
  /** What the client asked for; built when it is first needed. */
  readonly content: ExchangeIntent["content"];
  /** The candidates that serve the model. Throws where there are none. */
  resolve(): Plan;
}

/** An exchange that every policy has let in. It must be performed, or abandoned. */
export interface AdmittedExchange {
  readonly id: string;
  readonly request: ExchangeRequest;
  readonly reservations: Reservations;
  /** In the order in which they are asked. */
  readonly candidates: readonly Candidate[];
  readonly cooldowns: Cooldowns;
}

/** What differs between operations. */
export interface Work<T> {
  /** Opens the row of the ledger; nothing has been sent before. */
  open(admitted: AdmittedExchange): Promise<LedgerEntry>;
  /** Asks the candidates. Settles the exchange, now or at the end of a stream, unless it goes on after this process. */
  perform(exchange: Exchange, admitted: AdmittedExchange): Promise<T>;
  /** What is settled for a failure that `perform` throws before it has settled. */
  failed(thrown: ReturnType<typeof toGatewayError>): ExchangeOutcome | Promise<ExchangeOutcome>;
}

/** The steps before the row: a GatewayError is the refusal of a policy, or says that nobody serves the model. */
export function admit(dependencies: GatewayDependencies, request: ExchangeRequest): AdmittedExchange {
  const { policies, nextId } = dependencies;
  const { caller, operation, model, content } = request;
  const intent: ExchangeIntent = { id: nextId(), caller, operation, model, content };
  for (const policy of policies) policy.authorize?.(intent);
  const plan = request.resolve();
  const reservations = reserve(policies, { ...intent, candidates: plan.candidates });
  const cooldowns = cooldownsFor(plan.found, dependencies.cooldowns);
  return { id: intent.id, request, reservations, candidates: cooldowns.ordered(plan.candidates), cooldowns };
}

/** The steps from the row on. */
export async function perform<T>(
  dependencies: GatewayDependencies,
  admitted: AdmittedExchange,
  work: Work<T>,
): Promise<T> {
  const { id, reservations, candidates, request } = admitted;
  const { clock } = dependencies;
  const { requestId, arrivedMs } = request;
  const events = dependencies.events.of({ id, requestId });
  let exchange: Exchange;
  try {
    const entry = await work.open(admitted);
    exchange = createExchange({ id, entry, reservations, candidates, clock, events, arrivedMs });
  } catch (thrown) {
    reservations.release();
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
