// The job that copies the results of a finished task to the store, retried while the source has them.
import { GatewayError } from "../../canonical/error.ts";
import type { VideoResult } from "../../canonical/video.ts";
import { deadline } from "../../lib/deadline.ts";
import type { Blobs } from "../../store/blobs/blobs.ts";
import { writeCopied } from "../../store/result-copies.ts";
import { finishJob, type TaskJobRow } from "../../store/task-jobs.ts";
import { findLinkedTask } from "../../store/tasks.ts";
import type { TaskDependencies } from "./dependencies.ts";
import { type DiskReservation, nameOf, removeBytes, shouldArchive, storedBytesOf } from "./results.ts";
import { jobWaitMs } from "./schedule.ts";
import { requestIdsOf, type Task, taskOf } from "./task.ts";
import { late, type Transfer, transfer } from "./transfer.ts";

const maxTries = 5;
const waits = { firstMs: 10_000, growth: 5, mostMs: 30 * 60_000 } as const;
const timeoutMs = 15 * 60_000;

/** The result with its location in the store. */
async function storeResult(copy: Transfer, target: Blobs, reservation: DiskReservation): Promise<VideoResult> {
  const { dependencies, task, index, result } = copy;
  const { expiresAtMs, place: source } = result;
  const bytes = await transfer(copy, target, reservation);
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
    expiresAtMs: dependencies.gateway.clock.nowMs() + dependencies.results.maxAgeMs,
  };
}

/** The outcome of one run. */
interface Outcome {
  readonly results: readonly VideoResult[];
  readonly failure: unknown;
}

async function storeResults(
  dependencies: TaskDependencies,
  task: Task,
  wanted: readonly number[],
  signal: AbortSignal,
  reservation: DiskReservation,
) {
  const results = [...task.view.results];
  let failure: unknown = null;
  for (const index of wanted) {
    const result = results[index];
    const { target } = dependencies.results;
    if (result === undefined || target === null) continue;
    const life = deadline(() => signal, timeoutMs, dependencies.gateway.deadlines, late);
    try {
      results[index] = await storeResult({ dependencies, task, index, result, life }, target, reservation);
    } catch (thrown) {
      failure = thrown;
    } finally {
      life.release();
    }
  }
  return { results, failure } satisfies Outcome;
}

const isHopeless = (thrown: unknown): boolean => thrown instanceof GatewayError && thrown.kind === "request_too_large";

/** When to retry missing results; null: never. */
function nextAt(dependencies: TaskDependencies, tries: number, { failure }: Outcome): number | null {
  if (failure === null || isHopeless(failure) || tries >= maxTries) return null;
  return dependencies.gateway.clock.nowMs() + jobWaitMs(waits, tries, dependencies);
}

/** Removes copies that the task does not refer to: it was deleted, or another worker has the job by now. */
async function discard(dependencies: TaskDependencies, task: Task): Promise<void> {
  const row = await findLinkedTask(dependencies.store, task.id, dependencies.gateway.clock.nowMs());
  const names = (row === undefined ? [] : taskOf(row).view.results).flatMap(({ place }) =>
    place.kind === "kept" ? [place.name] : [],
  );
  for (const index of task.view.results.keys())
    if (!names.includes(nameOf(task, index))) await dependencies.results.target?.remove(nameOf(task, index));
}

/** Removes everything of an expired task. */
async function giveUp(dependencies: TaskDependencies, task: Task, tries: number): Promise<void> {
  await removeBytes(dependencies, task);
  await discard(dependencies, task);
  await finishJob(dependencies.store, "copy", task.id, dependencies.leaseOwner, { atMs: null, tries });
}

/** One run: copies results that should be stored, and writes the outcome. Rejects only if the store fails. */
export async function copyTask(
  dependencies: TaskDependencies,
  row: TaskJobRow,
  signal: AbortSignal,
  reservation: DiskReservation,
): Promise<void> {
  const nowMs = dependencies.gateway.clock.nowMs();
  const task = taskOf(row);
  if (row.expiresAtMs <= nowMs) return giveUp(dependencies, task, row.tries);
  const wanted = shouldArchive(task, dependencies.results, row.expiresAtMs, nowMs);
  const outcome = await storeResults(dependencies, task, wanted, signal, reservation);
  const tries = row.tries + 1;
  // The shutdown ended this try; the source did not fail.
  const isStopped = outcome.failure !== null && signal.aborted;
  if (outcome.failure !== null && !isStopped)
    dependencies.gateway.events.jobFailed({ job: "copy", task: task.id, tries }, outcome.failure, requestIdsOf(task));
  const bytes = storedBytesOf(outcome.results);
  const isWritten = await writeCopied(
    dependencies.store,
    task.id,
    dependencies.leaseOwner,
    dependencies.gateway.clock.nowMs(),
    {
      body: JSON.stringify({ ...task.view, results: outcome.results }),
      storedBytes: bytes,
      storedAtMs: bytes === null ? null : nowMs,
      copyAtMs: isStopped ? nowMs : nextAt(dependencies, tries, outcome),
      tries: isStopped ? row.tries : tries,
    },
  );
  if (!isWritten) await discard(dependencies, task);
}
