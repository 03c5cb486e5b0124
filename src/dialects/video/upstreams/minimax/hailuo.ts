// MiniMax's videos up to Hailuo 2.3: a task that ends with the id of a file, whose address has to be asked for.
import type { VideoAsk, VideoImage, VideoResult } from "../../../../canon/video.ts";
import { compact, isObject, type JsonObject } from "../../../../lib/json.ts";
import { missing, unsupported } from "../../../reject.ts";
import { faultFailure } from "../../fault.ts";
import { picked } from "../../fit.ts";
import { imageFor } from "../../images.ts";
import { dropped, fixedSound, misfits } from "../../losses.ts";
import type { UpstreamAnswer, VideoProgress, VideoUpstream } from "../../upstream.ts";
import { getCall, idIn, imageSent, known, objectOf, type States, sizeNumber, stateOf, textOf } from "../../wire.ts";
import { checkAccepted, faultOfCode, parseError, saidIn } from "./faults.ts";
import { isNewer } from "./h3.ts";
import { fitTo, type Offer, offerFor } from "./offers.ts";

const states: States = {
  preparing: "queued",
  queueing: "queued",
  processing: "in_progress",
  success: "completed",
  fail: "failed",
};

/** Beside canon; the model's own wishes for the prompt. */
const passed = ["prompt_optimizer", "fast_pretreatment"];

function refuse(image: VideoImage | undefined, isTaken: boolean | undefined, what: string): void {
  if (image !== undefined && !isTaken) throw unsupported(image.path, what);
}

function imagesFor({ images }: VideoAsk, offer: Offer): JsonObject {
  const references = images.filter(({ role }) => role === "reference");
  const first = imageFor(images, "first");
  const last = imageFor(images, "last");
  refuse(last, offer.takesLast, "it takes no last frame.");
  refuse(references[0], offer.takesReference, "it takes no reference images.");
  refuse(references[1], false, "it takes one reference image.");
  refuse(first, !offer.takesReference, "it takes a reference image alone.");
  return compact({
    first_frame_image: first && imageSent(first),
    last_frame_image: last && imageSent(last),
    subject_reference: references[0] && [{ type: "character", image: [imageSent(references[0])] }],
  });
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
    const offer = offerFor(context.model);
    const images = imagesFor(ask, offer);
    const hasFrame = images.first_frame_image !== undefined;
    const made = fitTo(offer, ask, hasFrame);
    const wantsTier = (ask.resolution ?? ask.width ?? ask.height) !== undefined;
    const body = compact({
      ...picked(ask.metadata, passed),
      model: context.model,
      prompt: ask.prompt,
      ...images,
      duration: offer.isFixed || ask.seconds === undefined ? undefined : made.seconds,
      resolution: offer.isFixed || !wantsTier ? undefined : made.resolution,
      aigc_watermark: ask.watermark,
    });
    const warnings = [
      ...dropped(ask, context, ["negativePrompt", "fps", "seed"]),
      ...fixedSound(ask, context, false),
      // Without an image every video is a landscape; with one it has the image's shape.
      ...misfits(ask, hasFrame ? made : { ...made, ratio: "16:9" }, context),
    ];
    const effect = { seconds: made.seconds, resolution: made.resolution.toLowerCase(), audio: false };
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
