// What is done beside the requests: runs of dead processes end, runs of this one give signs of life, old responses go.
import { gatewayStoppedError } from "../../dialects/stored-responses.ts";
import {
  abandonedResponses,
  advanceResponse,
  purgeExpiredResponses,
  purgeOldResponses,
} from "../../store/responses.ts";
import type { BackgroundRuns } from "./background-runs.ts";
import { bodyOf } from "./conversation.ts";
import type { ResponsesDependencies } from "./dependencies.ts";

const beatMs = 20_000;
const sweepMs = 60 * 60_000;
const boundMs = 60_000;

/** Fails what nobody works on any more. `nowMs` null: whatever is not over, because nobody else shares the store. */
async function failAbandoned({ store }: ResponsesDependencies, nowMs: number | null): Promise<void> {
  for (const row of await abandonedResponses(store, nowMs)) {
    const body = { ...bodyOf(row), status: "failed", error: gatewayStoppedError };
    await advanceResponse(store, { id: row.id, state: "failed", body: JSON.stringify(body), aliveUntilMs: null });
  }
}

/** Ends what an earlier process left, then goes on until it is stopped. */
export async function startMaintenance(
  dependencies: ResponsesDependencies,
  runs: BackgroundRuns,
): Promise<{ stop(): void }> {
  const { store, gateway } = dependencies;
  const { clock, events } = gateway;
  const isShared = store.engine !== "sqlite";
  const failed = (cause: unknown): void => events.backgroundFailed("responses", cause);
  const beat = async (): Promise<void> => {
    await runs.heartbeat();
    if (isShared) await failAbandoned(dependencies, clock.nowMs());
  };
  const sweep = (): Promise<unknown> => purgeExpiredResponses(store, clock.nowMs());
  await failAbandoned(dependencies, isShared ? clock.nowMs() : null);
  const bound = (): Promise<unknown> => purgeOldResponses(store, gateway.limits.maxStoredResponses);
  void sweep().then(bound).catch(failed);
  const timers = [
    setInterval(() => void beat().catch(failed), beatMs),
    setInterval(() => void sweep().catch(failed), sweepMs),
    setInterval(() => void bound().catch(failed), boundMs),
  ];
  for (const timer of timers) timer.unref();
  return { stop: () => timers.forEach(clearInterval) };
}
