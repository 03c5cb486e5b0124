// The end of a task: its final state is written once, then its row in the ledger is settled, and that is recorded.
import { oneUnit, type Usage, zeroUsage } from "../../canonical/usage.ts";
import type { VideoState } from "../../canonical/video.ts";
import { resolutionName } from "../../dialects/video/nearest-supported.ts";
import { endTask, markTaskSettled, type TaskChange, unsettledTasks, updateTask } from "../../store/tasks.ts";
import type { Ending } from "../ledger/settlement.ts";
import type { EndState } from "../ledger/types.ts";
import type { Catalog } from "../routing/catalog.ts";
import type { TaskDependencies } from "./dependencies.ts";
import { shouldArchive } from "./results.ts";
import { changeOf, requestIdsOf, type Task, taskOf } from "./task.ts";
import { failures, terminate } from "./task-state.ts";

const endStates: { readonly [state in VideoState]: EndState } = {
  queued: "failed",
  in_progress: "failed",
  completed: "completed",
  failed: "failed",
  cancelled: "cancelled",
  expired: "failed",
};

const msPerSecond = 1_000;

/** The seconds that were generated, with the resolution for their price. Only a completed video is counted. */
function videoUnits({ state, view: { effect, results } }: Task): Partial<Usage> {
  if (state !== "completed") return {};
  const { seconds, resolution, ...pixels } = { ...effect, ...results[0] };
  const size = resolutionName(resolution === undefined ? pixels : { resolution });
  return oneUnit("videoMs", (seconds ?? 0) * results.length * msPerSecond, size === undefined ? {} : { size });
}

/** The ledger's record of a finished task. */
function endingOf(task: Task, { providers }: Catalog): Ending {
  const { state, provider, createdAtMs, updatedAtMs, internals, view } = task;
  const { model, attempts, warnings } = internals;
  return {
    operation: "video",
    model: view.model,
    admittedAtMs: createdAtMs,
    state: endStates[state],
    httpStatus: 200,
    errorCode: view.failure?.code ?? null,
    provider,
    providerKind: providers.find(({ entry }) => entry.name === provider)?.kind.name ?? null,
    upstreamModel: model,
    attempts,
    warnings,
    usage: { ...zeroUsage, ...videoUnits(task) },
    isCharged: true,
    firstByteMs: null,
    durationMs: Math.max(0, updatedAtMs - createdAtMs),
  };
}

/** Rows that are settled before more are read. */
const atOnce = 100;

/** May be repeated: the ledger settles only pending rows. */
async function settle({ gateway, store }: TaskDependencies, task: Task): Promise<void> {
  await gateway.settlePending(requestIdsOf(task), endingOf(task, gateway.catalog.current()));
  await markTaskSettled(store, task.id);
}

/** Releases the reservation of a task that was canceled before the provider had answered. */
export async function settleCanceled(dependencies: TaskDependencies, task: Task): Promise<void> {
  await settle(dependencies, terminate(task, "cancelled", failures.cancelled, dependencies.gateway.clock.nowMs()));
}

/** Jobs are written in the same row as the final state, so that none is lost in a crash. */
function jobsOf({ gateway, results, retentionMs }: TaskDependencies, task: Task): NonNullable<TaskChange["jobs"]> {
  const nowMs = gateway.clock.nowMs();
  const wanted = results.target === null ? [] : shouldArchive(task, results, task.createdAtMs + retentionMs, nowMs);
  return {
    webhookAtMs: task.internals.callbackUrl === undefined ? null : nowMs,
    copyAtMs: wanted.length === 0 ? null : nowMs,
  };
}

/**
 * Ends a task. `held`: only the holder of its claim can. `taken`: any instance can. False, without any change, if it
 * had ended already, or another instance has the claim.
 */
export async function finalize(
  dependencies: TaskDependencies,
  task: Task,
  lease: "held" | "taken",
  ledger: string | null,
): Promise<boolean> {
  const change = { ...changeOf(task, null), jobs: jobsOf(dependencies, task) };
  const isFirst = await (lease === "held"
    ? updateTask(dependencies.store, task.id, dependencies.leaseOwner, change)
    : endTask(dependencies.store, task.id, change));
  // A row of another instance's ledger is settled there.
  if (isFirst && ledger === dependencies.gateway.ledger.id) await settle(dependencies, task);
  return isFirst;
}

/** Settles finished tasks with an open row in this ledger: after a crash, or when another instance ended the task. */
export async function settleRest(dependencies: TaskDependencies): Promise<void> {
  for (;;) {
    const rows = await unsettledTasks(dependencies.store, dependencies.gateway.ledger.id, atOnce);
    for (const row of rows) await settle(dependencies, taskOf(row));
    if (rows.length < atOnce) return;
  }
}
