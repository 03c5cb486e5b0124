// Seedance's videos: a list of contents with roles, options beside it, and a task that tells what was really made.
import type { VideoAsk, VideoImage } from "../../../canon/video.ts";
import { compact, isObject, type Json, type JsonObject } from "../../../lib/json.ts";
import { parseError as parseOpenaiError } from "../../openai-error.ts";
import { missing, unsupported } from "../../reject.ts";
import { type FaultTable, faultError, faultFailure, faultIn } from "../fault.ts";
import { nearestRatio, picked, tierFor, within } from "../fit.ts";
import { imageFor } from "../images.ts";
import { dropped, fixedSound, misfits } from "../losses.ts";
import type { UpstreamAnswer, UpstreamTask, VideoEffect, VideoProgress, VideoUpstream } from "../upstream.ts";
import {
  deleteCall,
  getCall,
  idIn,
  imageSent,
  known,
  numberOf,
  objectOf,
  type States,
  sizeNumber,
  stateOf,
  textOf,
} from "../wire.ts";

const states: States = {
  queued: "queued",
  running: "in_progress",
  succeeded: "completed",
  failed: "failed",
  cancelled: "cancelled",
  expired: "expired",
};

/** https://docs.byteplus.com/en/docs/ModelArk/1299023 */
const faults: FaultTable = [
  [/Sensitive|RiskDetection|PolicyViolation|Copyright/i, "content"],
  [/AccountOverdue|InsufficientBalance/i, "funds"],
  [/AuthenticationError|InvalidApiKey|AccessDenied|InvalidSubscription/i, "credentials"],
  [/ServerOverloaded/i, "busy"],
  [/RateLimit|QuotaExceeded|LimitExceeded|SetLimitExceeded/i, "rate"],
  [/Timeout/i, "timeout"],
  [/InvalidParameter|MissingParameter|InvalidImage|OutofContext/i, "input"],
  [/InternalServiceError/i, "broken"],
];

/** What a family of models makes; 5 seconds and the first tier when the client wants none. */
interface Offer {
  readonly names: RegExp;
  readonly least: number;
  readonly most: number;
  readonly tiers: readonly [string, ...string[]];
  readonly hasSound?: true;
}

/** https://www.volcengine.com/docs/82379/1520757 */
const newest: Offer = { names: /(?:)/, least: 4, most: 15, tiers: ["720p", "480p", "1080p"], hasSound: true };
const offers: readonly Offer[] = [
  { names: /lite|wan2|seaweed/i, least: 2, most: 12, tiers: ["720p", "480p", "1080p"] },
  { names: /1[-.]0/, least: 2, most: 12, tiers: ["1080p", "480p", "720p"] },
  { names: /1[-.]5/, least: 4, most: 12, tiers: ["720p", "480p", "1080p"], hasSound: true },
  { names: /fast|mini/i, least: 4, most: 15, tiers: ["720p", "480p"], hasSound: true },
];

const ratios = ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9"] as const;
const roles = { first: "first_frame", last: "last_frame", reference: "reference_image" } as const;
/** Beside canon. Nothing that changes the price or the time that a task takes. */
const passed = ["camera_fixed", "return_last_frame"];

/** The oldest models read their options at the end of the text. */
const readsSuffix = /wan2|seaweed/i;
const suffixNames: { readonly [name: string]: string } = { camera_fixed: "camerafixed" };

function checkImages(images: readonly VideoImage[]): void {
  const first = imageFor(images, "first");
  const last = imageFor(images, "last");
  const reference = imageFor(images, "reference");
  if (reference !== undefined && (first ?? last) !== undefined)
    throw unsupported(reference.path, "it takes frames or reference images, not both.");
  if (last !== undefined && first === undefined)
    throw unsupported(last.path, "it takes no last frame without a first.");
}

function contentOf({ prompt, images }: VideoAsk, suffix: string): JsonObject[] {
  checkImages(images);
  const text = [prompt, suffix].filter(Boolean).join(" ");
  const parts = images.map((image) => ({
    type: "image_url",
    image_url: { url: imageSent(image) },
    role: roles[image.role],
  }));
  return [...(text === "" ? [] : [{ type: "text", text }]), ...parts];
}

function suffixOf(options: JsonObject): string {
  return Object.entries(options)
    .map(([name, value]) => `--${suffixNames[name] ?? name} ${String(value)}`)
    .join(" ");
}

