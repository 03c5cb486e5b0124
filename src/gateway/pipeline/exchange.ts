// The life of one client request: opened before dispatch, settled exactly once, whatever happens in between.
import { changed, type GatewayError } from "../../canonical/error.ts";
import { type Usage, zeroUsage } from "../../canonical/usage.ts";
import type { Warning } from "../../canonical/warning.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Events } from "../../telemetry/events.ts";
import type { LedgerAttempt, LedgerEntry, LedgerSettlement } from "../ledger/ledger.ts";
import type { Candidate } from "../routing/catalog.ts";
import type { Lease } from "./admission.ts";

/** Who answered, after how many tries. */
export interface ServedBy {
  readonly candidate: Candidate;
  /** The model as the client named it. */
  readonly requestedModel: string;
  readonly attempts: number;
  readonly warnings: readonly Warning[];
}

/** The failure with who was asked, for the headers of the answer. */
export function withServedBy(failure: GatewayError, servedBy: ServedBy | null): GatewayError {
  if (servedBy === null) return failure;
  const { candidate, attempts } = servedBy;
  return changed(failure, { asked: { provider: candidate.provider.name, model: candidate.model, attempts } });
}

export interface ExchangeOutcome {
  readonly servedBy: ServedBy | null;
  readonly usage: Usage | undefined;
  /** Null when the reply was complete. */
  readonly error: GatewayError | null;
  /** False where `usage` is only what failed attempts may have cost. Default true. */
  readonly charged?: boolean;
  readonly failedAttempts?: readonly LedgerAttempt[];
}

export interface Exchange {
  /** For the log: its lines name the exchange. */
  readonly events: Events;
  /** Record id, ordered by time. */
  readonly id: string;
  /** Notes when the first byte of the reply was ready. */
  firstByte(): void;
  /** Keeps what has been streamed so far, and by whom, for the case that the process dies. */
  progress(usage: Usage, servedBy: ServedBy | null): void;
  /** Writes the settlement and gives the lease back. Calls after the first do nothing. */
  settle(outcome: ExchangeOutcome): Promise<unknown>;
}

function stateOf(error: GatewayError | null): LedgerSettlement["state"] {
  if (error === null) return "completed";
  if (error.kind === "client_closed") return "cancelled";
  return error.status < 500 && error.retry === "never" ? "rejected" : "failed";
}

/** `openedMs` is monotonic: when the request arrived. */
export function createExchange(
  id: string,
  entry: LedgerEntry,
  lease: Lease,
  clock: Clock,
  openedMs: number,
  events: Events,
): Exchange {
  let firstByteMs: number | null = null;
  let settled = false;
  let done: Promise<unknown> = Promise.resolve();
  return {
    id,
    events,
    firstByte() {
      firstByteMs ??= Math.round(clock.monotonicMs() - openedMs);
    },
    progress: (usage, by) => entry.progress({ ...buckets(usage), ...asked(by) }),
    settle({ servedBy, usage, error, charged = true, failedAttempts }) {
      if (settled) return done;
      settled = true;
      lease.release();
      if (error !== null) events.exchangeFailed(error);
      const settlement: LedgerSettlement = {
        state: stateOf(error),
        httpStatus: error === null ? 200 : error.status,
        ...asked(servedBy),
        attempts: servedBy?.attempts ?? 0,
        ...buckets(usage ?? zeroUsage),
        units: usage?.units ?? null,
        estimated: usage?.estimated ?? false,
        charged,
        costNanoDollars: null,
        priceVersion: null,
        firstByteMs,
        durationMs: Math.round(clock.monotonicMs() - openedMs),
        errorCode: error === null ? null : error.code,
        warnings: servedBy !== null && servedBy.warnings.length > 0 ? warningText(servedBy.warnings) : null,
      };
      done = entry.settle(settlement, failedAttempts);
      return done;
    },
  };
}

const asked = (servedBy: ServedBy | null) => ({
  provider: servedBy?.candidate.provider.name ?? null,
  upstreamModel: servedBy?.candidate.model ?? null,
});

function buckets(usage: Usage) {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens } = usage;
  return { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens };
}

/** As in the header `x-turnpike-warnings`: `dropped;field=seed, approximated;field=temperature`. */
export function warningText(warnings: readonly Warning[]): string {
  return warnings.map(({ code, path }) => `${code};field=${path}`).join(", ");
}
