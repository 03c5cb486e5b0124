// Wan on DashScope: a task, requested by a header, on one path for all models but two.
import { isObject, type JsonObject, omitUndefined } from "../../../lib/json.ts";
import type { ModelTable } from "../../shared/model-table.ts";
import { videoUpstream } from "../engine.ts";
import type { VideoErrorTable } from "../error-codes.ts";
import { imageFor } from "../images.ts";
import { imageValue, known, linked, objectOf, sizeNumber, textOf } from "../json-helpers.ts";
import { nearest, proportion, requestedProportion, shortSide, tierFor } from "../nearest-supported.ts";
import { sidesOf } from "../settings.ts";
import type { VideoProgress } from "../upstream.ts";
import type { Shape, SubmitBody, TaskReading, VendorSubmit, VideoRow, VideoVendor } from "../vendor.ts";

interface WanRow extends VideoRow {
  /** Accepts all images in one media list; other models have a member for each. */
  readonly takesMedia?: true;
}

const checkedOn = "2026-11-22";
const pageOf = (name: string) => ({ source: `https://www.alibabacloud.com/help/en/model-studio/${name}`, checkedOn });
const text = pageOf("text-to-video-api-reference");
const frame = pageOf("image-to-video-api-reference");
const frames = pageOf("image-to-video-by-first-and-last-frame-api-reference");
const references = pageOf("wan-video-to-video-api-reference");

const sizesOf480 = ["832*480", "480*832", "624*624"] as const;
const sizesOf720 = ["1280*720", "720*1280", "960*960", "1088*832", "832*1088"] as const;
const sizesOf1080 = ["1920*1080", "1080*1920", "1440*1440", "1632*1248", "1248*1632"] as const;
const highSizes = [...sizesOf720, ...sizesOf1080] as const;
const allSizes = [...sizesOf480, ...highSizes] as const;

const ratios = ["16:9", "9:16", "1:1", "4:3", "3:4"] as const;
const high = ["720P", "1080P"] as const;
const all = ["480P", "720P", "1080P"] as const;

const upToFifteen = { min: 2, max: 15 } as const;
const fiveOrTen = [5, 10] as const;
const onlyFive = [5] as const;

/** Media of the newest generation: ratio and resolution instead of a size, and always audio. */
const newest = { takesMedia: true, ratios, resolutions: high, durations: upToFifteen, audio: "always" } as const;
const fromText = { ...text, images: [] } as const;
const fromFrame = { ...frame, images: ["first"], needs: ["first"] } as const;
const fromFrames = { ...frames, images: ["first", "last"], needs: ["first", "last"], durations: onlyFive } as const;
const sixth = { durations: upToFifteen, audio: "optional" } as const;
const fifth = { durations: fiveOrTen, audio: "optional" } as const;
const older = { durations: onlyFive, audio: "never" } as const;

/** Sizes are for videos without a first frame. With one, the video has its shape. */
const rows: readonly WanRow[] = [
  { models: /wan-?2\.7.*t2v/i, ...fromText, ...newest },
  { models: /wan-?2\.7.*i2v/i, ...fromFrame, ...newest, images: ["first", "last"] },
  { models: /wan-?2\.7.*r2v/i, ...references, ...newest, images: ["first", "reference"], needs: ["reference"] },
  { models: /wan-?2\.6.*t2v/i, ...fromText, ...sixth, sizes: highSizes },
  { models: /wan-?2\.6.*i2v/i, ...fromFrame, ...sixth, resolutions: high },
  {
    ...{ models: /wan-?2\.6.*r2v/i, ...references, ...sixth, sizes: highSizes },
    ...{ images: ["reference"], needs: ["reference"] },
  },
  { models: /wan-?2\.5.*t2v/i, ...fromText, ...fifth, sizes: allSizes },
  { models: /wan-?2\.5.*i2v/i, ...fromFrame, ...fifth, resolutions: all },
  { models: /wan-?2\.2.*kf2v/i, ...older, ...fromFrames, resolutions: all },
  { models: /wan-?2\.2.*t2v.*plus/i, ...fromText, ...older, sizes: [...sizesOf480, ...sizesOf1080] },
  { models: /wan-?2\.2.*i2v.*plus/i, ...fromFrame, ...older, resolutions: ["480P", "1080P"] },
  { models: /wan-?2\.2.*i2v/i, ...fromFrame, ...older, resolutions: ["480P", "720P"] },
  { models: /wanx?-?2\.1.*kf2v/i, ...older, ...fromFrames, resolutions: ["720P"] },
  { models: /wanx?-?2\.1.*t2v.*turbo/i, ...fromText, ...older, sizes: [...sizesOf480, ...sizesOf720] },
  { models: /wanx?-?2\.1.*t2v/i, ...fromText, ...older, sizes: sizesOf720 },
  { models: /wanx?-?2\.1.*i2v.*turbo/i, ...fromFrame, ...older, resolutions: ["480P", "720P"] },
  { models: /wanx?-?2\.1.*i2v/i, ...fromFrame, ...older, resolutions: ["720P"] },
];

export const wanModels: ModelTable<WanRow> = {
  rows,
  unlisted: { models: /(?:)/, ...pageOf("video-generation/"), takesMedia: true },
};

const usualShape = 16 / 9;
const usualResolution = "720p";
const heights = [480, 720, 1080] as const;
/** The tolerance between sizes of one shape. */
const sameShape = 0.03;

/** The resolution of a size: that of the 16:9 landscape with as many pixels. */
function resolutionOf(size: string): string {
  const { width, height } = sidesOf(size);
  return `${nearest(Math.sqrt((width * height) / usualShape), heights)}P`;
}

/** The size nearest to the request in shape, then in resolution. With a first frame the video has its shape. */
const shape: VideoVendor<WanRow>["shape"] = (request, { sizes }): Shape | undefined => {
  if (sizes === undefined || imageFor(request.images, "first") !== undefined) return undefined;
  const requested = requestedProportion(request);
  if (requested === undefined && shortSide(request) === undefined) return { sent: {}, made: {} };
  const rows = sizes.map((declared) => {
    const size = declared.replace(/[x:]/, "*");
    const off = Math.abs(Math.log((requested ?? usualShape) / (proportion(size) ?? 1)));
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

/** Models with a member for each image accept two frames on a path of their own. */
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
    // Models with a single length have no field for it.
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
