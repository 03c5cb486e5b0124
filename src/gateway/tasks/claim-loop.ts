// Periodically claims due rows of the store and runs them, with limits in total and per group of rows.
import { createSemaphore, type Semaphore } from "../../lib/semaphore.ts";
import type { TaskClaim } from "../../store/tasks.ts";
import { leaseMs, type TaskDependencies } from "./dependencies.ts";
import { repeat } from "./schedule.ts";

/** One kind of work on rows. */
export interface ClaimedWork<Row> {
  /** Between two rounds; most find nothing, and cost one index lookup. */
  readonly intervalMs: number;
  readonly maxRunning: number;
  readonly maxPerGroup: number;
  readonly maxPerClaim: number;
  /** Claims again in the same round while something is due. */
  readonly drains: boolean;
  /** The group with a limit of its own, such as the provider or the owner. */
  groupOf(row: Row): string;
  claim(claim: TaskClaim): Promise<readonly Row[]>;
  run(row: Row): Promise<void>;
}

interface ClaimLoop {
  /** Claimed and unfinished work. */
  readonly running: ReadonlySet<Promise<void>>;
  /** Stops claiming. */
  stop(): void;
}

/** Starts the rounds of one kind of work. */
export function startClaimLoop<Row>(dependencies: TaskDependencies, work: ClaimedWork<Row>): ClaimLoop {
  const { leaseOwner, gateway, waitScale } = dependencies;
  const { maxRunning, maxPerGroup, maxPerClaim, drains } = work;
  const running = new Set<Promise<void>>();
  const groups = new Map<string, Semaphore>();
  let isStopped = false;

  const start = (row: Row): void => {
    const name = work.groupOf(row);
    const group = groups.get(name) ?? createSemaphore(maxPerGroup);
    groups.set(name, group);
    const run = group
      .acquire()
      .then(() => work.run(row))
      .catch((thrown: unknown) => gateway.events.backgroundTaskFailed("videos", thrown))
      .finally(() => {
        group.release();
        running.delete(run);
        if (group.count() === 0) groups.delete(name);
      });
    running.add(run);
  };

  const claimDue = async (): Promise<void> => {
    for (let mayClaim = true; mayClaim && !isStopped; ) {
      const limit = Math.min(maxPerClaim, maxRunning - running.size);
      if (limit <= 0) return;
      const nowMs = gateway.clock.nowMs();
      const without = [...groups].filter(([, group]) => group.count() >= maxPerGroup).map(([name]) => name);
      const rows = await work.claim({ leaseOwner, nowMs, leaseUntilMs: nowMs + leaseMs, limit, without });
      for (const row of rows) start(row);
      mayClaim = drains && rows.length > 0;
    }
  };

  const stopRounds = repeat(gateway.events, work.intervalMs * waitScale, claimDue);
  return {
    running,
    stop() {
      isStopped = true;
      stopRounds();
    },
  };
}
