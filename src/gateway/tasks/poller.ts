// Looks after all tasks with one look at the clock: takes what is due, a bounded number at a time, and works on it.
import { createSemaphore, type Semaphore } from "../../lib/semaphore.ts";
import { claimTasks, clampFuturePolls, purgeTasks, releaseTasks, type TaskRow } from "../../store/tasks.ts";
import { leaseMs, type TaskDependencies } from "./dependencies.ts";
import { settleRest } from "./finalize.ts";
import { pollTask } from "./poll.ts";
import { expireCopies } from "./results.ts";
import { repeat, settledWithin } from "./schedule.ts";

export interface Poller {
  /** Takes nothing more, and waits for what is under way, at most so long. */
  close(patienceMs: number): Promise<void>;
}

/** Between two looks at the table; most find nothing, and cost one search in an index. */
const lookMs = 250;
const upkeepMs = 60_000;
/** Far more than any wait and any lease. */
const longestWaitMs = 15 * 60_000;
/** Taken in one look: after a restart everything is due, and is asked for at this pace. */
const mostAtOnce = 32;
/** Under way in all, and for one provider. */
const mostUnderWay = 64;
const mostPerProvider = 12;

interface Work {
  readonly parts: TaskDependencies;
  readonly underWay: Set<Promise<void>>;
  readonly gates: Map<string, Semaphore>;
}

function busyProviders({ gates }: Work): string[] {
  return [...gates].filter(([, gate]) => gate.count() >= mostPerProvider).map(([name]) => name);
}

function gateOf({ gates }: Work, provider: string): Semaphore {
  const gate = gates.get(provider) ?? createSemaphore(mostPerProvider);
  gates.set(provider, gate);
  return gate;
}

function begin(work: Work, row: TaskRow): void {
  const { parts, underWay, gates } = work;
  const gate = gateOf(work, row.provider);
  const turn = gate
    .acquire()
    .then(() => pollTask(parts, row))
    .catch((thrown: unknown) => parts.gateway.events.backgroundFailed("videos", thrown))
    .finally(() => {
      gate.release();
      underWay.delete(turn);
      if (gate.count() === 0) gates.delete(row.provider);
    });
  underWay.add(turn);
}

async function look(work: Work): Promise<void> {
  const { parts, underWay } = work;
  const limit = Math.min(mostAtOnce, mostUnderWay - underWay.size);
  if (limit <= 0) return;
  const nowMs = parts.gateway.clock.nowMs();
  const { leaseOwner } = parts;
  const claim = { leaseOwner, nowMs, leaseUntilMs: nowMs + leaseMs, limit, without: busyProviders(work) };
  for (const row of await claimTasks(parts.store, claim)) begin(work, row);
}

async function upkeep(dependencies: TaskDependencies): Promise<void> {
  const nowMs = dependencies.gateway.clock.nowMs();
  await clampFuturePolls(dependencies.store, nowMs, nowMs + longestWaitMs);
  await settleRest(dependencies);
  await expireCopies(dependencies);
  await purgeTasks(dependencies.store, nowMs);
}

/** Takes over what an earlier process left, settles what it could not, and goes on until it is closed. */
export async function startPoller(dependencies: TaskDependencies): Promise<Poller> {
  const work: Work = { parts: dependencies, underWay: new Set(), gates: new Map() };
  if (dependencies.store.engine === "sqlite")
    await releaseTasks(dependencies.store, dependencies.gateway.clock.nowMs());
  await settleRest(dependencies);
  const stops = [
    repeat(dependencies.gateway.events, Math.max(10, lookMs * dependencies.waitScale), () => look(work)),
    repeat(dependencies.gateway.events, Math.max(10, upkeepMs * dependencies.waitScale), () => upkeep(dependencies)),
  ];
  return {
    async close(patienceMs) {
      for (const stop of stops) stop();
      await settledWithin(work.underWay, patienceMs);
    },
  };
}
