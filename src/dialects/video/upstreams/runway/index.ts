// Runway's videos: a path for texts and one for images, sizes in place of ratios, and a task that tells its progress.
import type { GatewayError } from "../../../../canon/error.ts";
import type { VideoAsk, VideoImage } from "../../../../canon/video.ts";
import type { Warning } from "../../../../canon/warning.ts";
import { compact, isObject, type Json, type JsonObject } from "../../../../lib/json.ts";
import { missing, unsupported } from "../../../reject.ts";
import { type FaultTable, faultError, faultFailure, faultIn } from "../../fault.ts";
import { picked } from "../../fit.ts";
import { imageFor } from "../../images.ts";
import { dropped, fixedSound, misfits } from "../../losses.ts";
import type { UpstreamAnswer, UpstreamTask, VideoProgress, VideoRenderContext, VideoUpstream } from "../../upstream.ts";
import {
  deleteCall,
  getCall,
  idIn,
  imageSent,
  known,
  numberOf,
  objectOf,
  type States,
  stateOf,
  textOf,
} from "../../wire.ts";
import { fitTo, type Offer, offerFor } from "./offers.ts";

const states: States = {
  pending: "queued",
  throttled: "queued",
  running: "in_progress",
  succeeded: "completed",
  failed: "failed",
  cancelled: "cancelled",
};

/** https://docs.dev.runwayml.com/errors/task-failures */
const faults: FaultTable = [
  [/SAFETY/i, "content"],
  [/^ASSET/i, "input"],
  [/TIMEOUT/i, "timeout"],
  [/^(?:THIRD_PARTY\.)?UNAVAILABLE/i, "busy"],
];

const passed = ["contentModeration"];

/** An image where only secure addresses are fetched. */
function uriOf(image: VideoImage): string {
  const text = imageSent(image);
  if (/^http:/i.test(text)) throw unsupported(image.path, "it fetches images from https addresses only.");
  return text;
}

function checkImages(images: readonly VideoImage[], offer: Offer): void {
  const reference = images.find(({ role }) => role === "reference");
  const first = imageFor(images, "first");
  const last = imageFor(images, "last");
  if (reference !== undefined && !offer.takesReferences)
    throw unsupported(reference.path, "it takes no reference images.");
  if (reference !== undefined && (first ?? last) !== undefined)
    throw unsupported(reference.path, "it takes frames or reference images, not both.");
  if (last !== undefined && !offer.takesLast) throw unsupported(last.path, "it takes no last frame.");
  if (last !== undefined && first === undefined)
    throw unsupported(last.path, "it takes no last frame without a first.");
}

/** The one frame alone, or both with their positions. */
function promptImage(images: readonly VideoImage[]): Json {
  const [only] = images;
  if (only !== undefined && images.length === 1) return uriOf(only);
  return images.map((image) => ({ uri: uriOf(image), position: image.role }));
}

interface Way {
  readonly path: "image_to_video" | "text_to_video";
  readonly images: JsonObject;
}

function wayOf({ images }: VideoAsk, offer: Offer): Way {
  checkImages(images, offer);
  if (images.length === 0) return { path: "text_to_video", images: {} };
  if (images.every(({ role }) => role === "reference"))
    return { path: "text_to_video", images: { references: images.map((image) => ({ uri: uriOf(image) })) } };
  return { path: "image_to_video", images: { promptImage: promptImage(images) } };
}

function lossesOf(ask: VideoAsk, offer: Offer, context: VideoRenderContext): Warning[] {
  return [
    ...dropped(ask, context, ["negativePrompt", "fps", "watermark", ...(offer.takesSeed ? [] : (["seed"] as const))]),
    ...(offer.sound === "asked" ? [] : fixedSound(ask, context, offer.sound === "always")),
  ];
}

function told(body: JsonObject): VideoProgress {
  const state = stateOf(body.status, states);
  const part = state.state === "in_progress" ? numberOf(body.progress) : undefined;
  const percent = part === undefined ? undefined : Math.round(Math.min(1, Math.max(0, part)) * 100);
  if (state.state === "failed")
    return { ...state, failure: faultFailure(faultIn(faults, textOf(body.failureCode)), body.failure) };
  if (state.state === "cancelled")
    return { ...state, failure: { code: "cancelled", message: "The task was cancelled." } };
  if (state.state !== "completed") return known({ ...state, percent });
  const output = Array.isArray(body.output) ? body.output.map(textOf).filter((url) => /^https?:/.test(url)) : [];
  return { ...state, results: output.map((url) => ({ place: { kind: "url", url } })) };
}

function progress({ status, body }: UpstreamAnswer): VideoProgress | null {
  if (status === 404) return { isGone: true };
  return status === 200 && isObject(body) && textOf(body.status) !== "" ? told(body) : null;
}

function parseError(status: number, body: unknown, retryAfterMs?: number): GatewayError {
  const { error, issues } = objectOf(body);
  const list = Array.isArray(issues) ? issues.filter(isObject) : [];
  const said = list.map(({ path, message }) => [Array.isArray(path) ? path.join(".") : "", textOf(message)]);
  const details = said.map((words) => words.filter(Boolean).join(": ")).join("; ");
  const message = [textOf(error) || textOf(body), details].filter(Boolean).join(" ");
  return faultError(/moderation|safety/i.test(message) && status === 400 ? "content" : undefined, {
    status,
    message,
    retryAfterMs,
  });
}

const taskPath = ({ upstreamId }: UpstreamTask): string => `tasks/${encodeURIComponent(upstreamId)}`;

export const runwayVideos: VideoUpstream = {
  name: "runway-videos",
  takes: ["url", "data"],
  secureOnly: true,
  render(ask, context) {
    const offer = offerFor(context.model);
    const { path, images } = wayOf(ask, offer);
    if (ask.prompt === undefined && path === "text_to_video") throw missing(context.fieldPath("prompt"));
    const sizes = path === "text_to_video" ? offer.textSizes : offer.imageSizes;
    if (sizes === undefined) throw unsupported(context.fieldPath("prompt"), "it makes videos of images alone.");
    const { seconds, ratio, width, height } = fitTo(ask, sizes, offer);
    const body = compact({
      ...(offer.isModerated ? picked(ask.metadata, passed) : {}),
      model: context.model,
      promptText: ask.prompt,
      ...images,
      ratio,
      duration: seconds,
      seed: offer.takesSeed ? ask.seed : undefined,
      audio: offer.sound === "asked" ? ask.audio : undefined,
    });
    const resolution = `${Math.min(width, height)}p`;
    const warnings = [...lossesOf(ask, offer, context), ...misfits(ask, { seconds, ratio, resolution }, context)];
    const audio = offer.sound === "asked" ? ask.audio : offer.sound === "always";
    return { call: { path, body }, warnings, effect: known({ seconds, width, height, audio }) };
  },
  accepted: ({ body }) => ({ upstreamId: idIn(body, "id") }),
  poll: (task) => getCall(taskPath(task)),
  progress,
  cancel: (task) => deleteCall(taskPath(task)),
  remove: (task) => deleteCall(taskPath(task)),
  error: { parse: parseError },
  // A task may not be asked for more often than every five seconds.
  pace: { firstMs: 6_000, mostMs: 10_000 },
  resultSeconds: 86_400,
};
