// A repeated reply: its caller must still be permitted, nothing is charged, and the ledger has a row for it.

import { settlementOf } from "../ledger/settlement.ts";
import { ledgerNames } from "../policy/caller.ts";
import type { ExchangeIntent } from "../policy/policy.ts";
import type { GatewayDependencies } from "./dependencies.ts";

/** A request that is answered with an earlier reply. */
export interface Replay extends Omit<ExchangeIntent, "id"> {
  readonly requestId: string;
  readonly arrivedMs: number;
  readonly dialect: string;
  readonly stream: boolean;
  /** The status of the reply. */
  readonly httpStatus: number;
  /** The exchange of the original reply; null if it is unknown. */
  readonly replayOf: string | null;
}

/**
 * It calls no model: like other such requests it counts as a poll. Throws the refusal of a policy. Resolves when the
 * row is committed.
 */
export async function recordReplay(dependencies: GatewayDependencies, replay: Replay): Promise<void> {
  const { policies, ledger, prices, clock, events, nextId } = dependencies;
  const { caller, operation, model, content, requestId, arrivedMs, dialect, stream, httpStatus, replayOf } = replay;
  const id = nextId();
  for (const policy of policies) policy.authorize?.({ id, caller, operation, model, content });
  dependencies.rates.poll(caller);
  const atMs = clock.nowMs();
  const row = {
    id,
    atMs,
    requestId,
    ...ledgerNames(caller, null),
    operation,
    dialect,
    model,
    stream,
    inputTokens: 0,
    inputBound: 0,
  };
  const entry = await ledger.open({ ...row, ...(replayOf === null ? {} : { replayOf }) });
  const settlement = settlementOf(
    {
      ...{ operation, model, admittedAtMs: atMs, state: "replayed", httpStatus, errorCode: null },
      ...{ provider: null, providerKind: null, upstreamModel: null, attempts: 0, warnings: [] },
      ...{ usage: undefined, isCharged: true, firstByteMs: null },
      durationMs: clock.monotonicMs() - arrivedMs,
    },
    prices,
  );
  const settled = { operation, settlement, warnings: [], isStream: false, overheadMs: null };
  events.exchangeSettled(settled, null, { id, requestId });
  await entry.settle(settlement);
}
