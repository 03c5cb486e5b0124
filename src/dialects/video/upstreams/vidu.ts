// Vidu: a path for each use of images, and a task that lists its creations.
import { type JsonObject, omitUndefined } from "../../../lib/json.ts";
import { objectsIn } from "../../shared/json-accessors.ts";
import type { ModelTable } from "../../shared/model-table.ts";
import { videoUpstream } from "../engine.ts";
import { imageFor } from "../images.ts";
import { imageValue, known, sizeNumber, textOf } from "../json-helpers.ts";
import type { SubmitBody, TaskReading, VendorSubmit, VideoRow } from "../vendor.ts";

const checkedOn = "2026-11-22";
const text = { source: "https://platform.vidu.com/docs/text-to-video", checkedOn } as const;
const twoFrames = { source: "https://platform.vidu.com/docs/start-end-to-video", checkedOn } as const;
const fewRatios = ["16:9", "9:16", "1:1"] as const;
const ratios = [...fewRatios, "4:3", "3:4"] as const;
const threeTiers = ["720p", "540p", "1080p"] as const;

/** The first resolution, and the length nearest to five seconds, are sent by default. */
export const viduModels: ModelTable<VideoRow> = {
  rows: [
    {
      ...{ models: /vidu-?q3/i, ...text, durations: { min: 1, max: 16 }, resolutions: threeTiers, ratios },
      audio: "optional",
    },
    {
      ...{ models: /vidu-?q2/i, ...twoFrames, durations: { min: 1, max: 10 }, resolutions: threeTiers, ratios },
      ...{ limits: [{ when: { has: "last" }, durations: { min: 1, max: 8 } }], audio: "never" },
    },
    {
      ...{ models: /vidu-?q1/i, ...text, durations: [5], resolutions: ["1080p"], ratios: fewRatios, audio: "never" },
    },
    {
      ...{ models: /vidu-?(?:1\.5|2\.0)/i, ...twoFrames, durations: [4, 8], ratios: fewRatios, audio: "never" },
      ...{ resolutions: ["360p", "720p", "1080p"], limits: [{ when: { seconds: 8 }, resolutions: ["720p"] }] },
    },
  ],
  unlisted: { models: /(?:)/, ...text },
};

/** The path, with the images in the required order. */
function submit({ request: { images }, context }: VendorSubmit<VideoRow>): SubmitBody {
  const frames = (["first", "last"] as const).flatMap((role) => imageFor(images, role) ?? []);
  const path =
    frames.length > 0
      ? (["img2video", "start-end2video"][frames.length - 1] ?? "")
      : images.length > 0
        ? "reference2video"
        : "text2video";
  const used = (frames.length > 0 ? frames : images).map(imageValue);
  return { path, body: omitUndefined({ images: used.length > 0 ? used : undefined, payload: context.taskId }) };
}

/** The lifetime of a URL is documented inconsistently, so a new one is requested each time. */
function read(body: JsonObject): TaskReading {
  const { state, duration, resolution, audio, err_code: code, err_msg, message } = body;
  const creation = objectsIn(body.creations).find(({ url }) => textOf(url) !== "");
  const place = { kind: "locate", ref: String(creation?.id ?? "") } as const;
  const effect = known({
    seconds: sizeNumber(duration),
    resolution: textOf(resolution).toLowerCase() || undefined,
    audio: typeof audio === "boolean" ? audio : undefined,
  });
  return {
    // A task that its owner canceled is reported as failed.
    status: /UserCancell?ed/i.test(textOf(code)) ? "cancelled" : state,
    code,
    reason: err_msg ?? message,
    results: creation === undefined ? [] : [{ place, mediaType: "video/mp4" }],
    effect,
  };
}

export const viduVideos = videoUpstream<VideoRow>({
  name: "vidu-videos",
  imageForms: ["url", "data"],
  models: viduModels,
  needsPrompt: "without-frames",
  images: { exclusive: true, lastNeedsFirst: true, mostReferences: 7 },
  fields: {
    ...{ model: "model", prompt: "prompt", negativePrompt: null, seconds: "duration", size: null },
    ...{ ratio: "aspect_ratio", resolution: "resolution", fps: null, seed: "seed", n: null },
    ...{ audio: "audio", watermark: "watermark" },
  },
  native: ["movement_amplitude", "style", "bgm"],
  usual: { seconds: 5, resolution: "first" },
  sendsUsual: ["seconds", "resolution"],
  ratioFollows: "frames",
  submit,
  id: "task_id",
  readsSubmit: true,
  isRefusal: ({ task_id, reason, code }) => task_id === undefined && (reason ?? code) !== undefined,
  states: {
    created: "queued",
    queueing: "queued",
    processing: "in_progress",
    success: "completed",
    failed: "failed",
    cancelled: "cancelled",
  },
  // https://platform.vidu.com/docs/error-code
  errorCodes: [
    [/PolicyViolation|AuditSubmitIllegal/i, "content"],
    [/CreditInsufficient/i, "funds"],
    [/^(?:Unauthorized|Forbidden)$/i, "credentials"],
    [/QuotaExceeded|TooManyRequests|TaskLimitExceeded/i, "rate"],
    [/SystemThrottling|OperationInProcess/i, "busy"],
    [/^(?:BadRequest|Field|PageSize|Image|ModelUnavailable)/i, "input"],
    [/InternalServiceFailure/i, "broken"],
  ],
  error: { code: ["reason", "code"], message: ["message"] },
  read,
  poll: "GET tasks/{id}/creations",
  cancel: ({ upstreamId: id }) => ({ path: `tasks/${encodeURIComponent(id)}/cancel`, body: { id } }),
  locate: { call: "GET tasks/{id}/creations", url: "creations.0.url" },
  resultSeconds: 86_400,
});
