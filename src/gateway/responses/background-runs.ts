// The background runs of this process, and the maintenance of stored responses: heartbeats, abandoned runs, purges.
import { GatewayError } from "../../canonical/error.ts";
import { abandonedResponses, purgeExpiredResponses, purgeOldResponses } from "../../store/responses.ts";
import type { BackgroundRun } from "./background-run.ts";
import { advanceTo, documentOf, type ResponsesDependencies } from "./persist.ts";

/** Runs by id; for a while after their end too, so that they can be streamed again. */
export interface BackgroundRuns {
  /** Throws `overloaded` when too many are running. */
  admit(): void;
  add(run: BackgroundRun): void;
  /** Only a run of this owner is found. */
  find(id: string, ownerKeyId: string): BackgroundRun | undefined;
  forget(id: string): void;
  /** Cancels the runs of this owner. */
  cancelOf(ownerKeyId: string, reason: GatewayError): Promise<void>;
  /** Extends the claims of all runs, and drops those that ended long ago. */
  heartbeat(): Promise<void>;
  /** Waits for all runs up to a limit; then the rest is aborted. */
  close(patienceMs: number): Promise<void>;
}

const rememberedMs = 5 * 60_000;

export function createBackgroundRuns({ gateway }: Pick<ResponsesDependencies, "gateway">): BackgroundRuns {
  const { limits } = gateway;
  const runs = new Map<string, BackgroundRun>();
  const working = (): BackgroundRun[] => [...runs.values()].filter((run) => run.endedMs() === null);
  const forgetOld = (): void => {
    const nowMs = gateway.clock.monotonicMs();
    let chars = 0;
    for (const run of [...runs.values()].reverse()) {
      const endedMs = run.endedMs();
      if (endedMs === null) continue;
      chars += run.log.chars();
      if (nowMs - endedMs > rememberedMs || chars > limits.maxEndedEventLogsChars) runs.delete(run.job.identity.id);
    }
  };
  return {
    admit() {
      if (working().length >= limits.maxBackgroundResponses)
        throw new GatewayError(
          "overloaded",
          "The gateway has too many background responses in progress. Try again later.",
          {
            retryAfterMs: 5_000,
          },
        );
    },
    add(run) {
      runs.set(run.job.identity.id, run);
      void run.done.then(forgetOld);
    },
    find(id, ownerKeyId) {
      const run = runs.get(id);
      return run?.job.ownerKeyId === ownerKeyId ? run : undefined;
    },
    forget: (id) => void runs.delete(id),
    async cancelOf(ownerKeyId, reason) {
      const own = working().filter(({ job }) => job.ownerKeyId === ownerKeyId);
      await Promise.all(own.map((run) => run.cancel(reason)));
    },
    async heartbeat() {
      forgetOld();
      for (const run of working()) await run.keepAlive();
    },
    async close(patienceMs) {
      const left = working();
      if (left.length === 0) return;
      const all = Promise.all(left.map(({ done }) => done));
      await Promise.race([all, Bun.sleep(patienceMs)]);
      await Promise.all(working().map((run) => run.stop()));
      await all;
    },
  };
}

const heartbeatMs = 20_000;
const purgeExpiredMs = 60 * 60_000;
const purgeOldMs = 60_000;

/**
 * Fails the responses of stopped processes. `nowMs` null: all unfinished ones, because no other process shares the
 * store.
 */
async function failAbandoned(dependencies: ResponsesDependencies, nowMs: number | null): Promise<void> {
  const { store, codec } = dependencies;
  for (const row of await abandonedResponses(store, nowMs)) {
    const response = codec.documents.abandoned(await documentOf(dependencies, row));
    await advanceTo(dependencies, row, response, null);
  }
}

/** Fails the unfinished responses of an earlier process, then repeats until it is stopped. */
export async function startMaintenance(
  dependencies: ResponsesDependencies,
  runs: BackgroundRuns,
): Promise<{ stop(): void }> {
  const { store, gateway } = dependencies;
  const { clock, events, limits } = gateway;
  const isShared = store.engine !== "sqlite";
  const failed = (cause: unknown): void => events.backgroundTaskFailed("responses", cause);
  const heartbeat = async (): Promise<void> => {
    await runs.heartbeat();
    if (isShared) await failAbandoned(dependencies, clock.nowMs());
  };
  const purgeExpired = (): Promise<unknown> => purgeExpiredResponses(store, clock.nowMs());
  const purgeOld = (): Promise<unknown> => purgeOldResponses(store, limits.maxStoredResponses);
  await failAbandoned(dependencies, isShared ? clock.nowMs() : null);
  void purgeExpired().then(purgeOld).catch(failed);
  const timers = [
    setInterval(() => void heartbeat().catch(failed), heartbeatMs),
    setInterval(() => void purgeExpired().catch(failed), purgeExpiredMs),
    setInterval(() => void purgeOld().catch(failed), purgeOldMs),
  ];
  for (const timer of timers) timer.unref();
  return { stop: () => timers.forEach(clearInterval) };
}
