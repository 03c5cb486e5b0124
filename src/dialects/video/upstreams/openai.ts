// OpenAI's videos as an upstream: a form that submits, an object that tells, content behind the credential.
import type { VideoFailure, VideoImage, VideoRequest, VideoState } from "../../../canonical/video.ts";
import type { Warning } from "../../../canonical/warning.ts";
import { isObject, type JsonObject } from "../../../lib/json.ts";
import type { FormPart } from "../../dialect.ts";
import { invalidUpstreamResponse, missing, unsupported } from "../../errors.ts";
import { isErrorBody, parseError } from "../../openai-error.ts";
import type { ModelRow, ModelTable } from "../../shared/model-table.ts";
import { sanitise } from "../../upstream-error.ts";
import { durationFor, modelRow } from "../capabilities.ts";
import { known } from "../json-helpers.ts";
import { nearestSize } from "../nearest-supported.ts";
import type {
  EffectiveSettings,
  UpstreamAnswer,
  UpstreamTask,
  VideoProgress,
  VideoRenderContext,
  VideoUpstream,
} from "../upstream.ts";

const page = {
  source: "https://platform.openai.com/docs/api-reference/videos/create",
  checkedOn: "2026-11-22",
} as const;
const sizes = ["720x1280", "1280x720"] as const;

/** OpenAI's own service ended on 2026-09-24; Azure and servers that speak this wire have the models under the same names. */
const models: ModelTable<ModelRow> = {
  rows: [
    {
      ...{ models: /sora-2-pro/i, ...page, durations: [4, 8, 12] },
      ...{ sizes: [...sizes, "1024x1792", "1792x1024"], audio: "always" },
    },
    { models: /sora/i, ...page, durations: [4, 8, 12], sizes, audio: "always" },
  ],
  unlisted: { models: /(?:)/, ...page },
};

const states: { readonly [word: string]: VideoState } = {
  queued: "queued",
  in_progress: "in_progress",
  completed: "completed",
  failed: "failed",
  cancelled: "cancelled",
  expired: "expired",
};

const itemPath = ({ upstreamId }: UpstreamTask): string => `videos/${encodeURIComponent(upstreamId)}`;
const get = (path: string) => ({ method: "GET", path, body: {} }) as const;

/** Fields that this wire has no place for. */
function dropped(request: VideoRequest, context: VideoRenderContext, { audio }: ModelRow): Warning[] {
  const fields = ["negativePrompt", "fps", "seed", "watermark"] as const;
  const lost = fields.filter((field) => request[field] !== undefined);
  const isLost = request.audio !== undefined && (audio !== "always" || !request.audio);
  const silent = isLost ? (["audio"] as const) : [];
  return [...lost, ...silent].map((field) => ({ code: "dropped", path: context.fieldPath(field) }));
}

function imagePart({ source, path }: VideoImage): FormPart {
  switch (source.kind) {
    case "url":
      return { name: "input_reference[image_url]", value: source.url };
    case "file":
      return { name: "input_reference[file_id]", value: source.id };
    case "bytes": {
      const extension = /^image\/(jpeg|png|webp)$/.exec(source.mediaType)?.[1];
      if (extension === undefined) throw unsupported(path, "this model accepts JPEG, PNG and WebP images only.");
      return { name: "input_reference", fileName: `image.${extension}`, type: source.mediaType, bytes: source.bytes };
    }
  }
}

/** One image, whatever its role; a second one cannot be said. */
function imageParts(images: readonly VideoImage[]): FormPart[] {
  const [image, more] = images;
  if (more !== undefined) throw unsupported(more.path, "this model accepts one image.");
  if (image?.role === "last") throw unsupported(image.path, "this model does not support a last frame.");
  return image === undefined ? [] : [imagePart(image)];
}

function approximations(request: VideoRequest, effect: EffectiveSettings, context: VideoRenderContext): Warning[] {
  const isLength = request.seconds !== undefined && request.seconds !== effect.seconds;
  const isSize =
    (request.width ?? effect.width) !== effect.width || (request.height ?? effect.height) !== effect.height;
  return [
    ...(isLength ? [{ code: "approximated", path: context.fieldPath("seconds") } as const] : []),
    ...(isSize ? [{ code: "approximated", path: context.fieldPath("size") } as const] : []),
  ];
}

