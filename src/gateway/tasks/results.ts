// Results that the gateway stores: where, within which limits, which ones, and when they are deleted.
import { GatewayError } from "../../canonical/error.ts";
import type { VideoResult } from "../../canonical/video.ts";
import { expiredCopies, markResultDropped, oldestCopies, storedBytes } from "../../store/result-copies.ts";
import type { ResultStore, TaskDependencies } from "./dependencies.ts";
import { type Task, taskOf } from "./task.ts";

/** Only a result that would expire before its copy and before its task is copied. */
function isWorthwhile({ place, expiresAtMs }: VideoResult, storedUntilMs: number, nowMs: number): boolean {
  return place.kind !== "kept" && expiresAtMs !== undefined && expiresAtMs > nowMs && expiresAtMs < storedUntilMs;
}

/** Indexes of the results that should be copied. */
export function shouldArchive(
  { view }: Task,
  { maxAgeMs }: ResultStore,
  taskEndsAtMs: number,
  nowMs: number,
): readonly number[] {
  const storedUntilMs = Math.min(nowMs + maxAgeMs, taskEndsAtMs);
  return view.results.flatMap((result, index) => (isWorthwhile(result, storedUntilMs, nowMs) ? [index] : []));
}

const endings: Readonly<Record<string, string>> = {
  "video/mp4": "mp4",
  "video/webm": "webm",
  "video/quicktime": "mov",
};

/** The name of a stored result; the same in each try, so that none leaves anything behind. */
export function nameOf({ id, view }: Task, index: number): string {
  return `${id}-${index}.${endings[view.results[index]?.mediaType ?? "video/mp4"] ?? "bin"}`;
}

/** The result with its location at the provider. */
export function sourceOf(result: VideoResult): VideoResult {
  const { place, expiresAtMs: _expiresAtMs, ...rest } = result;
  if (place.kind !== "kept") return result;
  const { source, sourceEndsAtMs } = place;
  return { ...rest, place: source, ...(sourceEndsAtMs === undefined ? {} : { expiresAtMs: sourceEndsAtMs }) };
}

/** The size of all stored results; null if there are none. */
export function storedBytesOf(results: readonly VideoResult[]): number | null {
  const sizes = results.flatMap(({ place }) => (place.kind === "kept" ? [place.bytes] : []));
  return sizes.length === 0 ? null : sizes.reduce((sum, size) => sum + size, 0);
}

const atOnce = 50;

/** Removes the bytes of every stored result. */
export async function removeBytes({ results }: TaskDependencies, { view }: Task): Promise<void> {
  for (const { place } of view.results)
    if (place.kind === "kept") await results.places.get(place.where)?.remove(place.name);
}

/** The bytes first, then the row: an interrupted removal is repeated. */
async function drop(dependencies: TaskDependencies, task: Task): Promise<void> {
  await removeBytes(dependencies, task);
  await markResultDropped(
    dependencies.store,
    task.id,
    JSON.stringify({ ...task.view, results: task.view.results.map(sourceOf) }),
  );
}

/** Deletes copies past their retention time, and those of expired tasks. */
export async function expireCopies(dependencies: TaskDependencies): Promise<void> {
  const nowMs = dependencies.gateway.clock.nowMs();
  const { target, maxAgeMs } = dependencies.results;
  for (const row of await expiredCopies(dependencies.store, nowMs, nowMs - maxAgeMs, atOnce))
    await drop(dependencies, taskOf(row));
  await target?.tidy(nowMs);
}

/** Bytes that the running copies of this process may still write. */
export interface DiskReservation {
  reserved: number;
}

const noSpace = (): GatewayError => new GatewayError("overloaded", "There is not enough space for the video.");

/** Deletes the oldest copies until everything reserved fits. Throws if that is not enough. */
export async function reserveSpace(dependencies: TaskDependencies, { reserved }: DiskReservation): Promise<void> {
  const { target, maxTotalBytes, minFreeBytes } = dependencies.results;
  let excess = (await storedBytes(dependencies.store)) + reserved - maxTotalBytes;
  while (excess > 0) {
    const oldest = await oldestCopies(dependencies.store, 1);
    const [task] = oldest.map(taskOf);
    if (task === undefined) throw noSpace();
    await drop(dependencies, task);
    excess -= storedBytesOf(task.view.results) ?? 0;
  }
  const free = (await target?.freeBytes()) ?? 0;
  if (free - reserved < minFreeBytes) throw noSpace();
}
