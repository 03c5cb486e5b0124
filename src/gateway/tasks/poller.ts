// Looks after all tasks with one look at the clock: takes what is due, a bounded number at a time, and works on it.
import { createSemaphore, type Semaphore } from "../../lib/semaphore.ts";
import { claimTasks, clampFuturePolls, purgeTasks, releaseTasks, type TaskRow } from "../../store/tasks.ts";
import { leaseMs, type TaskDependencies } from "./dependencies.ts";
import { settleRest } from "./finalize.ts";
import { pollTask } from "./poll.ts";
import { expireCopies } from "./results.ts";
import { repeat, settledWithin } from "./schedule.ts";

export interface Poller {
  /** Claims nothing more, and waits for what is running, at most so long. */
  close(patienceMs: number): Promise<void>;
}

/** Between two rounds; most find nothing, and cost one search in an index. */
const intervalMs = 250;
const maintenanceMs = 60_000;
/** Far more than any wait and any lease. */
const longestWaitMs = 15 * 60_000;
/** Per round: after a restart everything is due, and is polled at this pace. */
const maxPerClaim = 32;
/** Under way in all, and for one provider. */
const maxRunning = 64;
const maxPerProvider = 12;

interface Work {
  readonly dependencies: TaskDependencies;
  readonly underWay: Set<Promise<void>>;
  readonly gates: Map<string, Semaphore>;
}

function busyProviders({ gates }: Work): string[] {
  return [...gates].filter(([, gate]) => gate.count() >= maxPerProvider).map(([name]) => name);
}

function semaphoreFor({ gates }: Work, provider: string): Semaphore {
  const gate = gates.get(provider) ?? createSemaphore(maxPerProvider);
  gates.set(provider, gate);
  return gate;
}

function start(work: Work, row: TaskRow): void {
  const { dependencies, underWay, gates } = work;
  const gate = semaphoreFor(work, row.provider);
  const turn = gate
    .acquire()
    .then(() => pollTask(dependencies, row))
    .catch((thrown: unknown) => dependencies.gateway.events.backgroundTaskFailed("videos", thrown))
    .finally(() => {
      gate.release();
      underWay.delete(turn);
      if (gate.count() === 0) gates.delete(row.provider);
    });
  underWay.add(turn);
}

async function claimDue(work: Work): Promise<void> {
  const { dependencies, underWay } = work;
  const limit = Math.min(maxPerClaim, maxRunning - underWay.size);
  if (limit <= 0) return;
  const nowMs = dependencies.gateway.clock.nowMs();
  const { leaseOwner } = dependencies;
  const claim = { leaseOwner, nowMs, leaseUntilMs: nowMs + leaseMs, limit, without: busyProviders(work) };
  for (const row of await claimTasks(dependencies.store, claim)) start(work, row);
}

async function maintain(dependencies: TaskDependencies): Promise<void> {
  const nowMs = dependencies.gateway.clock.nowMs();
  await clampFuturePolls(dependencies.store, nowMs, nowMs + longestWaitMs);
  await settleRest(dependencies);
  await expireCopies(dependencies);
  await purgeTasks(dependencies.store, nowMs);
}

/** Takes over what an earlier process left, settles what it could not, and goes on until it is closed. */
export async function startPoller(dependencies: TaskDependencies): Promise<Poller> {
  const work: Work = { dependencies, underWay: new Set(), gates: new Map() };
  if (dependencies.store.engine === "sqlite")
    await releaseTasks(dependencies.store, dependencies.gateway.clock.nowMs());
  await settleRest(dependencies);
  const stops = [
    repeat(dependencies.gateway.events, Math.max(10, intervalMs * dependencies.waitScale), () => claimDue(work)),
    repeat(dependencies.gateway.events, Math.max(10, maintenanceMs * dependencies.waitScale), () =>
      maintain(dependencies),
    ),
  ];
  return {
    async close(patienceMs) {
      for (const stop of stops) stop();
      await settledWithin(work.underWay, patienceMs);
    },
  };
}
