// Settles an exchange that has outlived its request: a task, possibly of another process.
import type { Events, RequestIds } from "../../telemetry/events.ts";
import type { Traces } from "../../telemetry/trace.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { type Ending, settlementOf } from "../ledger/settlement.ts";
import type { PendingReservations } from "../policy/reservations.ts";
import type { Prices } from "../prices/prices.ts";

interface PendingDependencies {
  readonly prices: Prices;
  readonly ledger: Pick<Ledger, "settlePending">;
  readonly pending: PendingReservations;
  readonly events: Events;
  readonly traces: Traces | null;
}

/** Settles an exchange that its request has left pending. Repeated calls change nothing. */
export async function settlePending(
  { ledger, pending, events, prices, traces }: PendingDependencies,
  ids: RequestIds,
  ending: Ending,
): Promise<void> {
  const settlement = settlementOf(ending, prices);
  pending.settle(ids.id, settlement);
  if (!(await ledger.settlePending(ids.id, settlement))) return;
  const { operation, warnings } = ending;
  const settled = { operation, settlement, warnings, isStream: false, overheadMs: null };
  events.exchangeSettled(settled, null, ids);
  traces?.settledLater(settled, ids);
}
