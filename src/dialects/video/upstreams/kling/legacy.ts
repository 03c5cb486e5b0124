// Kling by a path per kind of task, which every account and all but the newest models know.
import type { VideoImage, VideoRequest } from "../../../../canonical/video.ts";
import { isObject, type JsonObject, omitUndefined } from "../../../../lib/json.ts";
import { invalidUpstreamResponse, missing, unsupported } from "../../../errors.ts";
import { objectsIn } from "../../../shared/json-accessors.ts";
import { imageFor } from "../../images.ts";
import { getCall, objectOf, requireId } from "../../json-helpers.ts";
import { deepMerge, pick } from "../../nearest-supported.ts";
import type { VideoProgress, VideoRenderContext, VideoUpstream } from "../../upstream.ts";
import { isCurrent } from "./current.ts";
import { dataIn, parseError } from "./error.ts";
import type { KlingRow } from "./models.ts";
import { type Fit, fit, imageValue } from "./nearest-supported.ts";
import { acceptedAs, progressOf } from "./statuses.ts";

const mostReferences = 4;

/** Members that Kling's own clients know and canon does not. What is charged by, and who is called back, is not among them. */
const passed = [
  "cfg_scale",
  "camera_control",
  "static_mask",
  "dynamic_masks",
  "multi_shot",
  "shot_type",
  "multi_prompt",
  "element_list",
  "voice_list",
  "watermark_info",
];
const tierOfMode: ReadonlyMap<unknown, string> = new Map([
  ["std", "720p"],
  ["pro", "1080p"],
  ["4k", "4k"],
]);

/** A resolution of another name goes as it is: it can only come from a model that no row knows. */
const modeOf = (resolution: string | undefined): string | undefined =>
  [...tierOfMode].find(([, tier]) => tier === resolution)?.[0]?.toString() ?? resolution;
const soundWords: ReadonlyMap<unknown, boolean> = new Map([
  ["on", true],
  ["off", false],
]);

/** The wire's own words for tier and sound, as its clients say them, in canon's members. */
function parsedResponse(request: VideoRequest): VideoRequest {
  const resolution = tierOfMode.get(request.metadata.mode) ?? request.resolution;
  const audio = request.audio ?? soundWords.get(request.metadata.sound);
  return { ...request, ...(resolution === undefined ? {} : { resolution }), ...(audio === undefined ? {} : { audio }) };
}

function referencesOf(images: readonly VideoImage[]): JsonObject {
  const stray = images.find((image, index) => image.role !== "reference" || index >= mostReferences);
  if (stray !== undefined)
    throw unsupported(stray.path, `this model accepts either frames or up to ${mostReferences} reference images.`);
  return { image_list: images.map((image) => ({ image: imageValue(image) })) };
}

const omniTypes = { first: "first_frame", last: "end_frame", reference: undefined } as const;

/** Frames and references in one list: https://docs.kkiai.com/Other-Model-APIs/kling-platform-api/omni-video/omni-video-api.html */
function omniImages(images: readonly VideoImage[]): JsonObject {
  if (images.length === 0) return {};
  return {
    image_list: images.map((image) => omitUndefined({ image_url: imageValue(image), type: omniTypes[image.role] })),
  };
}

/** The path that the model or the images call for, and what is said of them there. */
function wayOf(images: readonly VideoImage[], { isOmni }: KlingRow): { path: string; members: JsonObject } {
  if (isOmni) return { path: "v1/videos/omni-video", members: omniImages(images) };
  if (images.length === 0) return { path: "v1/videos/text2video", members: {} };
  if (images.some(({ role }) => role === "reference"))
    return { path: "v1/videos/multi-image2video", members: referencesOf(images) };
  const first = imageFor(images, "first");
  const last = imageFor(images, "last");
  return {
    path: "v1/videos/image2video",
    members: { image: first && imageValue(first), image_tail: last && imageValue(last) },
  };
}

function bodyOf(request: VideoRequest, fitted: Fit, images: JsonObject, context: VideoRenderContext): JsonObject {
  const said = omitUndefined({
    model_name: context.model,
    prompt: request.prompt,
    negative_prompt: request.negativePrompt,
    ...images,
    mode: modeOf(fitted.resolution),
    duration: fitted.seconds === undefined ? undefined : String(fitted.seconds),
    aspect_ratio: fitted.ratio,
    sound: fitted.audio === undefined ? undefined : fitted.audio ? "on" : "off",
    external_task_id: context.taskId,
  });
  const mark = request.watermark === undefined ? {} : { watermark_info: { enabled: request.watermark } };
  return deepMerge({ ...said, ...pick(request.metadata, passed) }, mark);
}

function told(data: JsonObject, keep: JsonObject): VideoProgress | null {
  const videos = objectsIn(objectOf(data.task_result).videos);
  return progressOf({ word: data.task_status, reason: data.task_status_msg, videos }, keep);
}

export const klingVideos: VideoUpstream = {
  name: "kling-videos",
  serves: (model) => !isCurrent(model),
  takes: ["url", "base64"],
  render(given, context) {
    const request = parsedResponse(given);
    const isFramed = request.images.some(({ role }) => role !== "reference");
    const fitted = fit(request, context, isFramed);
    if (request.prompt === undefined && (fitted.row.isOmni || !isFramed)) throw missing(context.fieldPath("prompt"));
    const { path, members } = wayOf(request.images, fitted.row);
    const keep = { path, ...(request.watermark === true ? { isMarked: true } : {}) };
    const { warnings, effect } = fitted;
    return { call: { path, body: bodyOf(request, fitted, members, context) }, warnings, effect, keep };
  },
  accepted({ status, body }) {
    const data = dataIn(status, body);
    if (isObject(data)) return acceptedAs(requireId(data, "task_id"), told(data, {}));
    throw isObject(body) && "code" in body
      ? parseError(status, body)
      : invalidUpstreamResponse("the response has no task");
  },
  poll: ({ keep, upstreamId }) => getCall(`${String(keep.path)}/${encodeURIComponent(upstreamId)}`),
  progress({ status, body }, { keep }) {
    const data = dataIn(status, body);
    if (data === "gone") return { isGone: true };
    return isObject(data) ? told(data, keep) : null;
  },
  error: { parse: parseError },
  resultSeconds: 30 * 86_400,
};
