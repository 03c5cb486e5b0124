// What the ledger records of one request: an opening before anything is sent, a settlement before the last byte is
// sent.
import type { Usage } from "../../canonical/usage.ts";

/**
 * How a request ended. `rejected`: the gateway refused it; `cancelled`: the client disconnected; `replayed`: an
 * earlier reply was repeated; `interrupted`: the process stopped in between, which the next start sets, with the usage
 * recorded so far. A request is `open` until then, or `pending` as a task that continues after its request was
 * answered, and after the process.
 */
export type EndState = "completed" | "failed" | "cancelled" | "rejected" | "replayed" | "interrupted";

/** What is known about a request when it is admitted. */
export interface LedgerOpening {
  /** UUIDv7 of the exchange; the ledger does not check that it is new. */
  readonly id: string;
  readonly atMs: number;
  /** The request id that the client sees. Clients may use one more than once. */
  readonly requestId: string;
  readonly organization?: string;
  readonly project?: string;
  readonly keyId: string;
  readonly endUser?: string | null;
  readonly session?: string | null;
  readonly operation: string;
  readonly dialect: string;
  /** The model name that the client sent. */
  readonly model: string;
  readonly stream: boolean;
  /** Estimated input tokens: the usage of a request whose process stops before any progress is recorded. */
  readonly inputTokens: number;
  /** An upper bound of the input tokens. */
  readonly inputBound: number;
  /** The amount that budgets and balances reserve until it is settled. */
  readonly reservedNanoDollars?: bigint | null;
  /** The versions of the price books when it was admitted. */
  readonly costVersion?: string;
  readonly priceVersion?: string;
  /** The exchange whose reply is repeated. */
  readonly replayOf?: string;
}

/** A candidate that was skipped, or moved behind the others, and why. */
export interface PassedOver {
  readonly provider: string;
  readonly upstreamModel: string;
  /**
   * `not_permitted` by the rules of the caller, `cooling_down` after a fault that only the operator can resolve,
   * otherwise the code of an error.
   */
  readonly reason: string;
  /** The field that it does not support, if that is the reason. */
  readonly field?: string;
}

/** The usage of a stream so far, which remains if the process stops. */
export interface LedgerProgress {
  readonly usage: Usage;
  readonly provider?: string | null;
  readonly upstreamModel?: string | null;
}

export interface LedgerSettlement {
  readonly state: EndState;
  /** The client's status. */
  readonly httpStatus: number;
  /** Of the successful attempt, otherwise of the last one. */
  readonly provider: string | null;
  readonly upstreamModel: string | null;
  readonly credential: string | null;
  /** When that attempt started, relative to the arrival of the request. */
  readonly attemptStartedMs: number | null;
  /** The number of attempts. */
  readonly attempts: number;
  readonly usage: Usage;
  /** False if the usage is only what failed attempts may have cost: the caller does not pay it. */
  readonly charged: boolean;
  /** What providers bill; null if the model has no price, never 0 instead. */
  readonly costNanoDollars: bigint | null;
  /** What the caller pays. */
  readonly priceNanoDollars: bigint | null;
  readonly firstByteMs: number | null;
  readonly durationMs: number;
  readonly errorCode: string | null;
  readonly warnings: string | null;
  /** Null if there were none. */
  readonly passedOver: readonly PassedOver[] | null;
  /** The service tier, if it is not the default. */
  readonly tier?: string | null;
  /** Of src/canonical/timings.ts; null where they were not measured. */
  readonly timings?: string | null;
}

/** An attempt other than the successful one, which is in the request's own row. */
export interface LedgerAttempt {
  readonly number: number;
  readonly provider: string;
  /** For its price. */
  readonly providerKind?: string;
  readonly upstreamModel: string;
  readonly credential?: string | null;
  /** `answered`, or what the provider may bill for a failed one: `unsent`, `refused` or `possible`. */
  readonly outcome: string;
  readonly errorCode: string | null;
  readonly httpStatus: number | null;
  /** Relative to the arrival of the request. */
  readonly startedMs?: number | null;
  readonly firstByteMs?: number | null;
  readonly durationMs: number;
  /** What a `possible` attempt may have cost; 0 for others. */
  readonly possibleInputTokens: number;
  readonly costNanoDollars?: bigint | null;
  readonly costVersion?: string | null;
}

/** The reservation of a row when the process that opened it stopped. */
export interface OpenReservation {
  readonly id: string;
  /** `interrupted` rows have ended; `pending` ones are still to be settled. */
  readonly state: "interrupted" | "pending";
  readonly atMs: number;
  readonly organization: string | null;
  readonly project: string | null;
  readonly keyId: string;
  readonly endUser: string | null;
  readonly reservedNanoDollars: bigint;
}

export interface LedgerEntry {
  /** May be called at any rate: it is written at most every five seconds, and never fails. */
  progress(progress: LedgerProgress): void;
  /** Resolves to true when the row is committed. A second call changes nothing and resolves to false. */
  settle(settlement: LedgerSettlement, otherAttempts?: readonly LedgerAttempt[]): Promise<boolean>;
}
