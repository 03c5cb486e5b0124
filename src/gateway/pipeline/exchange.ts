// The life of one exchange: admitted, opened in the ledger before dispatch, settled exactly once, whatever happens in between.
import { changed, type GatewayError } from "../../canonical/error.ts";
import type { Usage } from "../../canonical/usage.ts";
import type { Warning } from "../../canonical/warning.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Events, RequestIds } from "../../telemetry/events.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { type Ending, endStateOf, settlementOf } from "../ledger/settlement.ts";
import type { LedgerAttempt, LedgerEntry } from "../ledger/types.ts";
import type { PendingReservations, Reservations } from "../policy/reservations.ts";
import type { Candidate } from "../routing/catalog.ts";

/** Who answered, after how many attempts. */
export interface ServedBy {
  readonly candidate: Candidate;
  /** The model as the client named it. */
  readonly requestedModel: string;
  readonly attempts: number;
  readonly warnings: readonly Warning[];
}

/** The failure with the candidate that was asked last, for the headers of the response. */
export function withServedBy(failure: GatewayError, servedBy: ServedBy | null): GatewayError {
  if (servedBy === null) return failure;
  const { candidate, attempts } = servedBy;
  return changed(failure, { asked: { provider: candidate.provider.entry.name, model: candidate.model, attempts } });
}

export interface ExchangeOutcome {
  readonly servedBy: ServedBy | null;
  readonly usage: Usage | undefined;
  /** Null when the reply was complete. */
  readonly error: GatewayError | null;
  /** False where `usage` is only what failed attempts may have cost. Default true. */
  readonly charged?: boolean;
  /** When the attempt that answered began, counted from the arrival of the request. */
  readonly attemptStartedMs?: number | null;
  readonly failedAttempts?: readonly LedgerAttempt[];
}

export interface Exchange {
  /** Record id, UUIDv7. */
  readonly id: string;
  /** The log, with the ids of this exchange in every line. */
  readonly events: Events;
  /** Who may be asked, in order. */
  readonly candidates: readonly Candidate[];
  /** Notes when the first byte of the reply was ready. */
  firstByte(): void;
  /** Records what has been streamed so far, and by whom, for the case that the process dies. */
  progress(usage: Usage, servedBy: ServedBy | null): void;
  /** Writes the settlement, then lets the reservations go. Calls after the first change nothing. */
  settle(outcome: ExchangeOutcome): Promise<unknown>;
  /** The request is answered, the exchange goes on: `settlePending` settles it, maybe in another process. */
  leavePending(pending: PendingReservations): void;
}

export interface ExchangeDependencies {
  readonly id: string;
  readonly entry: LedgerEntry;
  readonly reservations: Reservations;
  readonly candidates: readonly Candidate[];
  readonly clock: Clock;
  readonly events: Events;
  /** Monotonic time of arrival, in milliseconds. */
  readonly arrivedMs: number;
}

const askedOf = (servedBy: ServedBy | null) => ({
  provider: servedBy?.candidate.provider.entry.name ?? null,
  upstreamModel: servedBy?.candidate.model ?? null,
});

export function createExchange(dependencies: ExchangeDependencies): Exchange {
  const { id, entry, reservations, candidates, clock, events, arrivedMs } = dependencies;
  let firstByteMs: number | null = null;
  let done: Promise<unknown> | null = null;
  const elapsedMs = (): number => Math.round(clock.monotonicMs() - arrivedMs);
  return {
    id,
    events,
    candidates,
    firstByte() {
      firstByteMs ??= elapsedMs();
    },
    progress(usage, servedBy) {
      reservations.extend(usage);
      entry.progress({ usage, ...askedOf(servedBy) });
    },
    settle({ servedBy, usage, error, charged = true, attemptStartedMs = null, failedAttempts }) {
      if (done !== null) return done;
      const settlement = settlementOf({
        state: endStateOf(error),
        httpStatus: error === null ? 200 : error.status,
        errorCode: error === null ? null : error.code,
        ...askedOf(servedBy),
        attempts: servedBy?.attempts ?? 0,
        warnings: servedBy?.warnings ?? [],
        usage,
        isCharged: charged,
        attemptStartedMs,
        firstByteMs,
        durationMs: elapsedMs(),
      });
      reservations.settle(settlement);
      reservations.release();
      events.exchangeSettled(settlement, error);
      done = entry.settle(settlement, failedAttempts);
      return done;
    },
    leavePending(pending) {
      if (done !== null) return;
      done = Promise.resolve();
      pending.add(id, reservations);
      reservations.release();
    },
  };
}

export interface PendingDependencies {
  readonly ledger: Pick<Ledger, "settlePending">;
  readonly pending: PendingReservations;
  readonly events: Events;
}

/** Settles an exchange that its request has left pending. Doing it twice changes nothing. */
export async function settlePending(
  { ledger, pending, events }: PendingDependencies,
  ids: RequestIds,
  ending: Ending,
): Promise<void> {
  const settlement = settlementOf(ending);
  pending.settle(ids.id, settlement);
  await ledger.settlePending(ids.id, settlement);
  events.of(ids).exchangeSettled(settlement, null);
}
