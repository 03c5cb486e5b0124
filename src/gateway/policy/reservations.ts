// What all policies hold for an exchange, as one: reserved all or none, settled and released once.
import type { Usage } from "../../canonical/usage.ts";
import type { LedgerSettlement } from "../ledger/ledger.ts";
import type { Policy, Reservation, ResolvedIntent } from "./policy.ts";

export interface Reservations {
  extend(usage: Usage): void;
  settle(settlement: LedgerSettlement): void;
  release(): void;
}

/** Throws what a policy refuses with; nothing stays reserved then. */
export function reserve(policies: readonly Policy[], intent: ResolvedIntent): Reservations {
  const held: Reservation[] = [];
  try {
    for (const policy of policies) {
      const reservation = policy.admit?.(intent);
      if (reservation !== undefined) held.push(reservation);
    }
  } catch (thrown) {
    for (const reservation of held) reservation.release?.();
    throw thrown;
  }
  let isSettled = false;
  let isReleased = false;
  return {
    extend(usage) {
      if (!isSettled) for (const reservation of held) reservation.extend?.(usage);
    },
    settle(settlement) {
      if (isSettled) return;
      isSettled = true;
      for (const reservation of held) reservation.settle?.(settlement);
    },
    release() {
      if (isReleased) return;
      isReleased = true;
      for (const reservation of held) reservation.release?.();
    },
  };
}

/** Reservations of exchanges that were answered and are settled later, by exchange id. */
export interface PendingReservations {
  add(id: string, reservations: Reservations): void;
  /** Settles them and forgets them. Nothing for an exchange that another process admitted. */
  settle(id: string, settlement: LedgerSettlement): void;
}

export function createPendingReservations(): PendingReservations {
  const pending = new Map<string, Reservations>();
  return {
    add: (id, reservations) => void pending.set(id, reservations),
    settle(id, settlement) {
      pending.get(id)?.settle(settlement);
      pending.delete(id);
    },
  };
}