function optionsOf(ask: VideoAsk, offer: Offer): JsonObject & { duration: number } {
  return {
    ...picked(ask.metadata, passed),
    ...compact({
      ratio: nearestRatio(ask, ratios),
      resolution: tierFor(ask, offer.tiers) ?? offer.tiers[0],
      seed: ask.seed,
      watermark: ask.watermark,
      generate_audio: offer.hasSound ? ask.audio : undefined,
    }),
    duration: within(ask.seconds ?? 5, offer.least, offer.most),
  };
}

function effectTold(body: JsonObject): VideoEffect {
  const fps = sizeNumber(body.framespersecond) ?? 24;
  const frames = sizeNumber(body.frames);
  return known({
    seconds: sizeNumber(body.duration) ?? (frames === undefined ? undefined : frames / fps),
    resolution: textOf(body.resolution).toLowerCase() || undefined,
    audio: typeof body.generate_audio === "boolean" ? body.generate_audio : undefined,
  });
}

function told(body: JsonObject): VideoProgress {
  const state = stateOf(body.status, states);
  const effect = effectTold(body);
  const { code, message } = objectOf(body.error);
  if (state.state === "failed")
    return { ...state, effect, failure: faultFailure(faultIn(faults, textOf(code)), message) };
  if (state.state === "cancelled")
    return { ...state, failure: { code: "cancelled", message: "The task was cancelled." } };
  if (state.state !== "completed") return { ...state, effect };
  const url = textOf(objectOf(body.content).video_url);
  const place = { kind: "url", url } as const;
  const facts = { fps: sizeNumber(body.framespersecond), seed: numberOf(body.seed), seconds: effect.seconds };
  return { ...state, effect, results: url === "" ? [] : [known({ place, mediaType: "video/mp4", ...facts })] };
}

function progress({ status, body }: UpstreamAnswer): VideoProgress | null {
  if (status === 404) return { isGone: true };
  return status === 200 && isObject(body) && textOf(body.status) !== "" ? told(body) : null;
}

const path = "contents/generations/tasks";
const taskPath = ({ upstreamId }: UpstreamTask): string => `${path}/${encodeURIComponent(upstreamId)}`;
const asContent = (parts: JsonObject[]): Json => parts;

const parseError: VideoUpstream["error"]["parse"] = (status, body, retryAfterMs) => {
  const { code, message } = objectOf(objectOf(body).error);
  const fault = faultIn(faults, textOf(code));
  if (fault === undefined) return parseOpenaiError(status, body, retryAfterMs);
  return faultError(fault, { status, message: textOf(message), retryAfterMs });
};

export const seedanceVideos: VideoUpstream = {
  name: "seedance-videos",
  takes: ["url", "data"],
  render(ask, context) {
    if (ask.prompt === undefined && ask.images.length === 0) throw missing(context.fieldPath("prompt"));
    const offer = offers.find(({ names }) => names.test(context.model)) ?? newest;
    const options = optionsOf(ask, offer);
    const inText = readsSuffix.test(context.model);
    const body = {
      model: context.model,
      content: asContent(contentOf(ask, inText ? suffixOf(options) : "")),
      ...(inText ? {} : options),
    };
    const made = { seconds: options.duration, ratio: textOf(options.ratio), resolution: textOf(options.resolution) };
    const warnings = [
      ...dropped(ask, context, ["negativePrompt", ...(ask.fps === 24 ? [] : (["fps"] as const))]),
      ...(offer.hasSound ? [] : fixedSound(ask, context, false)),
      ...misfits(ask, made, context),
    ];
    const audio = offer.hasSound ? ask.audio : false;
    return {
      call: { path, body },
      warnings,
      effect: known({ seconds: made.seconds, resolution: made.resolution, audio }),
    };
  },
  accepted({ status, body }) {
    if (isObject(objectOf(body).error)) throw parseError(status, body);
    return { upstreamId: idIn(body, "id") };
  },
  poll: (task) => getCall(taskPath(task)),
  progress,
  // The one call ends a task that waits, and makes one that is over forgotten.
  cancel: (task) => deleteCall(taskPath(task)),
  remove: (task) => deleteCall(taskPath(task)),
  error: { parse: parseError },
  resultSeconds: 86_400,
};
