// Kling, twice: with a path per kind of task, for all accounts, and with a path per model, for its newest models.
import { GatewayError } from "../../../canonical/error.ts";
import type { VideoImage, VideoRequest } from "../../../canonical/video.ts";
import { isObject, type JsonObject, omitUndefined } from "../../../lib/json.ts";
import type { ErrorCodec } from "../../dialect.ts";
import { unsupported } from "../../errors.ts";
import { objectsIn } from "../../shared/json-accessors.ts";
import { videoUpstream } from "../engine.ts";
import { faultError, matchErrorCode, policyWords, type VideoErrorTable } from "../error-codes.ts";
import { imageFor } from "../images.ts";
import { at, bareImageValue, known, linked, numberOf, sizeNumber, textOf } from "../json-helpers.ts";
import type { UpstreamAnswer, UpstreamTask, VideoProgress } from "../upstream.ts";
import type { SubmitBody, TaskReading, VendorSubmit, VideoVendor } from "../vendor.ts";
import { type KlingRow, klingModels } from "./kling-models.ts";

/** https://app.klingai.com/global/dev/document-api/apiReference/commonInfo */
const codes: VideoErrorTable = [
  [[1000, 1001, 1002, 1003, 1004, 1103, 1304], "credentials"],
  [[1100, 1101, 1102], "funds"],
  [[1200, 1201], "input"],
  [[1300, 1301], "content"],
  [[1302, 1303], "rate"],
  [[5000], "broken"],
  [[5001], "busy"],
  [[5002], "timeout"],
];
/** No such method, and no such model or task. */
const [unknownMethod, unknownTask] = [1202, 1203];
/** An unknown task on the older paths is reported as an invalid parameter. */
const unknownParameter = 1201;
/** The signature or key type does not match the path. */
const invalidKey = 1002;

const codeOf = (body: unknown): number | undefined => numberOf(at(body, "code"));

/** `{code, message, request_id}`. */
const parseError: ErrorCodec["parse"] = (status, body, retryAfterMs) => {
  const code = codeOf(body);
  const message = textOf(at(body, "message")) || textOf(body);
  const isUnknown = code === unknownMethod || code === unknownTask;
  return faultError(matchErrorCode(codes, code), { status: isUnknown ? 404 : status, message, retryAfterMs });
};

/** As `parseError`, for the newer paths, which do not accept access key pairs. */
const parseNewerError: ErrorCodec["parse"] = (status, body, retryAfterMs) => {
  const error = parseError(status, body, retryAfterMs);
  if (codeOf(body) !== invalidKey) return error;
  const message =
    "The provider refused the gateway's credential: this model requires a Kling API key ('credential'). An access key pair works with the older models ('kling-v…') only.";
  return new GatewayError("upstream_credentials", message, { cause: error });
};

/** A specific code with status 200 means that the task is unknown; others except 0 are not about the task. */
function readStatus({ status, body }: UpstreamAnswer): VideoProgress | null | undefined {
  const code = codeOf(body);
  if (status === 404 || code === unknownTask || code === unknownParameter) return { isGone: true };
  return code === 0 ? undefined : null;
}

/** The watermarked video, if requested, has a URL of its own. */
const marked = ({ watermark }: VideoRequest): JsonObject => (watermark === true ? { isMarked: true } : {});

function resultsOf(videos: readonly JsonObject[], { upstreamState }: UpstreamTask): TaskReading["results"] {
  return videos.flatMap(({ url, watermark_url, duration }) =>
    linked(upstreamState.isMarked === true ? (watermark_url ?? url) : url, known({ seconds: sizeNumber(duration) })),
  );
}

/**
 * Models of the newer paths have a version with a dot, as in `kling-3.0`, or are `omni` models; older ones are named
 * like `kling-v2-6`.
 */
const isCurrent = (model: string): boolean => /^kling-(?:\d+\.\d|o\d|v3-omni)/i.test(model);

/** What both have in common. */
const shared = {
  imageForms: ["url", "base64"],
  models: klingModels,
  usual: { seconds: 5, ratio: "first", resolution: "720p", audio: false },
  sendsUsual: ["seconds"],
  ratioFollows: "frames",
  reports: "implied",
  readsSubmit: true,
  isRefusal: ({ code, data }) => code !== undefined && (numberOf(code) !== 0 || !isObject(data)),
  states: {
    submitted: "queued",
    processing: "in_progress",
    succeed: "completed",
    succeeded: "completed",
    failed: "failed",
  },
  // The reason of a failed task is text.
  errorCodes: policyWords,
  readStatus,
  resultSeconds: 30 * 86_400,
} as const satisfies Partial<VideoVendor<KlingRow>>;

const tierOfMode: ReadonlyMap<unknown, string> = new Map([
  ["std", "720p"],
  ["pro", "1080p"],
  ["4k", "4k"],
]);
const audioWords: ReadonlyMap<unknown, boolean> = new Map([
  ["on", true],
  ["off", false],
]);

/** An unknown resolution is sent unchanged: it can only come from a model without a row. */
const modeOf = (resolution: string): string =>
  [...tierOfMode].find(([, tier]) => tier === resolution)?.[0]?.toString() ?? resolution;

/** The wire's own names for tier and audio, as its clients send them. */
function normalize(request: VideoRequest): VideoRequest {
  const resolution = tierOfMode.get(request.metadata.mode) ?? request.resolution;
  const audio = request.audio ?? audioWords.get(request.metadata.sound);
  return { ...request, ...(resolution === undefined ? {} : { resolution }), ...(audio === undefined ? {} : { audio }) };
}

