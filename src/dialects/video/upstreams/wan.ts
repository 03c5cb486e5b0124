// Wan on DashScope: a task behind a header that asks for one, on one path for all models but two.
import { isObject, type JsonObject, omitUndefined } from "../../../lib/json.ts";
import { videoUpstream } from "../engine.ts";
import type { VideoErrorTable } from "../error-codes.ts";
import { imageFor } from "../images.ts";
import { imageValue, known, linked, objectOf, sizeNumber, textOf } from "../json-helpers.ts";
import { nearest, proportion, shortSide, tierFor, wantedProportion } from "../nearest-supported.ts";
import { sidesOf } from "../settings.ts";
import type { VideoProgress } from "../upstream.ts";
import type { Shape, SubmitBody, TaskReading, VendorSubmit, VideoVendor } from "../vendor.ts";
import { type WanRow, wanModels } from "./wan-models.ts";

const usualShape = 16 / 9;
const usualResolution = "720p";
const heights = [480, 720, 1080] as const;
/** Sizes of one shape differ by so much from each other. */
const sameShape = 0.03;

/** The resolution that a size counts as: that of the landscape of 16:9 with as many pixels. */
function resolutionOf(size: string): string {
  const { width, height } = sidesOf(size);
  return `${nearest(Math.sqrt((width * height) / usualShape), heights)}P`;
}

/** The size that is nearest in shape and then in resolution to what was requested; with a first frame the video has its shape. */
const shape: VideoVendor<WanRow>["shape"] = (request, { sizes }): Shape | undefined => {
  if (sizes === undefined || imageFor(request.images, "first") !== undefined) return undefined;
  const wanted = wantedProportion(request);
  if (wanted === undefined && shortSide(request) === undefined) return { sent: {}, made: {} };
  const rows = sizes.map((declared) => {
    const size = declared.replace(/[x:]/, "*");
    const off = Math.abs(Math.log((wanted ?? usualShape) / (proportion(size) ?? 1)));
    return { size, resolution: resolutionOf(size), off };
  });
  const least = Math.min(...rows.map(({ off }) => off));
  const close = rows.filter(({ off }) => off <= least + sameShape).toSorted((left, right) => left.off - right.off);
  const resolutions = close.map(({ resolution }) => resolution);
  const resolution = tierFor(request, resolutions) ?? tierFor({ resolution: usualResolution }, resolutions);
  const size = close.find((row) => row.resolution === resolution)?.size;
  if (size === undefined) return { sent: {}, made: {} };
  return { sent: { size }, made: { ratio: size, resolution, ...sidesOf(size) } };
};

const types = { first: "first_frame", last: "last_frame", reference: "reference_image" } as const;

function mediaOf({ request: { images }, row }: VendorSubmit<WanRow>): JsonObject {
  if (images.length === 0) return {};
  if (row.takesMedia) return { media: images.map((image) => ({ type: types[image.role], url: imageValue(image) })) };
  const references = images.filter(({ role }) => role === "reference");
  if (references.length > 0) return { reference_urls: references.map(imageValue) };
  const [first, last] = [imageFor(images, "first"), imageFor(images, "last")];
  const image = first && imageValue(first);
  return omitUndefined(
    last === undefined ? { img_url: image } : { first_frame_url: image, last_frame_url: imageValue(last) },
  );
}

/** Models with a member for each image take two frames on a path of their own. */
function submit(submit: VendorSubmit<WanRow>): SubmitBody {
  const isBetween = !submit.row.takesMedia && imageFor(submit.request.images, "last") !== undefined;
  return {
    path: `api/v1/services/aigc/${isBetween ? "image2video" : "video-generation"}/video-synthesis`,
    body: { input: mediaOf(submit), parameters: {} },
    headers: { "x-dashscope-async": "enable" },
  };
}

function read({ output, usage }: JsonObject): TaskReading | VideoProgress {
  const { task_status: word, code, message: reason, video_url } = objectOf(output);
  if (word === "UNKNOWN") return { isGone: true };
  const used = objectOf(usage);
  const size = /^\d+\*\d+$/.exec(textOf(used.size) || textOf(used.video_ratio))?.[0];
  const side = sizeNumber(used.SR);
  const effect = known({
    seconds: sizeNumber(used.output_video_duration) ?? sizeNumber(used.video_duration) ?? sizeNumber(used.duration),
    ...(size === undefined ? {} : sidesOf(size)),
    resolution: side === undefined ? undefined : `${side}p`,
  });
  const isMade = String(word).toLowerCase() === "succeeded";
  return { status: word, code, reason, ...(isMade ? { results: linked(video_url, effect), effect } : {}) };
}

/** https://www.alibabacloud.com/help/en/model-studio/error-code */
const faults: VideoErrorTable = [
  [/DataInspection|IPInfringement|InfringementSuspect/i, "content"],
  [/^Arrearage/i, "funds"],
  [/^InvalidApiKey|AccessDenied|^Unauthorized|Unpurchased/i, "credentials"],
  [/^Throttling|RateLimit|QuotaExceeded/i, "rate"],
  [/Timeout/i, "timeout"],
  [/^ModelUnavailable|^ServiceUnavailable/i, "busy"],
  [/^InvalidParameter|^InvalidURL|^BadRequest|^InvalidFile|^InvalidImage/i, "input"],
  [/^Internal/i, "broken"],
];

const upper = (text: string): string => text.toUpperCase();

export const wanVideos = videoUpstream<WanRow>({
  name: "wan-videos",
  imageForms: ["url", "data"],
  models: wanModels,
  needsPrompt: "without-images",
  fields: ({ durations }) => ({
    ...{ model: "model", prompt: "input.prompt", negativePrompt: "input.negative_prompt" },
    // Models of one length have no field for it.
    seconds: Array.isArray(durations) && durations.length === 1 ? { fixed: "row" } : "parameters.duration",
    ...{ size: "parameters.size", ratio: "parameters.ratio" },
    ...{ resolution: { at: "parameters.resolution", as: upper }, fps: null, seed: "parameters.seed", n: null },
    ...{ audio: "parameters.audio", watermark: "parameters.watermark" },
  }),
  native: ["input.audio_url", "input.template", "parameters.prompt_extend", "parameters.shot_type"],
  usual: { seconds: 5 },
  ratioFollows: "first",
  shape,
  reports: "both",
  submit,
  id: "output.task_id",
  readsSubmit: true,
  isRefusal: ({ output, code }) => !isObject(output) && code !== undefined,
  states: {
    pending: "queued",
    running: "in_progress",
    succeeded: "completed",
    failed: "failed",
    canceled: "cancelled",
  },
  errorCodes: faults,
  error: { code: ["code"], message: ["message"] },
  read,
  poll: "GET api/v1/tasks/{id}",
  cancel: "POST api/v1/tasks/{id}/cancel",
  pace: { firstMs: 5_000, mostMs: 15_000 },
  resultSeconds: 86_400,
});
