// The input of the pipeline: what every exchange has, and the work that differs between operations.
import type { GatewayError } from "../../canonical/error.ts";
import type { Operation } from "../../canonical/operation.ts";
import type { LedgerEntry, PassedOver } from "../ledger/types.ts";
import type { Caller } from "../policy/caller.ts";
import type { ExchangeIntent, RequestSize } from "../policy/policy.ts";
import type { Reservations } from "../policy/reservations.ts";
import type { Candidate } from "../routing/catalog.ts";
import type { Plan } from "../routing/resolve.ts";
import type { Affinity } from "../routing/router.ts";
import type { Exchange, ExchangeOutcome } from "./exchange.ts";
import type { ExchangeTimes } from "./exchange-times.ts";

/** What every exchange has, for any operation. */
export interface ExchangeRequest {
  readonly caller: Caller;
  readonly operation: Operation;
  /** The model name that the client sent. */
  readonly model: string;
  /** The request id that the client sees. */
  readonly requestId: string;
  readonly session: string | null;
  /** Monotonic time of arrival, in milliseconds. */
  readonly arrivedMs: number;
  readonly times: ExchangeTimes;
  readonly size: RequestSize;
  /** The client's request; built when it is first needed. */
  readonly content: ExchangeIntent["content"];
  /** The candidates that serve the model. Throws if there are none. */
  resolve(): Plan;
}

/** An exchange that every policy has admitted. It must be performed, or abandoned. */
export interface AdmittedExchange {
  readonly id: string;
  readonly request: ExchangeRequest;
  readonly reservations: Reservations;
  /** In the order of the attempts. */
  readonly candidates: readonly Candidate[];
  /** Null if its conversation may be answered by any upstream. */
  readonly affinity: Affinity | null;
  /** Monotonic time by which there must be a response, or the first event of a stream. */
  readonly dueMs: number;
  /** How often a candidate is called again before the next one. */
  readonly repeats: number;
  /**
   * The reason for the first candidate, unless it is their order; those that were excluded, or moved behind others.
   * Absent if there are none.
   */
  readonly passedOver?: readonly PassedOver[];
}

/** What differs between operations. */
export interface Work<T> {
  /** Opens the row of the ledger, before anything is sent. */
  open(admitted: AdmittedExchange): Promise<LedgerEntry>;
  /** Calls the candidates. Settles the exchange, now or at the end of a stream, unless it outlives this process. */
  perform(exchange: Exchange, admitted: AdmittedExchange): Promise<T>;
  /** The outcome for a failure that `perform` throws before it has settled. */
  failed(error: GatewayError): ExchangeOutcome | Promise<ExchangeOutcome>;
}
