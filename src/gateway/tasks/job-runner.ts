// Runs what is left to do for tasks that are over: a bounded number at a time, each by one process, and again until it is done.
import { claimJobs, releaseJobs, type TaskJob, type TaskJobRow } from "../../store/task-jobs.ts";
import { copyTask } from "./archive.ts";
import { leaseMs, type TaskDependencies } from "./dependencies.ts";
import type { DiskReservation } from "./results.ts";
import { repeat, settledWithin } from "./schedule.ts";
import { deliverWebhook } from "./webhook.ts";

export interface JobRunner {
  /** Takes nothing more, stops what is under way, and waits for it, at most so long. */
  close(patienceMs: number): Promise<void>;
}

/** Nobody waits for them as for polls. */
const lookMs = 1_000;

/** One kind of errand: how many may be under way, in all and for one owner, and what a turn of it is. */
interface Kind {
  readonly errand: TaskJob;
  readonly most: number;
  readonly mostPerOwner: number;
  turn(row: TaskJobRow, signal: AbortSignal): Promise<void>;
}

interface Work {
  readonly parts: TaskDependencies;
  readonly kind: Kind;
  readonly underWay: Map<Promise<void>, string>;
  readonly signal: AbortSignal;
}

function countOf({ underWay }: Work, owner: string): number {
  return [...underWay.values()].filter((each) => each === owner).length;
}

function busyOwners(work: Work): string[] {
  return [...new Set(work.underWay.values())].filter((owner) => countOf(work, owner) >= work.kind.mostPerOwner);
}

function begin({ parts, kind, underWay, signal }: Work, row: TaskJobRow): void {
  const turn = kind
    .turn(row, signal)
    .catch((thrown: unknown) => parts.gateway.events.backgroundFailed("videos", thrown))
    .finally(() => underWay.delete(turn));
  underWay.set(turn, row.ownerKeyId);
}

/** One at a time, so that an owner with many never gets more than its share in one look. */
async function look(work: Work): Promise<void> {
  const { parts, kind, underWay, signal } = work;
  const { leaseOwner, store, gateway } = parts;
  while (underWay.size < kind.most && !signal.aborted) {
    const nowMs = gateway.clock.nowMs();
    const claim = { leaseOwner, nowMs, leaseUntilMs: nowMs + leaseMs, limit: 1, without: busyOwners(work) };
    const [row] = await claimJobs(store, kind.errand, claim);
    if (row === undefined) return;
    begin(work, row);
  }
}

function kindsOf(dependencies: TaskDependencies): readonly Kind[] {
  const room: DiskReservation = { reserved: 0 };
  return [
    { errand: "tell", most: 16, mostPerOwner: 4, turn: (row, signal) => deliverWebhook(dependencies, row, signal) },
    { errand: "copy", most: 4, mostPerOwner: 2, turn: (row, signal) => copyTask(dependencies, row, signal, room) },
  ];
}

/** Takes over what an earlier process left, and goes on until it is closed. */
export async function startJobRunner(dependencies: TaskDependencies): Promise<JobRunner> {
  const { store, gateway, waitScale } = dependencies;
  const stopping = new AbortController();
  const works: Work[] = [];
  for (const kind of kindsOf(dependencies)) {
    if (store.engine === "sqlite") await releaseJobs(store, kind.errand, gateway.clock.nowMs());
    works.push({ parts: dependencies, kind, underWay: new Map(), signal: stopping.signal });
  }
  const everyMs = Math.max(10, lookMs * waitScale);
  const stops = works.map((work) => repeat(gateway.events, everyMs, () => look(work)));
  return {
    async close(patienceMs) {
      for (const stop of stops) stop();
      stopping.abort(new Error("The gateway is shutting down."));
      await settledWithin(
        works.flatMap(({ underWay }) => [...underWay.keys()]),
        patienceMs,
      );
    },
  };
}
