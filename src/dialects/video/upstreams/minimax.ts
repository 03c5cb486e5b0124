// MiniMax: up to Hailuo 2.3 a task that ends with a file id; from H3 on a list of contents, and a task with a URL.

import type { GatewayError } from "../../../canonical/error.ts";
import { isObject, type JsonObject, omitUndefined } from "../../../lib/json.ts";
import type { ModelTable } from "../../shared/model-table.ts";
import { videoUpstream } from "../engine.ts";
import { faultError, faultFailure, matchErrorCode, type VideoErrorTable } from "../error-codes.ts";
import { imageFor } from "../images.ts";
import { at, contentsOf, imageValue, known, numberOf, objectOf, sizeNumber, textOf } from "../json-helpers.ts";
import type { UpstreamAnswer, VideoProgress } from "../upstream.ts";
import type { SubmitBody, TaskReading, VendorSubmit, VideoRow } from "../vendor.ts";

/** https://platform.minimax.io/docs/api-reference/errorcode */
const faults: VideoErrorTable = [
  [[1001], "timeout"],
  [[1002, 1039, 1041, 2056], "rate"],
  [[1004, 2049], "credentials"],
  [[1008, 2061], "funds"],
  [[1026, 1027], "content"],
  [[1042, 2013], "input"],
];

interface Outcome {
  /** 0 for success. */
  readonly code: number;
  readonly message: string;
}

const faultOf = ({ code }: Outcome) => (code === 0 ? undefined : (matchErrorCode(faults, code) ?? "broken"));

/** `base_resp` of the older wire, `error` of the newer one, whose message ends with the number. */
function outcomeOf(body: unknown): Outcome {
  const { base_resp: base, error } = objectOf(body);
  if (isObject(base)) return { code: numberOf(base.status_code) ?? 0, message: textOf(base.status_msg) };
  const message = textOf(at(error, "message"));
  const code = numberOf(at(error, "code")) ?? Number(/\((\d{4})\)\s*$/.exec(message)?.[1] ?? 0);
  return { code, message };
}

export function parseError(status: number, body: unknown, retryAfterMs?: number): GatewayError {
  const outcome = outcomeOf(body);
  return faultError(faultOf(outcome), { status, message: outcome.message || textOf(body), retryAfterMs });
}

/** Whether the number means an error, also with a success status. */
export const isRefusal = (body: JsonObject): boolean => outcomeOf(body).code !== 0 || isObject(body.error);

const checkedOn = "2026-11-22";
const older = { source: "https://platform.minimax.io/docs/guides/video-generation", checkedOn } as const;
const newer = { source: "https://platform.minimax.io/docs/api-reference/video-generation-v2", checkedOn } as const;

interface HailuoRow extends VideoRow {
  /** Has no fields for length and resolution. */
  readonly isFixed?: true;
}

/** The highest resolution is only supported with the shortest length. */
const shortest = { when: { resolution: "1080P" }, durations: [6] } as const;
const hailuo = { ...older, durations: [6, 10], audio: "never", limits: [shortest] } as const;
const first = { ...older, durations: [6], resolutions: ["720P"], audio: "never", isFixed: true } as const;

/** The first resolution is the default. */
export const hailuoModels: ModelTable<HailuoRow> = {
  rows: [
    {
      ...{ models: /hailuo-02/i, ...hailuo, resolutions: ["768P", "512P", "1080P"], images: ["first", "last"] },
      limits: [{ when: { lacks: "first" }, resolutions: ["768P", "1080P"] }, shortest],
    },
    {
      ...{ models: /hailuo-2\.3-fast/i, ...hailuo, resolutions: ["768P", "1080P"] },
      ...{ images: ["first"], needs: ["first"] },
    },
    { models: /hailuo-2\.3/i, ...hailuo, resolutions: ["768P", "1080P"], images: ["first"] },
    { models: /^s2v-01/i, ...first, images: ["reference"], needs: ["reference"] },
    { models: /^t2v-01/i, ...first, images: [] },
    { models: /^i2v-01/i, ...first, images: ["first"], needs: ["first"] },
  ],
  unlisted: { models: /(?:)/, ...older },
};

const ratios = ["16:9", "21:9", "4:3", "1:1", "3:4", "9:16"] as const;
const third = { ...newer, resolutions: ["768P", "2K"], ratios, audio: "always" } as const;

/** The first resolution and ratio, and five seconds, are sent by default. */
export const h3Models: ModelTable<VideoRow> = {
  rows: [
    { models: /(?:^|-)h3-max/i, ...third, durations: { min: 5, max: 15 } },
    { models: /(?:^|-)h3/i, ...third, durations: { min: 4, max: 15 } },
  ],
  unlisted: { models: /(?:)/, ...newer },
};

const unknownTask = 2013;

const failureOf = (body: JsonObject) => {
  const outcome = outcomeOf(body);
  return faultFailure(faultOf(outcome), outcome.message);
};

