// Keeping within bounds what is kept: old results go with their time or for newer ones, and their tasks say so.
import { GatewayError } from "../../canonical/error.ts";
import { keptTotal, oldestKept, staleKept, writeDropped } from "../../store/result-copies.ts";
import type { VideoParts } from "./dependencies.ts";
import { keptBytes, sourceOf } from "./results.ts";
import { type Task, taskOf } from "./task.ts";

const atOnce = 50;

/** Takes away the bytes of every result that is kept. */
export async function removeBytes({ results }: VideoParts, { told }: Task): Promise<void> {
  for (const { place } of told.results)
    if (place.kind === "kept") await results.places.get(place.where)?.remove(place.name);
}

/** The bytes first, then the note: what is done by half is done again. */
async function drop(parts: VideoParts, task: Task): Promise<void> {
  await removeBytes(parts, task);
  await writeDropped(parts.store, task.id, JSON.stringify({ ...task.told, results: task.told.results.map(sourceOf) }));
}

/** Drops what has been kept long enough, and what belongs to tasks that nobody finds any more. */
export async function dropStale(parts: VideoParts): Promise<void> {
  const nowMs = parts.gateway.clock.nowMs();
  const { target, maxAgeMs } = parts.results;
  for (const row of await staleKept(parts.store, nowMs, nowMs - maxAgeMs, atOnce)) await drop(parts, taskOf(row));
  await target?.tidy(nowMs);
}

/** Bytes that copies under way may still write, of this process. */
export interface Room {
  reserved: number;
}

const noRoom = (): GatewayError => new GatewayError("overloaded", "There is no room for the video.");

/** Drops the oldest until everything fits that is reserved. Throws where it cannot. */
export async function makeRoom(parts: VideoParts, { reserved }: Room): Promise<void> {
  const { target, maxTotalBytes, minFreeBytes } = parts.results;
  let excess = (await keptTotal(parts.store)) + reserved - maxTotalBytes;
  while (excess > 0) {
    const oldest = await oldestKept(parts.store, 1);
    const [task] = oldest.map(taskOf);
    if (task === undefined) throw noRoom();
    await drop(parts, task);
    excess -= keptBytes(task.told.results) ?? 0;
  }
  const free = (await target?.freeBytes()) ?? 0;
  if (free - reserved < minFreeBytes) throw noRoom();
}
