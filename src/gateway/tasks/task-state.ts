// Applies a reported status to a task: states only move forward, progress only rises, a final state never changes.
// Pure.
import { isFinal, type VideoFailure, type VideoResult, type VideoState } from "../../canonical/video.ts";
import type { VideoProgress, VideoUpstream } from "../../dialects/video/upstream.ts";
import { type Task, withoutBytes } from "./task.ts";

/** An upstream may not find a task immediately after it was accepted. */
const unknownForMs = 30_000;
/** The number of such replies after which it is lost. */
const missesToLose = 3;

export const failures = {
  empty: { code: "empty_result", message: "The provider finished the task without a video." },
  failed: { code: "generation_failed", message: "The provider could not generate the video." },
  cancelled: { code: "cancelled", message: "The task was canceled." },
  revoked: { code: "cancelled", message: "The task was canceled because its API key was revoked." },
  expired: { code: "expired", message: "The provider abandoned the task before it was complete." },
  lost: { code: "task_lost", message: "The provider no longer has this task." },
  credentials: {
    code: "upstream_auth",
    message: "The provider refuses the gateway's credential, so the status of the task is unknown.",
  },
  late: { code: "task_timeout", message: "The task timed out." },
  unconfirmed: { code: "submit_unconfirmed", message: "The gateway stopped before the provider confirmed the task." },
} as const satisfies Record<string, VideoFailure>;

/** The task in a final state. */
export function terminate(task: Task, state: VideoState, failure: VideoFailure, nowMs: number): Task {
  return { ...task, state, updatedAtMs: nowMs, view: { ...task.view, failure } };
}

const rank: { readonly [state in VideoState]: number } = {
  queued: 0,
  in_progress: 1,
  completed: 2,
  failed: 2,
  cancelled: 2,
  expired: 2,
};

const failureOfState: { readonly [state in VideoState]?: VideoFailure } = {
  failed: failures.failed,
  cancelled: failures.cancelled,
  expired: failures.expired,
};

/** A rising estimate below 100, for upstreams without progress: half after a minute. */
function guessed(task: Task, nowMs: number): number {
  const elapsedMs = Math.max(0, nowMs - task.internals.acceptedAtMs);
  return Math.round(10 + 85 * (1 - 0.5 ** (elapsedMs / 60_000)));
}

function percentOf(task: Task, state: VideoState, percent: number | undefined, nowMs: number): number {
  if (state === "queued") return task.view.percent;
  if (state === "completed") return 100;
  const reported = percent === undefined ? guessed(task, nowMs) : Math.round(Math.min(99, Math.max(0, percent)));
  return isFinal(state) ? task.view.percent : Math.max(task.view.percent, reported);
}

/** The upstream does not find the task: after several such replies it is lost. */
function missed(task: Task, nowMs: number): Task {
  const misses = task.internals.misses + 1;
  const isYoung = nowMs - task.internals.acceptedAtMs < unknownForMs;
  if (misses >= missesToLose && !isYoung) return terminate(task, "expired", failures.lost, nowMs);
  return { ...task, updatedAtMs: nowMs, internals: { ...task.internals, misses } };
}

/** An inline video without bytes does not count. */
const hasBytes = ({ place }: VideoResult): boolean => place.kind !== "inline" || place.base64 !== "";

function completed(task: Task, progress: VideoProgress, upstream: VideoUpstream, nowMs: number): Task {
  const results = (progress.results ?? []).filter(hasBytes).map(withoutBytes);
  if (results.length === 0) return terminate(task, "failed", failures.empty, nowMs);
  const lifeMs = upstream.resultSeconds === undefined ? null : upstream.resultSeconds * 1000;
  const living = results.map((result) =>
    result.expiresAtMs === undefined && lifeMs !== null ? { ...result, expiresAtMs: nowMs + lifeMs } : result,
  );
  return { ...task, state: "completed", view: { ...task.view, percent: 100, results: living, completedAtMs: nowMs } };
}

/** The task after a reply about it. */
export function applyProgress(task: Task, progress: VideoProgress, upstream: VideoUpstream, nowMs: number): Task {
  if (isFinal(task.state)) return task;
  if (progress.isGone) return missed(task, nowMs);
  const reported = progress.state ?? task.state;
  const state = rank[reported] < rank[task.state] ? task.state : reported;
  const next: Task = {
    ...task,
    updatedAtMs: nowMs,
    internals: {
      ...task.internals,
      upstreamState: { ...task.internals.upstreamState, ...progress.upstreamState },
      misses: 0,
      troubles: 0,
      refusals: 0,
    },
    view: { ...task.view, effect: { ...task.view.effect, ...progress.effect } },
  };
  if (state === "completed") return completed(next, progress, upstream, nowMs);
  const failure = failureOfState[state];
  if (failure !== undefined) return terminate(next, state, progress.failure ?? failure, nowMs);
  const percent = percentOf(task, state, progress.percent, nowMs);
  return { ...next, state, view: { ...next.view, percent } };
}