const mostReferences = 4;

function referencesOf(images: readonly VideoImage[]): JsonObject {
  const stray = images.find((image, index) => image.role !== "reference" || index >= mostReferences);
  if (stray !== undefined)
    throw unsupported(stray.path, `this model accepts either frames or up to ${mostReferences} reference images.`);
  return { image_list: images.map((image) => ({ image: bareImageValue(image) })) };
}

const omniTypes = { first: "first_frame", last: "end_frame", reference: undefined } as const;

/**
 * The path for the model and the images, and its fields. Omni:
 * https://docs.kkiai.com/Other-Model-APIs/kling-platform-api/omni-video/omni-video-api.html
 */
function imagesOf(images: readonly VideoImage[], { isOmni }: KlingRow): { kind: string; members: JsonObject } {
  if (isOmni) {
    const list = images.map((image) =>
      omitUndefined({ image_url: bareImageValue(image), type: omniTypes[image.role] }),
    );
    return { kind: "omni-video", members: list.length === 0 ? {} : { image_list: list } };
  }
  if (images.length === 0) return { kind: "text2video", members: {} };
  if (images.some(({ role }) => role === "reference"))
    return { kind: "multi-image2video", members: referencesOf(images) };
  const [first, last] = [imageFor(images, "first"), imageFor(images, "last")];
  const members = omitUndefined({ image: first && bareImageValue(first), image_tail: last && bareImageValue(last) });
  return { kind: "image2video", members };
}

function submitOlder({ request, context, row }: VendorSubmit<KlingRow>): SubmitBody {
  const { kind, members } = imagesOf(request.images, row);
  const path = `v1/videos/${kind}`;
  return { path, body: { ...members, external_task_id: context.taskId }, upstreamState: { path, ...marked(request) } };
}

function readOlder({ data }: JsonObject, task: UpstreamTask): TaskReading {
  const reason = at(data, "task_status_msg");
  const results = resultsOf(objectsIn(at(data, "task_result.videos") as JsonObject[] | undefined), task);
  return { status: at(data, "task_status"), code: reason, reason, results };
}

export const klingVideos = videoUpstream<KlingRow>({
  ...shared,
  name: "kling-videos",
  serves: (model) => !isCurrent(model),
  normalize,
  images: { ownRoles: true },
  needsPrompt: "without-frames",
  fields: {
    ...{ model: "model_name", prompt: "prompt", negativePrompt: "negative_prompt" },
    ...{ seconds: { at: "duration", as: String }, size: null, ratio: "aspect_ratio" },
    ...{ resolution: { at: "mode", as: modeOf }, fps: null, seed: null, n: null },
    audio: { at: "sound", as: (audio: boolean) => (audio ? "on" : "off") },
    watermark: "watermark_info.enabled",
  },
  native: [
    ...["cfg_scale", "camera_control", "static_mask", "dynamic_masks", "multi_shot", "shot_type"],
    ...["multi_prompt", "element_list", "voice_list", "watermark_info"],
  ],
  submit: submitOlder,
  id: "data.task_id",
  error: parseError,
  read: readOlder,
  poll: ({ upstreamState, upstreamId }) => ({
    method: "GET",
    path: `${String(upstreamState.path)}/${encodeURIComponent(upstreamId)}`,
    body: {},
  }),
});

const imageTypes = { first: "first_frame", last: "last_frame", reference: "refer_image" } as const;

function submitNewer({ request, context, row }: VendorSubmit<KlingRow>): SubmitBody {
  const { images, prompt } = request;
  const way = row.isOmni ? "omni-video" : `${images.length > 0 ? "image" : "text"}-to-video`;
  const frames = images.map((image) => ({ type: imageTypes[image.role], url: bareImageValue(image) }));
  const contents = [...(prompt === undefined ? [] : [{ type: "prompt", text: prompt }]), ...frames];
  const subject = images.length > 0 || row.isOmni === true ? { contents } : { prompt };
  return {
    path: `${way}/${encodeURIComponent(context.model)}`,
    body: { ...subject, settings: {}, options: { external_task_id: context.taskId } },
    upstreamState: marked(request),
  };
}

function readNewer({ data }: JsonObject, task: UpstreamTask): TaskReading | VideoProgress | null {
  const found = Array.isArray(data) ? objectsIn(data).find(({ id }) => String(id) === task.upstreamId) : data;
  if (!isObject(found)) return Array.isArray(data) ? { isGone: true } : null;
  const videos = objectsIn(found.outputs).filter(({ type }) => type === undefined || type === "video");
  return { status: found.status, code: found.message, reason: found.message, results: resultsOf(videos, task) };
}

export const klingTasks = videoUpstream<KlingRow>({
  ...shared,
  name: "kling-tasks",
  serves: isCurrent,
  needsPrompt: "without-images",
  fields: {
    ...{ model: { custom: "path" }, prompt: { custom: "prompt" }, negativePrompt: null },
    ...{ seconds: "settings.duration", size: null, ratio: "settings.aspect_ratio", resolution: "settings.resolution" },
    ...{ fps: null, seed: null, n: null },
    audio: { at: "settings.audio", as: (audio: boolean) => (audio ? "native" : "off") },
    watermark: "options.watermark_info.enabled",
  },
  submit: submitNewer,
  id: "data.id",
  error: parseNewerError,
  read: readNewer,
  poll: "GET tasks?task_ids={id}",
});
