// What the ledger keeps of one request: an opening before anything is sent, a settlement before the last byte leaves.
import type { BilledUnits, Usage } from "../../canonical/usage.ts";

/** How a request ended. `rejected`: the gateway refused it; `cancelled`: the client left. */
export type EndState = "completed" | "failed" | "cancelled" | "rejected";
/**
 * `interrupted`: the process died in between; found at the next start, with what had been reported until then.
 * `pending`: a task goes on after its request was answered, and after the process; it is settled by its id.
 */
export type EntryState = "open" | "pending" | "interrupted" | EndState;

export interface LedgerOpening {
  /** UUIDv7 of the exchange; the ledger does not check that it is new. */
  readonly id: string;
  readonly atMs: number;
  /** The id that the client sees. */
  readonly requestId: string;
  readonly keyId: string;
  readonly operation: string;
  readonly dialect: string;
  /** The model as the client named it. */
  readonly model: string;
  readonly stream: boolean;
  /** Tokens of the input, by a quick estimate: what remains of a request whose process dies before it notes any progress. */
  readonly inputTokens: number;
  /** Tokens that the input does not exceed. */
  readonly inputBound: number;
}

/** Disjoint buckets of whole tokens. */
export type LedgerTokens = Omit<Usage, "estimated" | "units">;

/** What a stream has come to so far: what remains of it when the process dies. */
export interface LedgerProgress extends LedgerTokens {
  readonly provider?: string | null;
  readonly upstreamModel?: string | null;
}

export interface LedgerSettlement extends LedgerTokens {
  readonly state: EndState;
  /** What the client was answered. */
  readonly httpStatus: number;
  readonly provider: string | null;
  readonly upstreamModel: string | null;
  readonly attempts: number;
  /** What is not counted in tokens; null where everything is. */
  readonly units: BilledUnits | null;
  /** The gateway counted by itself. */
  readonly estimated: boolean;
  /** False where the tokens are only what failed attempts may have cost: the caller does not pay them. */
  readonly charged: boolean;
  /** Null when the model has no price; never 0 for lack of one. */
  readonly costNanoDollars: bigint | null;
  readonly priceVersion: string | null;
  readonly firstByteMs: number | null;
  readonly durationMs: number;
  readonly errorCode: string | null;
  readonly warnings: string | null;
}

/** An attempt that did not answer, as it is kept beside its request. */
export interface LedgerAttempt {
  readonly number: number;
  readonly provider: string;
  readonly upstreamModel: string;
  /** `unsent`, `refused` or `possible`: what the provider may bill for it. */
  readonly outcome: string;
  readonly errorCode: string;
  readonly httpStatus: number | null;
  readonly durationMs: number;
  /** What a `possible` attempt may have cost; 0 for others. */
  readonly possibleInputTokens: number;
}

export interface LedgerEntry {
  /** Call it as often as you like: it is written at most every five seconds, and never fails. */
  progress(progress: LedgerProgress): void;
  /** Resolves when the row is committed: true. A second call changes nothing and resolves to false. */
  settle(settlement: LedgerSettlement, failedAttempts?: readonly LedgerAttempt[]): Promise<boolean>;
}
