// MiniMax's newer videos: a list of contents with roles, and a task that tells its address itself.
import type { VideoImage, VideoRequest, VideoResult } from "../../../../canonical/video.ts";
import { isObject, type JsonObject, omitUndefined } from "../../../../lib/json.ts";
import { missing, unsupported } from "../../../errors.ts";
import type { ModelRow } from "../../../shared/model-table.ts";
import { checkRoles, durationFor, modelRow, ratioFor, resolutionFor } from "../../capabilities.ts";
import { faultFailure } from "../../error-codes.ts";
import {
  deleteCall,
  getCall,
  imageValue,
  known,
  objectOf,
  requireId,
  type States,
  sizeNumber,
  stateOf,
  textOf,
} from "../../json-helpers.ts";
import { pick } from "../../nearest-supported.ts";
import type { EffectiveSettings, UpstreamAnswer, VideoProgress, VideoUpstream } from "../../upstream.ts";
import { approximationWarnings, dropped, fixedSound, type RenderedSettings } from "../../warnings.ts";
import { checkAccepted, faultOfCode, parseError, saidIn } from "./error-codes.ts";
import { h3Models } from "./models.ts";

/** https://platform.minimax.io/docs/api-reference/video-generation-v2 */
const states: States = {
  queued: "queued",
  running: "in_progress",
  succeeded: "completed",
  failed: "failed",
  cancelled: "cancelled",
  expired: "expired",
};

const usualSeconds = 5;
const roles = { first: "first_frame", last: "last_frame", reference: "reference_image" } as const;
const passed = ["prompt_optimizer"];

/** True for models of the newer wire. */
export const isNewer = (model: string): boolean => /(?:^|-)h[3-9]/i.test(model);

const itemPath = (id: string): string => `v2/query/video_generation/${encodeURIComponent(id)}`;

function contentOf(prompt: string, images: readonly VideoImage[]): JsonObject[] {
  const reference = images.find(({ role }) => role === "reference");
  if (reference !== undefined && images.some(({ role }) => role !== "reference"))
    throw unsupported(reference.path, "this model accepts either frames or reference images, not both.");
  const parts = images.map((image) => ({
    type: "image_url",
    image_url: { url: imageValue(image) },
    role: roles[image.role],
  }));
  return [{ type: "text", text: prompt }, ...parts];
}

/** A model without a row is told only what the client said. With an image the video has the image's shape. */
function fitted(request: VideoRequest, { durations, ratios, resolutions }: ModelRow): RenderedSettings {
  const wanted = request.seconds ?? (durations === undefined ? undefined : usualSeconds);
  return {
    seconds: wanted === undefined ? undefined : durationFor(wanted, durations),
    resolution: resolutionFor(request, resolutions)?.toUpperCase() ?? resolutions?.[0],
    ratio: request.images.length > 0 ? undefined : (ratioFor(request, ratios) ?? ratios?.[0]),
  };
}

function resultsOf(task: JsonObject, upstreamId: string): VideoResult[] {
  if (textOf(objectOf(task.content).url) === "") return [];
  // Addresses live for a short time, and every answer has a new one.
  return [{ place: { kind: "locate", ref: upstreamId }, mediaType: "video/mp4" }];
}

function told(task: JsonObject, upstreamId: string): VideoProgress {
  const state = stateOf(task.status, states);
  const usage = objectOf(task.usage);
  const effect = known({ seconds: sizeNumber(usage.output_seconds) ?? sizeNumber(usage.total_seconds) });
  if (state.state === "completed") return { ...state, results: resultsOf(task, upstreamId), effect };
  if (state.state !== "failed" && state.state !== "cancelled") return state;
  const { code, message } = saidIn(task);
  const failure = faultFailure(faultOfCode(code), message);
  return { ...state, failure: state.state === "failed" ? failure : { ...failure, code: "cancelled" } };
}

function progress({ status, body }: UpstreamAnswer, upstreamId: string): VideoProgress | null {
  if (status === 404 || (status === 400 && saidIn(body).code === 2013)) return { isGone: true };
  const { task } = objectOf(body);
  return status === 200 && isObject(task) && textOf(task.status) !== "" ? told(task, upstreamId) : null;
}

export const minimaxNewerVideos: VideoUpstream = {
  name: "minimax-videos-v2",
  serves: isNewer,
  takes: ["url", "data"],
  render(request, context) {
    if (request.prompt === undefined) throw missing(context.fieldPath("prompt"));
    const { row, warnings: unverified } = modelRow(h3Models, context);
    checkRoles(request, row, context);
    const made = fitted(request, row);
    const body = omitUndefined({
      ...pick(request.metadata, passed),
      model: context.model,
      content: contentOf(request.prompt, request.images),
      resolution: made.resolution,
      duration: made.seconds,
      ratio: made.ratio,
      aigc_watermark: request.watermark,
    });
    const warnings = [
      ...unverified,
      ...dropped(request, context, ["negativePrompt", "fps", "seed"]),
      ...fixedSound(request, context, row.audio !== "never"),
      ...approximationWarnings(request, made, context),
    ];
    const audio = row.audio === undefined ? undefined : row.audio !== "never";
    const { seconds, resolution } = made;
    const effect = known({ seconds, resolution: resolution?.toLowerCase(), audio } as EffectiveSettings);
    return { call: { path: "v2/video_generation", body }, warnings, effect };
  },
  accepted({ status, body }) {
    checkAccepted(status, body);
    return { upstreamId: requireId(body, "task_id") };
  },
  poll: ({ upstreamId }) => getCall(itemPath(upstreamId)),
  progress: (answer, { upstreamId }) => progress(answer, upstreamId),
  cancel: ({ upstreamId }) => deleteCall(`v2/video_generation/${encodeURIComponent(upstreamId)}`),
  locate: {
    call: (_task, ref) => getCall(itemPath(ref)),
    read: ({ status, body }) => (status === 200 && textOf(objectOf(objectOf(objectOf(body).task).content).url)) || null,
  },
  error: { parse: parseError },
  resultSeconds: 86_400,
};
