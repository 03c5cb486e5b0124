// Copying the results of a finished task to where they last: within bounds, and tried again while the source lives.
import { GatewayError } from "../../canonical/error.ts";
import type { VideoResult } from "../../canonical/video.ts";
import { deadline } from "../../lib/deadline.ts";
import type { Blobs } from "../../store/blobs/blobs.ts";
import { writeCopied } from "../../store/result-copies.ts";
import { finishJob, type TaskJobRow } from "../../store/task-jobs.ts";
import { findLinkedTask } from "../../store/tasks.ts";
import type { TaskDependencies } from "./dependencies.ts";
import { type DiskReservation, keptBytes, nameOf, removeBytes, shouldArchive } from "./results.ts";
import { jobWaitMs } from "./schedule.ts";
import { type Task, taskOf } from "./task.ts";
import { late, type Transfer, transfer } from "./transfer.ts";

const mostTries = 5;
const waits = { firstMs: 10_000, growth: 5, mostMs: 30 * 60_000 } as const;
const patienceMs = 15 * 60_000;

/** The result as it is kept from now on. */
async function keep(copying: Transfer, target: Blobs, room: DiskReservation): Promise<VideoResult> {
  const { parts, task, index, result } = copying;
  const { expiresAtMs, place: source } = result;
  const bytes = await transfer(copying, target, room);
  return {
    ...result,
    place: {
      kind: "kept",
      where: target.kind,
      name: nameOf(task, index),
      bytes,
      source,
      ...(expiresAtMs === undefined ? {} : { sourceEndsAtMs: expiresAtMs }),
    },
    expiresAtMs: parts.gateway.clock.nowMs() + parts.results.maxAgeMs,
  };
}

/** What a turn has come to. */
interface Outcome {
  readonly results: readonly VideoResult[];
  readonly failure: unknown;
}

async function keepAll(
  dependencies: TaskDependencies,
  task: Task,
  wanted: readonly number[],
  signal: AbortSignal,
  room: DiskReservation,
) {
  const results = [...task.view.results];
  let failure: unknown = null;
  for (const index of wanted) {
    const result = results[index];
    const { target } = dependencies.results;
    if (result === undefined || target === null) continue;
    const life = deadline(() => signal, patienceMs, dependencies.gateway.deadlines, late);
    try {
      results[index] = await keep({ parts: dependencies, task, index, result, life }, target, room);
    } catch (thrown) {
      failure = thrown;
    } finally {
      life.release();
    }
  }
  return { results, failure } satisfies Outcome;
}

const isHopeless = (thrown: unknown): boolean => thrown instanceof GatewayError && thrown.kind === "request_too_large";

/** When what is missing is tried again; null: not any more. */
function nextAt(dependencies: TaskDependencies, tries: number, { failure }: Outcome): number | null {
  if (failure === null || isHopeless(failure) || tries >= mostTries) return null;
  return dependencies.gateway.clock.nowMs() + jobWaitMs(waits, tries, dependencies);
}

/** What was copied while nobody looked after the task any more: nobody else will take it away. */
async function discard(dependencies: TaskDependencies, task: Task): Promise<void> {
  const row = await findLinkedTask(dependencies.store, task.id, dependencies.gateway.clock.nowMs());
  const names = (row === undefined ? [] : taskOf(row).view.results).flatMap(({ place }) =>
    place.kind === "kept" ? [place.name] : [],
  );
  for (const index of task.view.results.keys())
    if (!names.includes(nameOf(task, index))) await dependencies.results.target?.remove(nameOf(task, index));
}

/** A task that nobody finds any more: nothing of it stays. */
async function giveUp(dependencies: TaskDependencies, task: Task, tries: number): Promise<void> {
  await removeBytes(dependencies, task);
  await discard(dependencies, task);
  await finishJob(dependencies.store, "copy", task.id, dependencies.leaseOwner, { atMs: null, tries });
}

/** One turn: copies what is worth it, and notes what has come of it. Rejects only where the store does not answer. */
export async function copyTask(
  dependencies: TaskDependencies,
  row: TaskJobRow,
  signal: AbortSignal,
  room: DiskReservation,
): Promise<void> {
  const nowMs = dependencies.gateway.clock.nowMs();
  const task = taskOf(row);
  if (row.expiresAtMs <= nowMs) return giveUp(dependencies, task, row.tries);
  const wanted = shouldArchive(task, dependencies.results, row.expiresAtMs, nowMs);
  const outcome = await keepAll(dependencies, task, wanted, signal, room);
  const tries = row.tries + 1;
  // Stopping ended the try, not the source.
  const isStopped = outcome.failure !== null && signal.aborted;
  if (outcome.failure !== null && !isStopped)
    dependencies.gateway.events.errandFailed("copy", task.id, tries, outcome.failure);
  const bytes = keptBytes(outcome.results);
  const isNoted = await writeCopied(
    dependencies.store,
    task.id,
    dependencies.leaseOwner,
    dependencies.gateway.clock.nowMs(),
    {
      body: JSON.stringify({ ...task.view, results: outcome.results }),
      keptBytes: bytes,
      keptAtMs: bytes === null ? null : nowMs,
      copyAtMs: isStopped ? nowMs : nextAt(dependencies, tries, outcome),
      tries: isStopped ? row.tries : tries,
    },
  );
  if (!isNoted) await discard(dependencies, task);
}
