// The bytes of a finished video: those that the gateway stores, whole or in part, else those at its provider.
import type { VideoLocation, VideoResult } from "../../canonical/video.ts";
import { parseRange } from "../../lib/byte-range.ts";
import type { TaskDependencies } from "./dependencies.ts";
import { type ContentRequest, described, notThere, openSource } from "./provider-content.ts";
import { sourceOf } from "./results.ts";
import type { Content } from "./source-body.ts";
import type { Task } from "./task.ts";

/** The result, or the 404 that says why there is none. */
function resultOf({ state, view }: Task, index: number): VideoResult {
  if (state === "queued" || state === "in_progress") throw notThere("video_not_ready", "The video is not ready yet.");
  const result = view.results[index];
  if (state !== "completed" || view.results.length === 0)
    throw notThere(state === "expired" ? "video_expired" : "video_failed", "The task has no video.");
  if (result === undefined) throw notThere("not_found", "The task has no video with this index.");
  return result;
}

/** Null where they are not there any more, or not where this instance can reach them. */
async function openStored(
  { results, gateway }: TaskDependencies,
  { where, name, bytes }: Extract<VideoLocation, { kind: "kept" }>,
  range: string | null,
): Promise<Content | null> {
  const blobs = results.places.get(where);
  const span = parseRange(bytes, range);
  const { start, end } = span.status === 416 ? { start: 0, end: 1 } : span;
  const body = await blobs?.open(name, bytes, start, end).catch((thrown: unknown) => {
    gateway.events.backgroundTaskFailed("videos", thrown);
    return null;
  });
  if (body === undefined || body === null) return null;
  const headers = new Headers("contentRange" in span ? { "content-range": span.contentRange } : {});
  headers.set("content-length", String(span.status === 416 ? 0 : end - start));
  if (span.status !== 416) return { status: span.status, headers, body };
  await body.cancel();
  return { status: 416, headers, body: null };
}

/** The bytes of one result of a task. Throws the 404 of one that is not there, not yet, or no more. */
export async function contentOf(dependencies: TaskDependencies, task: Task, request: ContentRequest): Promise<Content> {
  const result = resultOf(task, request.index);
  const { place } = result;
  const isKept = place.kind === "kept" && request.variant === "video";
  const kept = isKept ? await openStored(dependencies, place, request.range) : null;
  return kept === null ? openSource(dependencies, task, sourceOf(result), request) : described(kept, result);
}
