// Seedance: a list of contents with roles, options, and a task that reports the actual settings of the result.
import { isObject, type JsonObject } from "../../../lib/json.ts";
import { parseError } from "../../openai-error.ts";
import type { ModelTable } from "../../shared/model-table.ts";
import { videoUpstream } from "../engine.ts";
import { faultError, matchErrorCode, type VideoErrorTable } from "../error-codes.ts";
import { at, contentsOf, known, linked, numberOf, sizeNumber, textOf } from "../json-helpers.ts";
import type { VideoUpstream } from "../upstream.ts";
import type { SubmitBody, TaskReading, VendorSubmit, VideoRow } from "../vendor.ts";

const page = { source: "https://www.volcengine.com/docs/82379/1520757", checkedOn: "2026-11-22" } as const;
const threeTiers = ["720p", "480p", "1080p"] as const;
const ratios = ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9"] as const;

/** The first resolution, and 5 seconds, are sent by default. */
const models: ModelTable<VideoRow> = {
  rows: [
    {
      ...{ models: /lite|wan2|seaweed/i, ...page, durations: { min: 2, max: 12 }, ratios },
      ...{ resolutions: threeTiers, audio: "never" },
    },
    {
      ...{ models: /1[-.]0/, ...page, durations: { min: 2, max: 12 }, ratios },
      ...{ resolutions: ["1080p", "480p", "720p"], audio: "never" },
    },
    {
      ...{ models: /1[-.]5/, ...page, durations: { min: 4, max: 12 }, ratios },
      ...{ resolutions: threeTiers, audio: "optional" },
    },
    {
      ...{ models: /seedance-?2[-.]5/i, ...page, durations: { min: 4, max: 30 }, ratios },
      ...{ resolutions: threeTiers, audio: "optional" },
    },
    {
      ...{ models: /seedance-?2.*(?:fast|mini)/i, ...page, durations: { min: 4, max: 15 }, ratios },
      ...{ resolutions: ["720p", "480p"], audio: "optional" },
    },
    {
      ...{ models: /seedance-?2/i, ...page, durations: { min: 4, max: 15 }, ratios },
      ...{ resolutions: [...threeTiers, "4k"], audio: "optional" },
    },
  ],
  unlisted: { models: /(?:)/, ...page },
};

/** The oldest models read their options from the end of the text. */
const readsSuffix = /wan2|seaweed/i;
const suffixNames: { readonly [name: string]: string } = { camera_fixed: "camerafixed" };

function submit({ request, context, settings }: VendorSubmit<VideoRow>): SubmitBody {
  const { model, ...options } = settings;
  const inText = readsSuffix.test(context.model);
  const suffix = Object.entries(options).map(([name, value]) => `--${suffixNames[name] ?? name} ${String(value)}`);
  const text = [request.prompt, ...(inText ? suffix : [])].filter(Boolean).join(" ");
  const dropped = inText ? Object.fromEntries(Object.keys(options).map((name) => [name, undefined])) : {};
  return { path, body: { ...dropped, content: contentsOf(text, request.images) } };
}

function read(body: JsonObject): TaskReading {
  const { status, duration, resolution, frames, framespersecond, generate_audio: audio, seed } = body;
  const fps = sizeNumber(framespersecond);
  const count = sizeNumber(frames);
  const seconds = sizeNumber(duration) ?? (count === undefined ? undefined : count / (fps ?? 24));
  return {
    status: status,
    code: at(body, "error.code"),
    reason: at(body, "error.message"),
    results: linked(at(body, "content.video_url"), known({ fps, seed: numberOf(seed), seconds })),
    effect: known({
      seconds,
      resolution: textOf(resolution).toLowerCase() || undefined,
      audio: typeof audio === "boolean" ? audio : undefined,
    }),
  };
}

/** https://docs.byteplus.com/en/docs/ModelArk/1299023 */
const faults: VideoErrorTable = [
  [/Sensitive|RiskDetection|PolicyViolation|Copyright/i, "content"],
  [/AccountOverdue|InsufficientBalance/i, "funds"],
  [/AuthenticationError|InvalidApiKey|AccessDenied|InvalidSubscription/i, "credentials"],
  [/ServerOverloaded/i, "busy"],
  [/RateLimit|QuotaExceeded|LimitExceeded|SetLimitExceeded/i, "rate"],
  [/Timeout/i, "timeout"],
  [/InvalidParameter|MissingParameter|InvalidImage|OutofContext/i, "input"],
  [/InternalServiceError/i, "broken"],
];

const errorOf: VideoUpstream["error"]["parse"] = (status, body, retryAfterMs) => {
  const fault = matchErrorCode(faults, at(body, "error.code"));
  if (fault === undefined) return parseError(status, body, retryAfterMs);
  return faultError(fault, { status, message: textOf(at(body, "error.message")), retryAfterMs });
};

const path = "contents/generations/tasks";

export const seedanceVideos = videoUpstream<VideoRow>({
  name: "seedance-videos",
  imageForms: ["url", "data"],
  models,
  needsPrompt: "without-images",
  images: { exclusive: true, lastNeedsFirst: true },
  fields: {
    ...{ model: "model", prompt: { custom: "content[].text" }, negativePrompt: null, size: null, ratio: "ratio" },
    ...{ resolution: "resolution", fps: { fixed: 24 }, seed: "seed", n: null, watermark: "watermark" },
    ...{ audio: "generate_audio", seconds: "duration" },
  },
  native: ["camera_fixed", "return_last_frame"],
  usual: { seconds: 5, resolution: "first" },
  sendsUsual: ["seconds", "resolution"],
  submit,
  id: "id",
  isRefusal: ({ error }) => isObject(error),
  states: {
    queued: "queued",
    running: "in_progress",
    succeeded: "completed",
    failed: "failed",
    cancelled: "cancelled",
    expired: "expired",
  },
  errorCodes: faults,
  error: errorOf,
  read,
  poll: `GET ${path}/{id}`,
  // One call cancels a waiting task, and deletes a finished one.
  cancel: `DELETE ${path}/{id}`,
  remove: `DELETE ${path}/{id}`,
  resultSeconds: 86_400,
});
