// The reservations of all policies for an exchange as one: all or none, settled and released once.
import type { Usage } from "../../canonical/usage.ts";
import type { LedgerAttempt, LedgerSettlement, OpenReservation } from "../ledger/types.ts";
import type { Candidate } from "../routing/catalog.ts";
import type { Policy, Reservation, ResolvedIntent } from "./policy.ts";

export interface Reservations {
  extend(usage: Usage): void;
  /** How many tokens of output may be forwarded: fewer than requested if a policy reserves no more. */
  cover(outputTokens: number): number;
  /** The lowered output limit; null if it is unchanged. */
  maxOutputTokens(): number | null;
  /** Null if no policy reserves money. */
  reservedNanoDollars(): bigint | null;
  /** Before each attempt. False if a limit of the candidate's provider is reached. */
  attempt(candidate: Candidate): boolean;
  settle(settlement: LedgerSettlement, others?: readonly LedgerAttempt[]): void;
  release(): void;
  /** Undoes the reservations: the exchange has not started. */
  cancel(): void;
}

/** Throws the refusal of a policy; nothing stays reserved then. */
export function reserve(policies: readonly Policy[], intent: ResolvedIntent): Reservations {
  const held: Reservation[] = [];
  try {
    for (const policy of policies) {
      const reservation = policy.admit?.(intent);
      if (reservation !== undefined) held.push(reservation);
    }
  } catch (thrown) {
    for (const reservation of held) cancel(reservation);
    throw thrown;
  }
  return new AllReservations(held);
}

function cancel(reservation: Reservation): void {
  if (reservation.cancel === undefined) reservation.release?.();
  else reservation.cancel();
}

/** Each step has an effect only once. */
class AllReservations implements Reservations {
  declare private readonly held: readonly Reservation[];
  declare private isSettled: boolean;
  declare private isReleased: boolean;

  constructor(held: readonly Reservation[]) {
    this.held = held;
    this.isSettled = false;
    this.isReleased = false;
  }

  extend(usage: Usage): void {
    if (!this.isSettled) for (const reservation of this.held) reservation.extend?.(usage);
  }

  cover(outputTokens: number): number {
    let covered = Number.POSITIVE_INFINITY;
    if (!this.isSettled)
      for (const reservation of this.held) covered = Math.min(covered, reservation.cover?.(outputTokens) ?? covered);
    return covered;
  }

  maxOutputTokens(): number | null {
    return this.held.find(({ maxOutputTokens }) => typeof maxOutputTokens === "number")?.maxOutputTokens ?? null;
  }

  reservedNanoDollars(): bigint | null {
    return this.held.find((each) => each.reservedNanoDollars !== undefined)?.reservedNanoDollars ?? null;
  }

  attempt(candidate: Candidate): boolean {
    return this.held.every((reservation) => reservation.attempt?.(candidate) !== false);
  }

  settle(settlement: LedgerSettlement, others?: readonly LedgerAttempt[]): void {
    if (this.isSettled) return;
    this.isSettled = true;
    for (const reservation of this.held) reservation.settle?.(settlement, others);
  }

  cancel(): void {
    if (this.isSettled || this.isReleased) return;
    this.isSettled = true;
    this.isReleased = true;
    for (const reservation of this.held) cancel(reservation);
  }

  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    for (const reservation of this.held) reservation.release?.();
  }
}

/** Reservations of exchanges that were answered and are settled later, by exchange id. */
export interface PendingReservations {
  add(id: string, reservations: Reservations): void;
  /** Settles and removes them. Does nothing for an exchange that another instance admitted. */
  settle(id: string, settlement: LedgerSettlement): void;
}

/** `earlier` are the reservations of an earlier process for pending exchanges. */
export function createPendingReservations(
  policies: readonly Policy[],
  earlier: readonly OpenReservation[],
): PendingReservations {
  const pending = new Map<string, Reservations>();
  for (const row of earlier) {
    if (row.state !== "pending") continue;
    const held = policies.flatMap((policy) => policy.restore?.(row) ?? []);
    if (held.length > 0) pending.set(row.id, new AllReservations(held));
  }
  return {
    add: (id, reservations) => void pending.set(id, reservations),
    settle(id, settlement) {
      pending.get(id)?.settle(settlement);
      pending.delete(id);
    },
  };
}
