// Looks after all tasks with one look at the clock: takes what is due, a bounded number at a time, and works on it.
import { createGate, type Gate } from "../../lib/semaphore.ts";
import { claimTasks, forgetTasks, recallTasks, releaseTasks, type TaskRow } from "../../store/tasks.ts";
import { leaseMs, type VideoParts } from "./dependencies.ts";
import { settleRest } from "./finalize.ts";
import { repeat, settledWithin } from "./interval.ts";
import { pollTask } from "./poll.ts";
import { dropStale } from "./retention.ts";

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
  readonly parts: VideoParts;
  readonly underWay: Set<Promise<void>>;
  readonly gates: Map<string, Gate>;
}

function busyProviders({ gates }: Work): string[] {
  return [...gates].filter(([, gate]) => gate.count() >= mostPerProvider).map(([name]) => name);
}

function gateOf({ gates }: Work, provider: string): Gate {
  const gate = gates.get(provider) ?? createGate(mostPerProvider);
  gates.set(provider, gate);
  return gate;
}

function begin(work: Work, row: TaskRow): void {
  const { parts, underWay, gates } = work;
  const gate = gateOf(work, row.provider);
  const turn = gate
    .enter()
    .then(() => pollTask(parts, row))
    .catch((thrown: unknown) => parts.gateway.events.backgroundFailed("videos", thrown))
    .finally(() => {
      gate.leave();
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

async function upkeep(parts: VideoParts): Promise<void> {
  const nowMs = parts.gateway.clock.nowMs();
  await recallTasks(parts.store, nowMs, nowMs + longestWaitMs);
  await settleRest(parts);
  await dropStale(parts);
  await forgetTasks(parts.store, nowMs);
}

/** Takes over what an earlier process left, settles what it could not, and goes on until it is closed. */
export async function startPoller(parts: VideoParts): Promise<Poller> {
  const work: Work = { parts, underWay: new Set(), gates: new Map() };
  if (parts.store.engine === "sqlite") await releaseTasks(parts.store, parts.gateway.clock.nowMs());
  await settleRest(parts);
  const stops = [
    repeat(parts.gateway.events, Math.max(10, lookMs * parts.waitScale), () => look(work)),
    repeat(parts.gateway.events, Math.max(10, upkeepMs * parts.waitScale), () => upkeep(parts)),
  ];
  return {
    async close(patienceMs) {
      for (const stop of stops) stop();
      await settledWithin(work.underWay, patienceMs);
    },
  };
}