/** A poll contains only the id, so an error is about the id. */
function readStatus({ status, body }: UpstreamAnswer): VideoProgress | undefined {
  const isUnknown = outcomeOf(body).code === unknownTask && textOf(at(body, "status")) === "";
  return isUnknown && (status === 200 || status === 400) ? { isGone: true } : undefined;
}

const isNewer = (model: string): boolean => /(?:^|-)h[3-9]/i.test(model);
const upper = (text: string): string => text.toUpperCase();

function submitHailuo({ request: { images } }: VendorSubmit<HailuoRow>): SubmitBody {
  const [frame, last, reference] = (["first", "last", "reference"] as const).map((role) => imageFor(images, role));
  const body = omitUndefined({
    first_frame_image: frame && imageValue(frame),
    last_frame_image: last && imageValue(last),
    subject_reference: reference && [{ type: "character", image: [imageValue(reference)] }],
  });
  return { path: "video_generation", body };
}

function readHailuo(body: JsonObject): TaskReading {
  const { status, file_id: file, video_width, video_height } = body;
  const hasFile = typeof file === "number" || textOf(file) !== "";
  const size = known({ width: sizeNumber(video_width), height: sizeNumber(video_height) });
  const place = { kind: "locate", ref: String(file) } as const;
  return {
    status: status,
    failure: failureOf(body),
    results: hasFile ? [{ place, mediaType: "video/mp4", ...size }] : [],
  };
}

export const minimaxVideos = videoUpstream<HailuoRow>({
  name: "minimax-videos",
  serves: (model) => !isNewer(model),
  imageForms: ["url", "data"],
  models: hailuoModels,
  needsPrompt: "without-images",
  images: { mostReferences: 1 },
  fields: ({ isFixed }) => ({
    ...{ model: "model", prompt: "prompt", negativePrompt: null, size: null, ratio: { fixed: "row" } },
    seconds: isFixed ? { fixed: "row" } : "duration",
    resolution: isFixed ? { fixed: "row" } : { at: "resolution", as: upper },
    ...{ fps: null, seed: null, n: null, audio: null, watermark: "aigc_watermark" },
  }),
  native: ["prompt_optimizer", "fast_pretreatment"],
  // Without an image every video is a landscape; with one it has the image's shape.
  usual: { seconds: 6, ratio: "16:9", resolution: "first" },
  ratioFollows: "first",
  assumesAudio: false,
  submit: submitHailuo,
  id: "task_id",
  isRefusal,
  states: {
    preparing: "queued",
    queueing: "queued",
    processing: "in_progress",
    success: "completed",
    fail: "failed",
  },
  errorCodes: faults,
  error: parseError,
  readStatus,
  read: readHailuo,
  poll: "GET query/video_generation?task_id={id}",
  locate: { call: "GET files/retrieve?file_id={ref}", url: "file.download_url" },
  resultSeconds: 86_400,
});

function readH3({ task }: JsonObject, { upstreamId }: { upstreamId: string }): TaskReading | null {
  if (!isObject(task)) return null;
  const hasAddress = textOf(at(task, "content.url")) !== "";
  return {
    status: task.status,
    failure: failureOf(task),
    // URLs are short-lived, and every reply has a new one.
    results: hasAddress ? [{ place: { kind: "locate", ref: upstreamId }, mediaType: "video/mp4" }] : [],
    effect: known({
      seconds: sizeNumber(at(task, "usage.output_seconds")) ?? sizeNumber(at(task, "usage.total_seconds")),
    }),
  };
}

/** https://platform.minimax.io/docs/api-reference/video-generation-v2 */
export const minimaxNewerVideos = videoUpstream<VideoRow>({
  name: "minimax-videos-v2",
  serves: isNewer,
  imageForms: ["url", "data"],
  models: h3Models,
  needsPrompt: "always",
  images: { exclusive: true },
  fields: {
    ...{ model: "model", prompt: { custom: "content[].text" }, negativePrompt: null, seconds: "duration", size: null },
    ...{ ratio: "ratio", resolution: { at: "resolution", as: upper }, fps: null, seed: null, n: null, audio: null },
    watermark: "aigc_watermark",
  },
  native: ["prompt_optimizer"],
  usual: { seconds: 5, ratio: "first", resolution: "first" },
  sendsUsual: ["seconds", "ratio", "resolution"],
  ratioFollows: "images",
  assumesAudio: true,
  submit: ({ request: { prompt = "", images } }) => ({
    path: "v2/video_generation",
    body: { content: contentsOf(prompt, images) },
  }),
  id: "task_id",
  isRefusal,
  states: {
    queued: "queued",
    running: "in_progress",
    succeeded: "completed",
    failed: "failed",
    cancelled: "cancelled",
    expired: "expired",
  },
  errorCodes: faults,
  error: parseError,
  readStatus,
  read: readH3,
  poll: "GET v2/query/video_generation/{id}",
  cancel: "DELETE v2/video_generation/{id}",
  locate: { call: "GET v2/query/video_generation/{ref}", url: "task.content.url" },
  resultSeconds: 86_400,
});
