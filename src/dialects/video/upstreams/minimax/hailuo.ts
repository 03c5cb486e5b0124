// MiniMax's videos up to Hailuo 2.3: a task that ends with the id of a file, whose address has to be asked for.
import type { VideoAsk, VideoResult } from "../../../../canonical/video.ts";
import { compact, isObject, type JsonObject } from "../../../../lib/json.ts";
import { missing, unsupported } from "../../../errors.ts";
import { checkRoles, durationFor, modelRow, resolutionFor } from "../../capabilities.ts";
import { faultFailure } from "../../error-codes.ts";
import { imageFor } from "../../images.ts";
import {
  getCall,
  idIn,
  imageSent,
  known,
  objectOf,
  type States,
  sizeNumber,
  stateOf,
  textOf,
} from "../../json-helpers.ts";
import { picked } from "../../nearest-supported.ts";
import type { UpstreamAnswer, VideoEffect, VideoProgress, VideoUpstream } from "../../upstream.ts";
import { dropped, fixedSound, type Made, misfits } from "../../warnings.ts";
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

function imagesFor({ images }: VideoAsk): JsonObject {
  const [reference, stray] = images.filter(({ role }) => role === "reference");
  if (stray !== undefined) throw unsupported(stray.path, "it takes one reference image.");
  const first = imageFor(images, "first");
  const last = imageFor(images, "last");
  return compact({
    first_frame_image: first && imageSent(first),
    last_frame_image: last && imageSent(last),
    subject_reference: reference && [{ type: "character", image: [imageSent(reference)] }],
  });
}

interface Fit {
  /** What is said; missing where the client said nothing, or the model has no such field. */
  readonly sent: Pick<Made, "seconds" | "resolution">;
  readonly made: Pick<Made, "seconds" | "resolution">;
}

/** The resolution first, since the highest one is only made in the shortest length. */
function fitted(ask: VideoAsk, row: HailuoRow, hasFrame: boolean): Fit {
  const tiers = row.resolutions?.filter((tier) => hasFrame || tier !== row.framedResolution);
  const requested = resolutionFor(ask, tiers)?.toUpperCase();
  const resolution = requested ?? tiers?.[0];
  const isShort = resolution !== undefined && resolution === row.shortResolution;
  const wanted = isShort || (ask.seconds === undefined && row.durations !== undefined) ? usualSeconds : ask.seconds;
  const seconds = wanted === undefined ? undefined : durationFor(wanted, row.durations);
  const sent = { seconds: ask.seconds === undefined ? undefined : seconds, resolution: requested };
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
  render(ask, context) {
    if (ask.prompt === undefined && ask.images.length === 0) throw missing(context.fieldPath("prompt"));
    const { row, warnings: unverified } = modelRow(hailuoModels, context);
    checkRoles(ask, row, context);
    const images = imagesFor(ask);
    const hasFrame = images.first_frame_image !== undefined;
    const { sent, made } = fitted(ask, row, hasFrame);
    const body = compact({
      ...picked(ask.metadata, passed),
      model: context.model,
      prompt: ask.prompt,
      ...images,
      duration: sent.seconds,
      resolution: sent.resolution,
      aigc_watermark: ask.watermark,
    });
    const warnings = [
      ...unverified,
      ...dropped(ask, context, ["negativePrompt", "fps", "seed"]),
      ...fixedSound(ask, context, row.audio === "always"),
      // Without an image every video is a landscape; with one it has the image's shape.
      ...misfits(ask, hasFrame ? made : { ...made, ratio: "16:9" }, context),
    ];
    const audio = row.audio === undefined ? undefined : row.audio === "always";
    const effect = known({ ...made, resolution: made.resolution?.toLowerCase(), audio } as VideoEffect);
    return { call: { path: "video_generation", body }, warnings, effect };
  },
  accepted({ status, body }) {
    checkAccepted(status, body);
    return { upstreamId: idIn(body, "task_id") };
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
