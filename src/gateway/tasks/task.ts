// A video task: its public state, the state for later calls to the provider, and its row in the store.
import type { VideoFailure, VideoLocation, VideoResult, VideoState } from "../../canonical/video.ts";
import type { Warning } from "../../canonical/warning.ts";
import type { EffectiveSettings, UpstreamTask } from "../../dialects/video/upstream.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { TaskChange, TaskRow } from "../../store/tasks.ts";
import type { RequestIds } from "../../telemetry/events.ts";
import type { PollRecord } from "./poll-history.ts";

export const operation = "video";

/** State for later calls, which no client sees. */
interface TaskInternals {
  /** The upstream's own name for the model. */
  readonly model: string;
  /** The upstream format that it was submitted in. */
  readonly upstream: string;
  /** State of the upstream format, for later calls. */
  readonly upstreamState: JsonObject;
  /** The id of the ledger's row. */
  readonly exchangeId: string;
  /** The request id that the client saw; absent in rows of older versions. */
  readonly requestId?: string;
  /** The trace of its request, where there was one. */
  readonly traceparent?: string;
  readonly attempts: number;
  readonly warnings: readonly Warning[];
  /** Unix milliseconds when the upstream accepted it, or when it was submitted. */
  readonly acceptedAtMs: number;
  /** Unix milliseconds when it expires. */
  readonly deadlineMs: number;
  /** The last wait between two polls, without jitter. */
  readonly waitMs: number;
  /** Consecutive failed polls. */
  readonly troubles: number;
  /** Of these, the last ones with a refused credential. */
  readonly refusals?: number;
  /** Consecutive polls in which the upstream did not find the task. */
  readonly misses: number;
  /** Absent before the first poll, and in rows of older versions. */
  readonly polls?: readonly PollRecord[];
  readonly callbackUrl?: string;
  /** Name of the client's format. */
  readonly client?: string;
  /** The origin at which the client reached the gateway, without a trailing slash. */
  readonly origin?: string;
}

/** What the owner sees. */
interface TaskView {
  /** As the client named it. */
  readonly model: string;
  readonly prompt?: string;
  readonly effect: EffectiveSettings;
  readonly percent: number;
  readonly results: readonly VideoResult[];
  readonly failure?: VideoFailure;
  readonly completedAtMs?: number;
  readonly remixedFrom?: string;
  readonly externalId?: string;
}

export interface Task {
  readonly id: string;
  readonly ownerKeyId: string;
  readonly provider: string;
  readonly upstreamId: string | null;
  readonly state: VideoState;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly internals: TaskInternals;
  readonly view: TaskView;
}

/** The ids in its log lines. */
export function requestIdsOf({ internals: { exchangeId: id, requestId = id, traceparent } }: Task): RequestIds {
  return traceparent === undefined ? { id, requestId } : { id, requestId, traceparent };
}

/** The internals in rows of every version: these names must never change. */
type StoredInternals = Omit<TaskInternals, "upstream" | "upstreamState"> & {
  readonly wire: string;
  readonly keep: JsonObject;
};

function internalsOf({ candidate }: TaskRow): TaskInternals {
  const { wire: upstream, keep: upstreamState, ...internals } = JSON.parse(candidate) as StoredInternals;
  return { ...internals, upstream, upstreamState };
}

function storedInternals({ upstream: wire, upstreamState: keep, ...internals }: TaskInternals): StoredInternals {
  return { ...internals, wire, keep };
}

/** Only this file writes rows, so that their contents stay readable. */
export function taskOf(row: TaskRow): Task {
  const { id, ownerKeyId, provider, upstreamId, createdAtMs, updatedAtMs } = row;
  const internals = internalsOf(row);
  const view = JSON.parse(row.body) as TaskView;
  const state = row.state as VideoState;
  return { id, ownerKeyId, provider, upstreamId, state, createdAtMs, updatedAtMs, internals, view };
}

/** The written state of a task; null: it is not polled any more. */
export function changeOf(task: Task, nextPollAtMs: number | null): TaskChange {
  const { provider, upstreamId, state, updatedAtMs, internals, view } = task;
  const texts = { candidate: JSON.stringify(storedInternals(internals)), body: JSON.stringify(view) };
  return { provider, upstreamId, state, updatedAtMs, nextPollAtMs, ...texts };
}

/** The task at its upstream; null before it was accepted. */
export function upstreamTaskOf({ id, upstreamId, internals }: Task): UpstreamTask | null {
  return upstreamId === null
    ? null
    : { id, upstreamId, model: internals.model, upstreamState: internals.upstreamState };
}

/** Bytes of a result in a poll reply are not stored: it is polled again when they are requested. */
export function withoutBytes(result: VideoResult): VideoResult {
  const place: VideoLocation = result.place.kind === "inline" ? { kind: "inline" } : result.place;
  return { ...result, place };
}
