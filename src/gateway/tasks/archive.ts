// Copying the results of a finished task to where they last: within bounds, and tried again while the source lives.
import { GatewayError } from "../../canonical/error.ts";
import type { VideoResult } from "../../canonical/video.ts";
import { deadline } from "../../lib/deadline.ts";
import type { Blobs } from "../../store/blobs/blobs.ts";
import { writeCopied } from "../../store/result-copies.ts";
import { type ErrandRow, leaveErrand } from "../../store/task-jobs.ts";
import { findLinkedTask } from "../../store/tasks.ts";
import { errandWait } from "./backoff.ts";
import type { VideoParts } from "./dependencies.ts";
import { keptBytes, nameOf, worthCopying } from "./results.ts";
import { type Room, removeBytes } from "./retention.ts";
import { type Task, taskOf } from "./task.ts";
import { type Copying, carry, late } from "./transfer.ts";

const mostTries = 5;
const waits = { firstMs: 10_000, growth: 5, mostMs: 30 * 60_000 } as const;
const patienceMs = 15 * 60_000;

/** The result as it is kept from now on. */
async function keep(copying: Copying, target: Blobs, room: Room): Promise<VideoResult> {
  const { parts, task, index, result } = copying;
  const { expiresAtMs, place: source } = result;
  const bytes = await carry(copying, target, room);
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

async function keepAll(parts: VideoParts, task: Task, wanted: readonly number[], signal: AbortSignal, room: Room) {
  const results = [...task.told.results];
  let failure: unknown = null;
  for (const index of wanted) {
    const result = results[index];
    const { target } = parts.results;
    if (result === undefined || target === null) continue;
    const life = deadline(() => signal, patienceMs, parts.gateway.watch, late);
    try {
      results[index] = await keep({ parts, task, index, result, life }, target, room);
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
function nextAt(parts: VideoParts, tries: number, { failure }: Outcome): number | null {
  if (failure === null || isHopeless(failure) || tries >= mostTries) return null;
  return parts.gateway.clock.nowMs() + errandWait(waits, tries, parts);
}

/** What was copied while nobody looked after the task any more: nobody else will take it away. */
async function discard(parts: VideoParts, task: Task): Promise<void> {
  const row = await findLinkedTask(parts.store, task.id, parts.gateway.clock.nowMs());
  const names = (row === undefined ? [] : taskOf(row).told.results).flatMap(({ place }) =>
    place.kind === "kept" ? [place.name] : [],
  );
  for (const index of task.told.results.keys())
    if (!names.includes(nameOf(task, index))) await parts.results.target?.remove(nameOf(task, index));
}

/** A task that nobody finds any more: nothing of it stays. */
async function giveUp(parts: VideoParts, task: Task, tries: number): Promise<void> {
  await removeBytes(parts, task);
  await discard(parts, task);
  await leaveErrand(parts.store, "copy", task.id, parts.leaseOwner, { atMs: null, tries });
}

/** One turn: copies what is worth it, and notes what has come of it. Rejects only where the store does not answer. */
export async function copyTask(parts: VideoParts, row: ErrandRow, signal: AbortSignal, room: Room): Promise<void> {
  const nowMs = parts.gateway.clock.nowMs();
  const task = taskOf(row);
  if (row.expiresAtMs <= nowMs) return giveUp(parts, task, row.tries);
  const wanted = worthCopying(task, parts.results, row.expiresAtMs, nowMs);
  const outcome = await keepAll(parts, task, wanted, signal, room);
  const tries = row.tries + 1;
  // Stopping ended the try, not the source.
  const isStopped = outcome.failure !== null && signal.aborted;
  if (outcome.failure !== null && !isStopped)
    parts.gateway.events.errandFailed("copy", task.id, tries, outcome.failure);
  const bytes = keptBytes(outcome.results);
  const isNoted = await writeCopied(parts.store, task.id, parts.leaseOwner, parts.gateway.clock.nowMs(), {
    body: JSON.stringify({ ...task.told, results: outcome.results }),
    keptBytes: bytes,
    keptAtMs: bytes === null ? null : nowMs,
    copyAtMs: isStopped ? nowMs : nextAt(parts, tries, outcome),
    tries: isStopped ? row.tries : tries,
  });
  if (!isNoted) await discard(parts, task);
}
