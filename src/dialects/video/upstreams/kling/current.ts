// Kling by a path per model, which alone its newest models know.
import type { VideoRequest } from "../../../../canonical/video.ts";
import { isObject, type JsonObject, omitUndefined } from "../../../../lib/json.ts";
import { invalidUpstreamResponse, missing } from "../../../errors.ts";
import { objectsIn } from "../../../shared/json-accessors.ts";
import { checkRoles } from "../../capabilities.ts";
import { getCall, requireId } from "../../json-helpers.ts";
import type { VideoProgress, VideoRenderContext, VideoUpstream } from "../../upstream.ts";
import { dropped } from "../../warnings.ts";
import { dataIn, parseNewerError } from "./error.ts";
import { type Fit, fit, imageValue } from "./nearest-supported.ts";
import { acceptedAs, progressOf } from "./statuses.ts";

/** Models of these paths have a version with a dot, as `kling-3.0`, or are `omni` models; those of the older paths are called `kling-v2-6`. */
export function isCurrent(model: string): boolean {
  return /^kling-(?:\d+\.\d|o\d|v3-omni)/i.test(model);
}

const imageTypes = { first: "first_frame", last: "last_frame", reference: "refer_image" } as const;
function contentsOf({ prompt, images }: VideoRequest): JsonObject[] {
  const frames = images.map((image) => ({ type: imageTypes[image.role], url: imageValue(image) }));
  return [...(prompt === undefined ? [] : [{ type: "prompt", text: prompt }]), ...frames];
}

function bodyOf(request: VideoRequest, fitted: Fit, context: VideoRenderContext): JsonObject {
  const settings = omitUndefined({
    audio: fitted.audio === undefined ? undefined : fitted.audio ? "native" : "off",
    resolution: fitted.resolution,
    aspect_ratio: fitted.ratio,
    duration: fitted.seconds,
  });
  const options = omitUndefined({
    external_task_id: context.taskId,
    watermark_info: request.watermark === undefined ? undefined : { enabled: request.watermark },
  });
  const hasContents = request.images.length > 0 || fitted.row.isOmni === true;
  const what = hasContents ? { contents: contentsOf(request) } : { prompt: request.prompt };
  return { ...what, settings, options };
}

function told(data: JsonObject, keep: JsonObject): VideoProgress | null {
  const videos = objectsIn(data.outputs).filter(({ type }) => type === undefined || type === "video");
  return progressOf({ word: data.status, reason: data.message, videos }, keep);
}

export const klingTasks: VideoUpstream = {
  name: "kling-tasks",
  serves: isCurrent,
  takes: ["url", "base64"],
  render(request, context) {
    const isFramed = request.images.some(({ role }) => role !== "reference");
    if (request.prompt === undefined && request.images.length === 0) throw missing(context.fieldPath("prompt"));
    const fitted = fit(request, context, isFramed);
    checkRoles(request, fitted.row, context);
    const way = fitted.row.isOmni ? "omni-video" : `${request.images.length > 0 ? "image" : "text"}-to-video`;
    const path = `${way}/${encodeURIComponent(context.model)}`;
    return {
      call: { path, body: bodyOf(request, fitted, context) },
      warnings: [...dropped(request, context, ["negativePrompt"]), ...fitted.warnings],
      effect: fitted.effect,
      keep: request.watermark === true ? { isMarked: true } : {},
    };
  },
  accepted({ status, body }) {
    const data = dataIn(status, body);
    if (isObject(data)) return acceptedAs(requireId(data, "id"), told(data, {}));
    throw isObject(body) && "code" in body
      ? parseNewerError(status, body)
      : invalidUpstreamResponse("the response has no task");
  },
  poll: ({ upstreamId }) => getCall(`tasks?task_ids=${encodeURIComponent(upstreamId)}`),
  progress({ status, body }, { upstreamId, keep }) {
    const data = dataIn(status, body);
    if (data === "gone") return { isGone: true };
    if (!Array.isArray(data)) return null;
    const task = data.filter(isObject).find(({ id }) => String(id) === upstreamId);
    return task === undefined ? { isGone: true } : told(task, keep);
  },
  error: { parse: parseNewerError },
  resultSeconds: 30 * 86_400,
};
