// What Kling says of its tasks, on its older and its newer paths alike: words of state, videos, a reason of failure.
import type { VideoResult } from "../../../../canonical/video.ts";
import type { JsonObject } from "../../../../lib/json.ts";
import { faultFailure, matchErrorCode } from "../../error-codes.ts";
import { type States, sizeNumber, stateOf, textOf } from "../../json-helpers.ts";
import { linked, policyWords } from "../../result-urls.ts";
import type { Accepted, VideoProgress } from "../../upstream.ts";

const states: States = {
  submitted: "queued",
  processing: "in_progress",
  succeed: "completed",
  succeeded: "completed",
  failed: "failed",
};

/** The members of a task, which the paths call otherwise. */
interface Told {
  readonly word: unknown;
  readonly reason: unknown;
  readonly videos: readonly JsonObject[];
}

function resultOf(video: JsonObject, isMarked: boolean): VideoResult[] {
  const seconds = sizeNumber(video.duration);
  const url = isMarked ? (video.watermark_url ?? video.url) : video.url;
  return linked(url, seconds === undefined ? {} : { seconds });
}

/** Null where no word is said. `keep.isMarked`: the client wants the video with its mark, which lies at an address of its own. */
export function progressOf({ word, reason, videos }: Told, keep: JsonObject): VideoProgress | null {
  if (textOf(word) === "") return null;
  const state = stateOf(word, states);
  if (state.state === "failed")
    return { ...state, failure: faultFailure(matchErrorCode(policyWords, textOf(reason)), reason) };
  if (state.state !== "completed") return state;
  return { ...state, results: videos.flatMap((video) => resultOf(video, keep.isMarked === true)) };
}

export function acceptedAs(upstreamId: string, progress: VideoProgress | null): Accepted {
  return progress === null ? { upstreamId } : { upstreamId, progress };
}
