// OpenAI's videos as an upstream: a form submits, an object reports, and content requires the credential.
import type { VideoFailure, VideoImage } from "../../../canonical/video.ts";
import type { JsonObject } from "../../../lib/json.ts";
import type { FormPart } from "../../dialect.ts";
import { unsupported } from "../../errors.ts";
import { isErrorBody, parseError } from "../../openai-error.ts";
import type { ModelTable } from "../../shared/model-table.ts";
import { sanitise } from "../../upstream-error.ts";
import { videoUpstream } from "../engine.ts";
import { at, known, numberOf, sizeNumber, textOf } from "../json-helpers.ts";
import { shapeBySize, sidesOf } from "../settings.ts";
import type { TaskReading, VendorSubmit, VideoRow } from "../vendor.ts";

const page = {
  source: "https://platform.openai.com/docs/api-reference/videos/create",
  checkedOn: "2026-11-22",
} as const;
const sizes = ["720x1280", "1280x720"] as const;

/** OpenAI's own service ended on 2026-09-24; Azure and servers with this wire have the models under the same names. */
const models: ModelTable<VideoRow> = {
  rows: [
    {
      ...{ models: /sora-2-pro/i, ...page, durations: [4, 8, 12] },
      ...{ sizes: [...sizes, "1024x1792", "1792x1024"], audio: "always" },
    },
    { models: /sora/i, ...page, durations: [4, 8, 12], sizes, audio: "always" },
  ],
  unlisted: { models: /(?:)/, ...page },
};

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

/** One image, whatever its role; there is no field for a second one. */
function submit({ request: { images }, settings }: VendorSubmit<VideoRow>) {
  const [image, more] = images;
  if (more !== undefined) throw unsupported(more.path, "this model accepts one image.");
  if (image?.role === "last") throw unsupported(image.path, "this model does not support a last frame.");
  const texts = Object.entries(settings).map(([name, value]): FormPart => ({ name, value: String(value) }));
  return { path: "videos", form: [...texts, ...(image === undefined ? [] : [imagePart(image)])] };
}

function failureOf(body: JsonObject): VideoFailure {
  const code = String(at(body, "error.code") ?? "");
  return {
    code: /^\w{1,64}$/.test(code) ? code : "generation_failed",
    message: sanitise(textOf(at(body, "error.message"))) || "The provider could not generate the video.",
  };
}

function read(body: JsonObject): TaskReading {
  const { status: word, progress, expires_at, size, seconds } = body;
  const { width, height } = sidesOf(textOf(size));
  const effect = known({ seconds: numberOf(seconds), ...(width && height ? { width, height } : {}) });
  const expires = sizeNumber(expires_at);
  const expiry = expires === undefined ? {} : { expiresAtMs: expires * 1000 };
  const results = [{ place: { kind: "content" }, mediaType: "video/mp4", ...effect, ...expiry } as const];
  return { status: word, percent: numberOf(progress), failure: failureOf(body), results, effect };
}

export const openaiVideos = videoUpstream({
  name: "openai-videos",
  imageForms: ["url", "data", "form", "file"],
  models,
  needsPrompt: "always",
  fields: {
    ...{ model: "model", prompt: "prompt", negativePrompt: null, seconds: "seconds", size: "size" },
    ...{ ratio: { custom: "size" }, resolution: { custom: "size" }, fps: null, seed: null, n: null },
    ...{ audio: null, watermark: null },
  },
  usual: { seconds: 4 },
  sendsUsual: ["seconds"],
  shape(request, { sizes: allowed }) {
    if (allowed !== undefined) return shapeBySize(request, allowed, true);
    const { width, height } = request;
    const hasBoth = width !== undefined && height !== undefined;
    return { sent: { size: hasBoth ? `${width}x${height}` : undefined }, made: { width, height } };
  },
  reports: "size",
  submit,
  id: "id",
  readsSubmit: true,
  isRefusal: (body) => isErrorBody(body) && typeof body.id !== "string",
  states: {
    queued: "queued",
    in_progress: "in_progress",
    completed: "completed",
    failed: "failed",
    cancelled: "cancelled",
    expired: "expired",
  },
  errorCodes: [],
  error: parseError,
  read,
  poll: "GET videos/{id}",
  remove: "DELETE videos/{id}",
  remix: ({ upstreamId: id }, prompt) => ({
    call: { path: `videos/${encodeURIComponent(id)}/remix`, body: { prompt } },
    warnings: [],
    effect: {},
  }),
  content({ upstreamId: id }, _place, variant) {
    if (!["video", "thumbnail", "spritesheet"].includes(variant)) return null;
    const query = variant === "video" ? "" : `?variant=${variant}`;
    return { method: "GET", path: `videos/${encodeURIComponent(id)}/content${query}`, body: {} };
  },
  resultSeconds: 3_600,
});