/** What is requested; of a model without a row only what the client said. */
function effectOf(request: VideoRequest, { durations, sizes: allowed, audio }: ModelRow): EffectiveSettings {
  const [usualSize] = allowed ?? [];
  const size = allowed === undefined ? undefined : (nearestSize(request, allowed) ?? usualSize);
  const [width, height] = size === undefined ? [request.width, request.height] : size.split("x").map(Number);
  const wanted = request.seconds ?? (durations === undefined ? undefined : 4);
  const seconds = wanted === undefined ? undefined : durationFor(wanted, durations);
  return known({ seconds, width, height, audio: audio === "always" ? true : undefined } as EffectiveSettings);
}

const number = (value: unknown): number | undefined =>
  value !== null && value !== "" && Number.isFinite(Number(value)) ? Number(value) : undefined;

function failureOf(body: JsonObject): VideoFailure {
  const error = isObject(body.error) ? body.error : {};
  const code = String(error.code ?? "");
  return {
    code: /^\w{1,64}$/.test(code) ? code : "generation_failed",
    message: sanitise(String(error.message ?? "")) || "The provider could not generate the video.",
  };
}

function effectTold(body: JsonObject): EffectiveSettings {
  const [width, height] = typeof body.size === "string" ? body.size.split("x").map(Number) : [];
  const seconds = number(body.seconds);
  return {
    ...(seconds === undefined ? {} : { seconds }),
    ...(width && height ? { width, height } : {}),
  };
}

/** What the object of a video says of its task. */
function told(body: JsonObject): VideoProgress {
  const word = String(body.status ?? "");
  const state = states[word.toLowerCase()];
  const percent = number(body.progress);
  const expires = number(body.expires_at);
  const effect = effectTold(body);
  const result = { place: { kind: "content" }, mediaType: "video/mp4", ...effect } as const;
  return {
    ...(state === undefined ? { unknownWord: word } : { state }),
    ...(percent === undefined ? {} : { percent }),
    ...(state === "failed" || state === "cancelled" ? { failure: failureOf(body) } : {}),
    ...(state === "completed" ? { results: [expires ? { ...result, expiresAtMs: expires * 1000 } : result] } : {}),
    effect,
  };
}

function progress({ status, body }: UpstreamAnswer): VideoProgress | null {
  if (status === 404) return { isGone: true };
  return status === 200 && isObject(body) && typeof body.status === "string" ? told(body) : null;
}

export const openaiVideos: VideoUpstream = {
  name: "openai-videos",
  takes: ["url", "data", "form", "file"],
  render(request, context) {
    if (request.prompt === undefined) throw missing(context.fieldPath("prompt"));
    const { row, warnings: unverified } = modelRow(models, context);
    const effect = effectOf(request, row);
    const { seconds, width, height } = effect;
    const form: FormPart[] = [
      { name: "model", value: context.model },
      ...(request.prompt === undefined ? [] : [{ name: "prompt", value: request.prompt }]),
      ...(seconds === undefined ? [] : [{ name: "seconds", value: String(seconds) }]),
      ...(width === undefined || height === undefined ? [] : [{ name: "size", value: `${width}x${height}` }]),
      ...imageParts(request.images),
    ];
    const warnings = [...unverified, ...dropped(request, context, row), ...approximations(request, effect, context)];
    return { call: { path: "videos", body: {}, form }, warnings, effect };
  },
  accepted({ status, body }) {
    if (!isObject(body)) throw invalidUpstreamResponse("expected a JSON object");
    if (isErrorBody(body) && typeof body.id !== "string") throw parseError(status, body);
    if (typeof body.id !== "string" || body.id === "") throw invalidUpstreamResponse("the response has no video ID");
    return { upstreamId: body.id, progress: told(body) };
  },
  poll: (task) => get(itemPath(task)),
  progress,
  remove: (task) => ({ method: "DELETE", path: itemPath(task), body: {} }),
  remix: (task, prompt) => ({ call: { path: `${itemPath(task)}/remix`, body: { prompt } }, warnings: [], effect: {} }),
  content(task, _place, variant) {
    if (!["video", "thumbnail", "spritesheet"].includes(variant)) return null;
    const query = variant === "video" ? "" : `?variant=${variant}`;
    return get(`${itemPath(task)}/content${query}`);
  },
  error: { parse: parseError },
  resultSeconds: 3_600,
};
