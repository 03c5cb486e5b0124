// Keeping within bounds what is kept: old results go with their time or for newer ones, and their tasks say so.
import { GatewayError } from "../../canonical/error.ts";
import { expiredCopies, markResultDropped, oldestCopies, storedBytes } from "../../store/result-copies.ts";
import type { TaskDependencies } from "./dependencies.ts";
import { keptBytes, sourceOf } from "./results.ts";
import { type Task, taskOf } from "./task.ts";

const atOnce = 50;

/** Takes away the bytes of every result that is kept. */
export async function removeBytes({ results }: TaskDependencies, { view }: Task): Promise<void> {
  for (const { place } of view.results)
    if (place.kind === "kept") await results.places.get(place.where)?.remove(place.name);
}

/** The bytes first, then the note: what is done by half is done again. */
async function drop(dependencies: TaskDependencies, task: Task): Promise<void> {
  await removeBytes(dependencies, task);
  await markResultDropped(
    dependencies.store,
    task.id,
    JSON.stringify({ ...task.view, results: task.view.results.map(sourceOf) }),
  );
}

/** Drops what has been kept long enough, and what belongs to tasks that nobody finds any more. */
export async function expireCopies(dependencies: TaskDependencies): Promise<void> {
  const nowMs = dependencies.gateway.clock.nowMs();
  const { target, maxAgeMs } = dependencies.results;
  for (const row of await expiredCopies(dependencies.store, nowMs, nowMs - maxAgeMs, atOnce))
    await drop(dependencies, taskOf(row));
  await target?.tidy(nowMs);
}

/** Bytes that copies under way may still write, of this process. */
export interface DiskReservation {
  reserved: number;
}

const noRoom = (): GatewayError => new GatewayError("overloaded", "There is not enough space for the video.");

/** Drops the oldest until everything fits that is reserved. Throws where it cannot. */
export async function reserveSpace(dependencies: TaskDependencies, { reserved }: DiskReservation): Promise<void> {
  const { target, maxTotalBytes, minFreeBytes } = dependencies.results;
  let excess = (await storedBytes(dependencies.store)) + reserved - maxTotalBytes;
  while (excess > 0) {
    const oldest = await oldestCopies(dependencies.store, 1);
    const [task] = oldest.map(taskOf);
    if (task === undefined) throw noRoom();
    await drop(dependencies, task);
    excess -= keptBytes(task.view.results) ?? 0;
  }
  const free = (await target?.freeBytes()) ?? 0;
  if (free - reserved < minFreeBytes) throw noRoom();
}
