// fal's queue: a queued request, a status, and a result to fetch at the end.
import type { GatewayError } from "../../../canonical/error.ts";
import type { VideoResult } from "../../../canonical/video.ts";
import { isObject, type JsonObject } from "../../../lib/json.ts";
import { objectsIn } from "../../shared/json-accessors.ts";
import type { ModelTable } from "../../shared/model-table.ts";
import { videoUpstream } from "../engine.ts";
import { faultError, faultFailure, matchErrorCode, type VideoErrorTable } from "../error-codes.ts";
import { at, known, numberOf, objectOf, sizeNumber, textOf } from "../json-helpers.ts";
import type { UpstreamAnswer, UpstreamTask, VideoProgress } from "../upstream.ts";
import type { SubmitBody, TaskReading, VendorSubmit } from "../vendor.ts";
import endpoints from "./fal-endpoints.json" with { type: "json" };
import { type HostedRow, hostedFields, hostedImages, hostedShape } from "./model-host.ts";

const { source, checkedOn } = endpoints;

/**
 * The input names and values of each endpoint, from the types of fal's own client; checked where the file is
 * generated.
 */
export const falModels: ModelTable<HostedRow> = {
  rows: (endpoints.rows as readonly Omit<HostedRow, "source" | "checkedOn">[]).map((row) => ({
    ...row,
    source,
    checkedOn,
  })),
  // The names that most endpoints have.
  unlisted: {
    models: /(?:)/,
    source,
    checkedOn,
    fields: {
      first: "image_url",
      last: "end_image_url",
      references: "reference_image_urls",
      seconds: "duration",
      ratio: "aspect_ratio",
      resolution: "resolution",
      seed: "seed",
      negativePrompt: "negative_prompt",
      audio: "generate_audio",
    },
    secondsAs: "text",
  },
};

/** `owner/app`, with a path within the app if it has several. */
const modelName = /^[\w-]+(?:\/\w[\w.-]*)+$/;

/** Polling paths omit the path within the app; the submit reply contains the remaining part. */
function appIn(responseUrl: unknown): string | undefined {
  const app = /^https?:\/\/[^/]+\/(.+)\/requests\/[^/]+\/?$/.exec(textOf(responseUrl))?.[1] ?? "";
  return modelName.test(app) ? app : undefined;
}

const appOf = (model: string): string => model.split("/").slice(0, 2).join("/");

const requestPath = ({ upstreamId, model, upstreamState }: UpstreamTask): string =>
  `${textOf(upstreamState.app) || appOf(model)}/requests/${encodeURIComponent(upstreamId)}`;

function submit(submit: VendorSubmit<HostedRow>): SubmitBody {
  const { inputs, warnings = [] } = hostedImages(submit);
  const { model } = submit.context;
  return { path: model, body: inputs, upstreamState: { app: appOf(model) }, warnings };
}

/** https://docs.fal.ai/errors: by the type of an error, or by its text. */
const faults: VideoErrorTable = [
  [/content_policy_violation|flagged|nsfw|safety|moderation/i, "content"],
  [/timeout|timed out/i, "timeout"],
  [/exhausted balance|insufficient/i, "funds"],
  [/downstream_service|runner_|internal|generation_error/i, "broken"],
];

/** `detail` as a text, or as a list of errors with a type each. */
function errorIn(body: unknown): { words: string; message: string } {
  const { detail, error, error_type: type } = objectOf(body);
  const items = objectsIn(detail).map((item) => ({ type: textOf(item.type), message: textOf(item.msg) }));
  const prose = [textOf(detail), textOf(error), textOf(at(error, "message")), ...items.map(({ message }) => message)];
  const message = prose.filter(Boolean).join("; ") || textOf(body);
  return { words: [textOf(type), ...items.map((item) => item.type), message].join(" "), message };
}

function parseError(status: number, body: unknown, retryAfterMs?: number): GatewayError {
  const { words, message } = errorIn(body);
  const fault = status >= 500 || status === 429 ? undefined : matchErrorCode(faults, words);
  return faultError(fault ?? (status === 422 ? "input" : undefined), { status, message, retryAfterMs });
}

function failed(body: unknown, usual?: "input"): VideoProgress {
  const { words, message } = errorIn(body);
  return { state: "failed", failure: faultFailure(matchErrorCode(faults, words) ?? usual, message) };
}

function resultsOf(body: JsonObject): VideoResult[] {
  const video = objectOf(Array.isArray(body.videos) ? body.videos[0] : body.video);
  const url = textOf(video.url);
  if (!/^https?:\/\//i.test(url)) return [];
  const type = textOf(video.content_type);
  return [
    known<VideoResult>({
      place: { kind: "url", url },
      mediaType: type.startsWith("video/") ? type : undefined,
      seconds: sizeNumber(video.duration),
      width: sizeNumber(video.width),
      height: sizeNumber(video.height),
      fps: sizeNumber(video.fps),
      seed: numberOf(body.seed),
      expiresAtMs: undefined,
    }),
  ];
}

/**
 * The status reports only the end. The result that is fetched next has the outcome, with a status chosen by the model.
 */
function readStatus(
  { status, body }: UpstreamAnswer,
  { upstreamState }: UpstreamTask,
): VideoProgress | null | undefined {
  if (upstreamState.isDone !== true || status === 404) return undefined;
  if (/still in progress/i.test(errorIn(body).message)) return { state: "in_progress" };
  if (status === 400 || status === 422) return failed(body, "input");
  // An error of the model's own program; the queue's errors have another shape.
  if (status === 500 && isObject(body) && body.detail !== undefined) return failed(body);
  return status === 200 && isObject(body) ? { state: "completed", results: resultsOf(body) } : null;
}

function read(body: JsonObject): TaskReading | VideoProgress {
  if (!/^completed$/i.test(textOf(body.status))) return { status: body.status };
  return body.error ? failed(body) : { state: "in_progress", upstreamState: { isDone: true } };
}

export const falVideos = videoUpstream<HostedRow>({
  name: "fal-queue",
  serves: (model) => modelName.test(model),
  imageForms: ["url", "data"],
  models: falModels,
  needsPrompt: "without-images",
  fields: hostedFields(""),
  // Excludes fields for length, tier and number of videos.
  native: [
    ...["camera_fixed", "cfg_scale", "enable_prompt_expansion", "guidance_scale", "loop", "motion_strength"],
    ...["num_inference_steps", "prompt_optimizer", "style"],
  ],
  shape: hostedShape,
  submit,
  id: "request_id",
  isRefusal: ({ request_id, detail, error }) => request_id === undefined && (detail ?? error) !== undefined,
  upstreamStateOf({ response_url }) {
    const app = appIn(response_url);
    return app === undefined ? {} : { app };
  },
  states: { in_queue: "queued", in_progress: "in_progress" },
  errorCodes: faults,
  error: parseError,
  readStatus,
  read,
  poll: (task) => ({
    method: "GET",
    path: task.upstreamState.isDone === true ? requestPath(task) : `${requestPath(task)}/status`,
    body: {},
  }),
  cancel: (task) => ({ method: "PUT", path: `${requestPath(task)}/cancel`, body: {} }),
  pace: { firstMs: 3_000, mostMs: 3_000 },
  resultSeconds: 3 * 86_400,
});
