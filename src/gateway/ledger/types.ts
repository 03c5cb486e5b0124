// What the ledger holds of one request: an opening before anything is sent, a settlement before the last byte leaves.
import type { Usage } from "../../canonical/usage.ts";

/** How a request ended. `rejected`: the gateway refused it; `cancelled`: the client left; `replayed`: an earlier reply was given. */
export type EndState = "completed" | "failed" | "cancelled" | "rejected" | "replayed" | "interrupted";
/**
 * `interrupted`: the process died in between; found at the next start, with what had been reported until then.
 * `pending`: a task continues after its request was answered, and after the process; it is settled by its id.
 */
export type RequestState = "open" | "pending" | EndState;

/** What is known of a request when it is admitted. */
export interface LedgerOpening {
  /** UUIDv7 of the exchange; the ledger does not check that it is new. */
  readonly id: string;
  readonly atMs: number;
  /** The id that the client sees. Clients may use one more than once. */
  readonly requestId: string;
  readonly organization?: string;
  readonly project?: string;
  readonly keyId: string;
  readonly endUser?: string | null;
  readonly session?: string | null;
  readonly operation: string;
  readonly dialect: string;
  /** The model as the client named it. */
  readonly model: string;
  readonly stream: boolean;
  /** Tokens of the input, by a quick estimate: what remains of a request whose process dies before it notes any progress. */
  readonly inputTokens: number;
  /** Tokens that the input does not exceed. */
  readonly inputBound: number;
  /** What budgets and balances hold for it until it is settled. */
  readonly reservedNanoDollars?: bigint | null;
  /** The price books that it was admitted under. */
  readonly costVersion?: string;
  readonly priceVersion?: string;
  /** The exchange whose reply is given again. */
  readonly replayOf?: string;
}

/** A candidate that was not asked, or only behind the others, and why. */
export interface PassedOver {
  readonly provider: string;
  readonly upstreamModel: string;
  /** `not_permitted` by the rules of the caller, `cooling_down` after a fault that only the operator can end, else the code of an error. */
  readonly reason: string;
  /** The field that it cannot carry, where that is the reason. */
  readonly field?: string;
}

/** What a stream has come to so far: what remains of it when the process dies. */
export interface LedgerProgress {
  readonly usage: Usage;
  readonly provider?: string | null;
  readonly upstreamModel?: string | null;
}

export interface LedgerSettlement {
  readonly state: EndState;
  /** What the client was answered. */
  readonly httpStatus: number;
  /** Of the attempt that answered, else of the last one. */
  readonly provider: string | null;
  readonly upstreamModel: string | null;
  readonly credential: string | null;
  /** When that attempt began, counted from the arrival of the request. */
  readonly attemptStartedMs: number | null;
  /** How many there were. */
  readonly attempts: number;
  readonly usage: Usage;
  /** False where the usage is only what failed attempts may have cost: the caller does not pay it. */
  readonly charged: boolean;
  /** What providers bill; null when the model has no price, never 0 for lack of one. */
  readonly costNanoDollars: bigint | null;
  /** What the caller pays. */
  readonly priceNanoDollars: bigint | null;
  readonly firstByteMs: number | null;
  readonly durationMs: number;
  readonly errorCode: string | null;
  readonly warnings: string | null;
  /** Null where none was. */
  readonly passedOver: readonly PassedOver[] | null;
}

/** An attempt other than the one that the client's answer came from. That one is in the request's own row. */
export interface LedgerAttempt {
  readonly number: number;
  readonly provider: string;
  /** For its price. */
  readonly providerKind?: string;
  readonly upstreamModel: string;
  readonly credential?: string | null;
  /** `answered`, or what the provider may bill for one that was not: `unsent`, `refused` or `possible`. */
  readonly outcome: string;
  readonly errorCode: string | null;
  readonly httpStatus: number | null;
  /** Counted from the arrival of the request. */
  readonly startedMs?: number | null;
  readonly firstByteMs?: number | null;
  readonly durationMs: number;
  /** What a `possible` attempt may have cost; 0 for others. */
  readonly possibleInputTokens: number;
  readonly costNanoDollars?: bigint | null;
  readonly costVersion?: string | null;
}

/** What a row held when the process that opened it died. */
export interface OpenReservation {
  readonly id: string;
  /** `interrupted` rows are over; `pending` ones are still to be settled. */
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
  /** Resolves when the row is committed: true. A second call changes nothing and resolves to false. */
  settle(settlement: LedgerSettlement, otherAttempts?: readonly LedgerAttempt[]): Promise<boolean>;
}
