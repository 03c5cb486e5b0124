// The runs of this process: found by their ids, kept for a while after their end so that they can be followed again.
import { GatewayError } from "../../canonical/error.ts";
import type { BackgroundRun } from "./background-run.ts";
import type { ResponsesDependencies } from "./dependencies.ts";

export interface BackgroundRuns {
  /** Throws `overloaded` when too many are under way. */
  admit(): void;
  add(run: BackgroundRun): void;
  /** Only a run of this owner is found. */
  find(id: string, ownerKeyId: string): BackgroundRun | undefined;
  forget(id: string): void;
  /** A sign of life for all that work, and the end of memory for those that ended long ago. */
  heartbeat(): Promise<void>;
  /** Waits for all that work, at most so long; then the rest is cut. */
  close(patienceMs: number): Promise<void>;
}

const maxRuns = 1_024;
const memoryMs = 5 * 60_000;
/** Text of the events of all runs that have ended. */
const maxRememberedChars = 64 * 1024 * 1024;

export function createBackgroundRuns({ gateway }: Pick<ResponsesDependencies, "gateway">): BackgroundRuns {
  const runs = new Map<string, BackgroundRun>();
  const working = (): BackgroundRun[] => [...runs.values()].filter((run) => run.endedMs() === null);
  const forgetOld = (): void => {
    const nowMs = gateway.clock.monotonicMs();
    let chars = 0;
    for (const run of [...runs.values()].reverse()) {
      const endedMs = run.endedMs();
      if (endedMs === null) continue;
      chars += run.log.chars();
      if (nowMs - endedMs > memoryMs || chars > maxRememberedChars) runs.delete(run.job.id);
    }
  };
  return {
    admit() {
      if (working().length >= maxRuns)
        throw new GatewayError(
          "overloaded",
          "The gateway has too many background responses in progress. Try again later.",
          {
            retryAfterMs: 5_000,
          },
        );
    },
    add(run) {
      runs.set(run.job.id, run);
      void run.done.then(forgetOld);
    },
    find(id, ownerKeyId) {
      const run = runs.get(id);
      return run?.job.ownerKeyId === ownerKeyId ? run : undefined;
    },
    forget: (id) => void runs.delete(id),
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
