// Cancels tasks: for their owners, and for keys that were revoked together with their running work.
import type { VideoFailure } from "../../canonical/video.ts";
import { type TaskRow, tasksOfEndedKeys } from "../../store/tasks.ts";
import type { TaskDependencies } from "./dependencies.ts";
import { finalize } from "./finalize.ts";
import { taskOf } from "./task.ts";
import { failures, terminate } from "./task-state.ts";
import { notifyUpstream } from "./upstream-client.ts";

/** Does nothing if it has ended. */
export async function cancelTask(dependencies: TaskDependencies, row: TaskRow, failure: VideoFailure): Promise<void> {
  const task = taskOf(row);
  const over = terminate(task, "cancelled", failure, dependencies.gateway.clock.nowMs());
  if (await finalize(dependencies, over, "taken", row.ledger)) await notifyUpstream(dependencies, task, "cancel");
}

const atOnce = 100;

/** Several instances may run this at the same time; each task is canceled once. */
export async function cancelRevoked(dependencies: TaskDependencies): Promise<void> {
  for (;;) {
    const rows = await tasksOfEndedKeys(dependencies.store, atOnce);
    for (const row of rows) await cancelTask(dependencies, row, failures.revoked);
    if (rows.length < atOnce) return;
  }
}
