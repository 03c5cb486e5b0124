// Where results are kept and within which bounds; which of them are worth it, and what they were before.
import type { VideoResult } from "../../canonical/video.ts";
import type { Blobs, BlobsKind } from "../../store/blobs/blobs.ts";
import type { Task } from "./task.ts";

export interface ResultsParts {
  /** Where new results are copied to; null: nowhere. */
  readonly target: Blobs | null;
  /** Every place that is known, also one that was used before. */
  readonly places: ReadonlyMap<BlobsKind, Blobs>;
  readonly maxVideoBytes: number;
  readonly maxTotalBytes: number;
  /** What a folder's disk must have left behind a copy. */
  readonly minFreeBytes: number;
  readonly maxAgeMs: number;
}

/** Only what would be gone sooner than it would be kept, and sooner than its task, is copied. */
function isWorthwhile({ place, expiresAtMs }: VideoResult, keptUntilMs: number, nowMs: number): boolean {
  return place.kind !== "kept" && expiresAtMs !== undefined && expiresAtMs > nowMs && expiresAtMs < keptUntilMs;
}

/** Indexes of the results that should be copied. */
export function shouldArchive(
  { view }: Task,
  { maxAgeMs }: ResultsParts,
  taskEndsAtMs: number,
  nowMs: number,
): readonly number[] {
  const keptUntilMs = Math.min(nowMs + maxAgeMs, taskEndsAtMs);
  return view.results.flatMap((result, index) => (isWorthwhile(result, keptUntilMs, nowMs) ? [index] : []));
}

const endings: Readonly<Record<string, string>> = {
  "video/mp4": "mp4",
  "video/webm": "webm",
  "video/quicktime": "mov",
};

/** The name under which a result lies; the same in each try, so that none leaves anything behind. */
export function nameOf({ id, view }: Task, index: number): string {
  return `${id}-${index}.${endings[view.results[index]?.mediaType ?? "video/mp4"] ?? "bin"}`;
}

/** The result as its provider has it. */
export function sourceOf(result: VideoResult): VideoResult {
  const { place, expiresAtMs: _keptUntil, ...rest } = result;
  if (place.kind !== "kept") return result;
  const { source, sourceEndsAtMs } = place;
  return { ...rest, place: source, ...(sourceEndsAtMs === undefined ? {} : { expiresAtMs: sourceEndsAtMs }) };
}

/** Bytes of all results that are kept; null where none is. */
export function keptBytes(results: readonly VideoResult[]): number | null {
  const sizes = results.flatMap(({ place }) => (place.kind === "kept" ? [place.bytes] : []));
  return sizes.length === 0 ? null : sizes.reduce((sum, size) => sum + size, 0);
}
