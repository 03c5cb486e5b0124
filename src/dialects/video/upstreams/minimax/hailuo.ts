// MiniMax's videos up to Hailuo 2.3: a task that ends with the id of a file, whose address has to be asked for.
import type { VideoRequest, VideoResult } from "../../../../canonical/video.ts";
import { isObject, type JsonObject, omitUndefined } from "../../../../lib/json.ts";
import { missing, unsupported } from "../../../errors.ts";
import { checkRoles, durationFor, modelRow, resolutionFor } from "../../capabilities.ts";
import { faultFailure } from "../../error-codes.ts";
import { imageFor } from "../../images.ts";
import {
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
import { isNewer } from "./h3.ts";
import { type HailuoRow, hailuoModels } from "./models.ts";

const states: States = {
  preparing: "queued",
  queueing: "queued",
  processing: "in_progress",
  success: "completed",
  fail: "failed",
};

/** What is made of a model that has a row when nothing is said, and its highest resolution in. */
const usualSeconds = 6;
/** Beside canon; the model's own wishes for the prompt. */
const passed = ["prompt_optimizer", "fast_pretreatment"];

function imagesFor({ images }: VideoRequest): JsonObject {
  const [reference, stray] = images.filter(({ role }) => role === "reference");
  if (stray !== undefined) throw unsupported(stray.path, "this model accepts one reference image.");
  const first = imageFor(images, "first");
  const last = imageFor(images, "last");
  return omitUndefined({
    first_frame_image: first && imageValue(first),
    last_frame_image: last && imageValue(last),
    subject_reference: reference && [{ type: "character", image: [imageValue(reference)] }],
  });
}

interface Fit {
  /** What is said; missing where the client said nothing, or the model has no such field. */
  readonly sent: Pick<RenderedSettings, "seconds" | "resolution">;
  readonly made: Pick<RenderedSettings, "seconds" | "resolution">;
}

/** The resolution first, since the highest one is only made in the shortest length. */
function fitted(request: VideoRequest, row: HailuoRow, hasFrame: boolean): Fit {
  const tiers = row.resolutions?.filter((tier) => hasFrame || tier !== row.framedResolution);
  const requested = resolutionFor(request, tiers)?.toUpperCase();
  const resolution = requested ?? tiers?.[0];
  const isShort = resolution !== undefined && resolution === row.shortResolution;
  const wanted =
    isShort || (request.seconds === undefined && row.durations !== undefined) ? usualSeconds : request.seconds;
  const seconds = wanted === undefined ? undefined : durationFor(wanted, row.durations);
  const sent = { seconds: request.seconds === undefined ? undefined : seconds, resolution: requested };
  return { sent: row.isFixed ? {} : sent, made: { seconds, resolution } };
}

function resultOf(body: JsonObject): VideoResult[] {
  const { file_id: file } = body;
  if (typeof file !== "number" && (typeof file !== "string" || file === "")) return [];
  const size = { width: sizeNumber(body.video_width), height: sizeNumber(body.video_height) };
  return [known({ place: { kind: "locate", ref: String(file) } as const, mediaType: "video/mp4", ...size })];
}

function progress({ status, body }: UpstreamAnswer): VideoProgress | null {
  if (status === 404) return { isGone: true };
  if (status !== 200 || !isObject(body)) return null;
  const { code, message } = saidIn(body);
  // The id is all that a poll says, so that it is what is wrong with it.
  if (textOf(body.status) === "") return code === 2013 ? { isGone: true } : null;
  const state = stateOf(body.status, states);
  if (state.state === "completed") return { ...state, results: resultOf(body) };
  return state.state === "failed" ? { ...state, failure: faultFailure(faultOfCode(code), message) } : state;
}

export const minimaxVideos: VideoUpstream = {
  name: "minimax-videos",
  serves: (model) => !isNewer(model),
  takes: ["url", "data"],
  render(request, context) {
    if (request.prompt === undefined && request.images.length === 0) throw missing(context.fieldPath("prompt"));
    const { row, warnings: unverified } = modelRow(hailuoModels, context);
    checkRoles(request, row, context);
    const images = imagesFor(request);
    const hasFrame = images.first_frame_image !== undefined;
    const { sent, made } = fitted(request, row, hasFrame);
    const body = omitUndefined({
      ...pick(request.metadata, passed),
      model: context.model,
      prompt: request.prompt,
      ...images,
      duration: sent.seconds,
      resolution: sent.resolution,
      aigc_watermark: request.watermark,
    });
    const warnings = [
      ...unverified,
      ...dropped(request, context, ["negativePrompt", "fps", "seed"]),
      ...fixedSound(request, context, row.audio === "always"),
      // Without an image every video is a landscape; with one it has the image's shape.
      ...approximationWarnings(request, hasFrame ? made : { ...made, ratio: "16:9" }, context),
    ];
    const audio = row.audio === undefined ? undefined : row.audio === "always";
    const effect = known({ ...made, resolution: made.resolution?.toLowerCase(), audio } as EffectiveSettings);
    return { call: { path: "video_generation", body }, warnings, effect };
  },
  accepted({ status, body }) {
    checkAccepted(status, body);
    return { upstreamId: requireId(body, "task_id") };
  },
  poll: ({ upstreamId }) => getCall(`query/video_generation?task_id=${encodeURIComponent(upstreamId)}`),
  progress,
  locate: {
    call: (_task, ref) => getCall(`files/retrieve?file_id=${encodeURIComponent(ref)}`),
    read: ({ status, body }) =>
      (status === 200 && saidIn(body).code === 0 && textOf(objectOf(objectOf(body).file).download_url)) || null,
  },
  error: { parse: parseError },
  resultSeconds: 86_400,
};
