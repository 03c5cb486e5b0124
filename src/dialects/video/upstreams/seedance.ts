// Seedance's videos: a list of contents with roles, options beside it, and a task that tells what was really made.
import type { VideoImage, VideoRequest } from "../../../canonical/video.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../../lib/json.ts";
import { missing, unsupported } from "../../errors.ts";
import { parseError as parseOpenaiError } from "../../openai-error.ts";
import type { ModelRow, ModelTable } from "../../shared/model-table.ts";
import { checkRoles, durationFor, modelRow, ratioFor, resolutionFor } from "../capabilities.ts";
import { faultError, faultFailure, matchErrorCode, type VideoErrorTable } from "../error-codes.ts";
import { imageFor } from "../images.ts";
import {
  deleteCall,
  getCall,
  imageValue,
  known,
  numberOf,
  objectOf,
  requireId,
  type States,
  sizeNumber,
  stateOf,
  textOf,
} from "../json-helpers.ts";
import { pick } from "../nearest-supported.ts";
import type { EffectiveSettings, UpstreamAnswer, UpstreamTask, VideoProgress, VideoUpstream } from "../upstream.ts";
import { approximationWarnings, dropped, fixedSound } from "../warnings.ts";

const states: States = {
  queued: "queued",
  running: "in_progress",
  succeeded: "completed",
  failed: "failed",
  cancelled: "cancelled",
  expired: "expired",
};

/** https://docs.byteplus.com/en/docs/ModelArk/1299023 */
const faults: VideoErrorTable = [
  [/Sensitive|RiskDetection|PolicyViolation|Copyright/i, "content"],
  [/AccountOverdue|InsufficientBalance/i, "funds"],
  [/AuthenticationError|InvalidApiKey|AccessDenied|InvalidSubscription/i, "credentials"],
  [/ServerOverloaded/i, "busy"],
  [/RateLimit|QuotaExceeded|LimitExceeded|SetLimitExceeded/i, "rate"],
  [/Timeout/i, "timeout"],
  [/InvalidParameter|MissingParameter|InvalidImage|OutofContext/i, "input"],
  [/InternalServiceError/i, "broken"],
];

const page = { source: "https://www.volcengine.com/docs/82379/1520757", checkedOn: "2026-11-22" } as const;
const threeTiers = ["720p", "480p", "1080p"] as const;

/** The first resolution, and 5 seconds, are requested where the client said nothing. */
const models: ModelTable<ModelRow> = {
  rows: [
    {
      ...{ models: /lite|wan2|seaweed/i, ...page, durations: { min: 2, max: 12 } },
      ...{ resolutions: threeTiers, audio: "never" },
    },
    {
      ...{ models: /1[-.]0/, ...page, durations: { min: 2, max: 12 } },
      ...{ resolutions: ["1080p", "480p", "720p"], audio: "never" },
    },
    {
      ...{ models: /1[-.]5/, ...page, durations: { min: 4, max: 12 } },
      ...{ resolutions: threeTiers, audio: "optional" },
    },
    {
      ...{ models: /seedance-?2[-.]5/i, ...page, durations: { min: 4, max: 30 } },
      ...{ resolutions: threeTiers, audio: "optional" },
    },
    {
      ...{ models: /seedance-?2.*(?:fast|mini)/i, ...page, durations: { min: 4, max: 15 } },
      ...{ resolutions: ["720p", "480p"], audio: "optional" },
    },
    {
      ...{ models: /seedance-?2/i, ...page, durations: { min: 4, max: 15 } },
      ...{ resolutions: [...threeTiers, "4k"], audio: "optional" },
    },
  ],
  unlisted: { models: /(?:)/, ...page },
};

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
    throw unsupported(reference.path, "this model accepts either frames or reference images, not both.");
  if (last !== undefined && first === undefined) throw unsupported(last.path, "a last frame requires a first frame.");
}

function contentOf({ prompt, images }: VideoRequest, suffix: string): JsonObject[] {
  checkImages(images);
  const text = [prompt, suffix].filter(Boolean).join(" ");
  const parts = images.map((image) => ({
    type: "image_url",
    image_url: { url: imageValue(image) },
    role: roles[image.role],
  }));
  return [...(text === "" ? [] : [{ type: "text", text }]), ...parts];
}

function suffixOf(options: JsonObject): string {
  return Object.entries(options)
    .map(([name, value]) => `--${suffixNames[name] ?? name} ${String(value)}`)
    .join(" ");
}

/** A model without a row is told only what the client said. */
function optionsOf(request: VideoRequest, { durations, resolutions, ratios: allowed, audio }: ModelRow): JsonObject {
  const wanted = request.seconds ?? (durations === undefined ? undefined : 5);
  return {
    ...pick(request.metadata, passed),
    ...omitUndefined({
      ratio: ratioFor(request, durations === undefined ? allowed : ratios),
      resolution: resolutionFor(request, resolutions) ?? resolutions?.[0],
      seed: request.seed,
      watermark: request.watermark,
      generate_audio: audio === "never" ? undefined : request.audio,
      duration: wanted === undefined ? undefined : durationFor(wanted, durations),
    }),
  };
}

function effectTold(body: JsonObject): EffectiveSettings {
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
    return { ...state, effect, failure: faultFailure(matchErrorCode(faults, textOf(code)), message) };
  if (state.state === "cancelled")
    return { ...state, failure: { code: "cancelled", message: "The task was canceled." } };
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
  const fault = matchErrorCode(faults, textOf(code));
  if (fault === undefined) return parseOpenaiError(status, body, retryAfterMs);
  return faultError(fault, { status, message: textOf(message), retryAfterMs });
};

export const seedanceVideos: VideoUpstream = {
  name: "seedance-videos",
  takes: ["url", "data"],
  render(request, context) {
    if (request.prompt === undefined && request.images.length === 0) throw missing(context.fieldPath("prompt"));
    const { row, warnings: unverified } = modelRow(models, context);
    checkRoles(request, row, context);
    const options = optionsOf(request, row);
    const inText = readsSuffix.test(context.model);
    const body = {
      model: context.model,
      content: asContent(contentOf(request, inText ? suffixOf(options) : "")),
      ...(inText ? {} : options),
    };
    const made = {
      seconds: numberOf(options.duration),
      ratio: textOf(options.ratio) || undefined,
      resolution: textOf(options.resolution) || undefined,
    };
    const warnings = [
      ...unverified,
      ...dropped(request, context, ["negativePrompt", ...(request.fps === 24 ? [] : (["fps"] as const))]),
      ...(row.audio === "never" ? fixedSound(request, context, false) : []),
      ...approximationWarnings(request, made, context),
    ];
    const audio = row.audio === "never" ? false : request.audio;
    return {
      call: { path, body },
      warnings,
      effect: known({ seconds: made.seconds, resolution: made.resolution, audio }),
    };
  },
  accepted({ status, body }) {
    if (isObject(objectOf(body).error)) throw parseError(status, body);
    return { upstreamId: requireId(body, "id") };
  },
  poll: (task) => getCall(taskPath(task)),
  progress,
  // The one call ends a task that waits, and makes one that is over forgotten.
  cancel: (task) => deleteCall(taskPath(task)),
  remove: (task) => deleteCall(taskPath(task)),
  error: { parse: parseError },
  resultSeconds: 86_400,
};
