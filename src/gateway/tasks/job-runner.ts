// Runs the jobs of finished tasks, webhooks and copies: a bounded number at a time, each in one process, and again until it is done.
import { claimJobs, releaseJobs, type TaskJob, type TaskJobRow } from "../../store/task-jobs.ts";
import { copyTask } from "./archive.ts";
import { leaseMs, type TaskDependencies } from "./dependencies.ts";
import type { DiskReservation } from "./results.ts";
import { repeat, settledWithin } from "./schedule.ts";
import { deliverWebhook } from "./webhook.ts";

export interface JobRunner {
  /** Claims nothing more, stops what is running, and waits for it, at most so long. */
  close(patienceMs: number): Promise<void>;
}

/** No client waits for them, as for polls. */
const intervalMs = 1_000;

/** One kind of job: how many may run, in all and for one owner, and what one run is. */
interface JobKind {
  readonly job: TaskJob;
  readonly maxRunning: number;
  readonly maxPerOwner: number;
  run(row: TaskJobRow, signal: AbortSignal): Promise<void>;
}

interface Work {
  readonly dependencies: TaskDependencies;
  readonly kind: JobKind;
  readonly underWay: Map<Promise<void>, string>;
  readonly signal: AbortSignal;
}

function countOf({ underWay }: Work, owner: string): number {
  return [...underWay.values()].filter((each) => each === owner).length;
}

function busyOwners(work: Work): string[] {
  return [...new Set(work.underWay.values())].filter((owner) => countOf(work, owner) >= work.kind.maxPerOwner);
}

function start({ dependencies, kind, underWay, signal }: Work, row: TaskJobRow): void {
  const turn = kind
    .run(row, signal)
    .catch((thrown: unknown) => dependencies.gateway.events.backgroundTaskFailed("videos", thrown))
    .finally(() => underWay.delete(turn));
  underWay.set(turn, row.ownerKeyId);
}

/** One at a time, so that an owner with many never gets more than its share. */
async function claimDue(work: Work): Promise<void> {
  const { dependencies, kind, underWay, signal } = work;
  const { leaseOwner, store, gateway } = dependencies;
  while (underWay.size < kind.maxRunning && !signal.aborted) {
    const nowMs = gateway.clock.nowMs();
    const claim = { leaseOwner, nowMs, leaseUntilMs: nowMs + leaseMs, limit: 1, without: busyOwners(work) };
    const [row] = await claimJobs(store, kind.job, claim);
    if (row === undefined) return;
    start(work, row);
  }
}

function kindsOf(dependencies: TaskDependencies): readonly JobKind[] {
  const reservation: DiskReservation = { reserved: 0 };
  return [
    { job: "tell", maxRunning: 16, maxPerOwner: 4, run: (row, signal) => deliverWebhook(dependencies, row, signal) },
    {
      job: "copy",
      maxRunning: 4,
      maxPerOwner: 2,
      run: (row, signal) => copyTask(dependencies, row, signal, reservation),
    },
  ];
}

/** Claims what an earlier process left, and continues until it is closed. */
export async function startJobRunner(dependencies: TaskDependencies): Promise<JobRunner> {
  const { store, gateway, waitScale } = dependencies;
  const stopping = new AbortController();
  const works: Work[] = [];
  for (const kind of kindsOf(dependencies)) {
    if (store.engine === "sqlite") await releaseJobs(store, kind.job, gateway.clock.nowMs());
    works.push({ dependencies, kind, underWay: new Map(), signal: stopping.signal });
  }
  const everyMs = Math.max(10, intervalMs * waitScale);
  const stops = works.map((work) => repeat(gateway.events, everyMs, () => claimDue(work)));
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
