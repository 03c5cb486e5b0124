// The background work on tasks: polls of unfinished ones, webhooks and copies of finished ones, and maintenance.
import { claimJobs, releaseJobs, type TaskJob, type TaskJobRow } from "../../store/task-jobs.ts";
import { claimTasks, clampFuturePolls, purgeTasks, releaseTasks, type TaskRow } from "../../store/tasks.ts";
import { copyTask } from "./archive.ts";
import { cancelRevoked } from "./cancel.ts";
import { type ClaimedWork, startClaimLoop } from "./claim-loop.ts";
import type { TaskDependencies } from "./dependencies.ts";
import { settleRest } from "./finalize.ts";
import { pollTask } from "./poll.ts";
import { type DiskReservation, expireCopies } from "./results.ts";
import { repeat, settledWithin } from "./schedule.ts";
import { deliverWebhook } from "./webhook.ts";

interface Workers {
  /** Stops claiming, aborts webhooks and copies, and waits for running work up to a limit. */
  close(patienceMs: number): Promise<void>;
}

const maintenanceMs = 60_000;
/** Far more than any wait and any claim. */
const longestWaitMs = 15 * 60_000;

const pollPace = { intervalMs: 250, maxRunning: 64, maxPerGroup: 12, maxPerClaim: 32 } as const;
const webhookPace = { intervalMs: 1_000, maxRunning: 16, maxPerGroup: 4, maxPerClaim: 1 } as const;
const copyPace = { intervalMs: 1_000, maxRunning: 4, maxPerGroup: 2, maxPerClaim: 1 } as const;

/** After a restart every task is due; they are polled at the pace of one claim per round. */
const polls = (dependencies: TaskDependencies): ClaimedWork<TaskRow> => ({
  ...pollPace,
  drains: false,
  groupOf: ({ provider }) => provider,
  claim: (claim) => claimTasks(dependencies.store, claim),
  run: (row) => pollTask(dependencies, row),
});

/** One at a time, so that an owner with many never gets more than its share. Unlike polls, no client waits for them. */
const jobs = (
  { store }: TaskDependencies,
  job: TaskJob,
  pace: Pick<ClaimedWork<TaskJobRow>, "intervalMs" | "maxRunning" | "maxPerGroup" | "maxPerClaim">,
  run: ClaimedWork<TaskJobRow>["run"],
): ClaimedWork<TaskJobRow> => ({
  ...pace,
  drains: true,
  groupOf: ({ ownerKeyId }) => ownerKeyId,
  claim: (claim) => claimJobs(store, job, claim),
  run,
});

async function maintain(dependencies: TaskDependencies): Promise<void> {
  const nowMs = dependencies.gateway.clock.nowMs();
  await clampFuturePolls(dependencies.store, nowMs, nowMs + longestWaitMs);
  await settleRest(dependencies);
  await cancelRevoked(dependencies);
  await expireCopies(dependencies);
  await purgeTasks(dependencies.store, nowMs);
}

/** Releases the claims of an earlier process: no other instance uses an SQLite file. */
async function releaseAll({ store, gateway }: TaskDependencies): Promise<void> {
  if (store.engine !== "sqlite") return;
  const nowMs = gateway.clock.nowMs();
  await releaseTasks(store, nowMs);
  await releaseJobs(store, "webhook", nowMs);
  await releaseJobs(store, "copy", nowMs);
}

/** Continues the work of an earlier process, settles what it left open, and runs until it is closed. */
export async function startWorkers(dependencies: TaskDependencies): Promise<Workers> {
  const { gateway, waitScale } = dependencies;
  const stopping = new AbortController();
  const { signal } = stopping;
  const reservation: DiskReservation = { reserved: 0 };
  await releaseAll(dependencies);
  await settleRest(dependencies);
  // A key may have been revoked while no gateway was running. The calls to providers may take a while.
  void cancelRevoked(dependencies).catch((thrown: unknown) => gateway.events.backgroundTaskFailed("videos", thrown));
  const webhooks = jobs(dependencies, "webhook", webhookPace, (row) => deliverWebhook(dependencies, row, signal));
  const copies = jobs(dependencies, "copy", copyPace, (row) => copyTask(dependencies, row, signal, reservation));
  const loops = [
    startClaimLoop(dependencies, polls(dependencies)),
    startClaimLoop(dependencies, webhooks),
    startClaimLoop(dependencies, copies),
  ];
  const stopMaintenance = repeat(gateway.events, maintenanceMs * waitScale, () => maintain(dependencies));
  return {
    async close(patienceMs) {
      stopMaintenance();
      for (const loop of loops) loop.stop();
      stopping.abort(new Error("The gateway is shutting down."));
      await settledWithin(
        loops.flatMap(({ running }) => [...running]),
        patienceMs,
      );
    },
  };
}
