// OpenAI's video format: a form or JSON in, a video object out.
import { Type } from "typebox";
import type { VideoField, VideoImage, VideoRequest } from "../../../canonical/video.ts";
import type { Warning } from "../../../canonical/warning.ts";
import { isObject, type JsonObject } from "../../../lib/json.ts";
import type { RequestMeta } from "../../dialect.ts";
import { badValue, missing } from "../../errors.ts";
import { openaiErrors } from "../../openai-error.ts";
import { object, optional } from "../../schema-helpers.ts";
import { filesNamed } from "../../shared/form-values.ts";
import { resultSettings, unixSeconds, type VideoClient, type VideoView } from "../client.ts";
import { imageOfBytes, imageOfText } from "../images.ts";
import { commonFields, modelAt, numberOf, textAt } from "./common-fields.ts";

const reference = "input_reference";

const schema = object({
  model: optional("string"),
  prompt: optional("string", { maxLength: 32_000 }),
  seconds: optional(["string", "number"]),
  size: optional("string"),
  input_reference: optional(["object", "string"]),
  seed: optional("integer"),
  n: optional("integer", { minimum: 1, maximum: 16 }),
  user: optional("string"),
  metadata: optional("object"),
});

/** The schema of a remix. */
export const openaiRemix = object({ prompt: Type.String({ minLength: 1, maxLength: 32_000 }) });

/** The default of the official API. */
const defaultModel = "sora-2";

const own = new Set(["model", "prompt", "seconds", "size", reference, "seed", "n", "user", "metadata"]);

function sizeIn(wire: JsonObject): Pick<VideoRequest, "width" | "height"> {
  const size = textAt(wire, "size");
  if (size === undefined) return {};
  const [, width, height] = /^\s*(\d{2,5})\s*[x*×]\s*(\d{2,5})\s*$/i.exec(size) ?? [];
  if (width === undefined) throw badValue("size", "'size' must be a width and height in pixels, such as '1280x720'.");
  return { width: Number(width), height: Number(height) };
}

function imagesIn(wire: JsonObject, files: RequestMeta["files"]): VideoImage[] {
  const uploads = filesNamed(files, reference);
  const hasBoth = uploads.length > 0 && (wire[reference] ?? "") !== "";
  if (hasBoth) throw badValue(reference, `Send '${reference}' as either a file or text, not both.`);
  if (uploads.length > 0)
    return uploads.map(({ bytes, field }, index) => ({
      role: index === 0 ? "first" : "reference",
      source: imageOfBytes(bytes, field),
      path: field,
    }));
  const given = wire[reference];
  if (typeof given === "string" && given !== "")
    return [{ role: "first", source: imageOfText(given, reference), path: reference }];
  if (!isObject(given)) return [];
  const [url, file] = [textAt(given, "image_url"), textAt(given, "file_id")];
  if (url !== undefined && file !== undefined)
    throw badValue(reference, `Send '${reference}' as either 'image_url' or 'file_id', not both.`);
  if (url !== undefined) {
    const path = `${reference}.image_url`;
    return [{ role: "first", source: imageOfText(url, path), path }];
  }
  if (file === undefined) throw missing(`${reference}.image_url`);
  return [{ role: "first", source: { kind: "file", id: file }, path: `${reference}.file_id` }];
}

function parse(wire: JsonObject, { files }: RequestMeta): VideoRequest {
  const prompt = textAt(wire, "prompt");
  const images = imagesIn(wire, files);
  if (prompt === undefined && images.length === 0) throw missing("prompt");
  const seconds = numberOf(wire.seconds as never, "seconds");
  const more = Object.entries(wire).filter(([name]) => !own.has(name));
  const metadata = { ...(isObject(wire.metadata) ? wire.metadata : {}), ...Object.fromEntries(more) };
  const { seed, n, user } = wire;
  return {
    operation: "video",
    ...modelAt(wire, ["model"], defaultModel),
    images,
    n: typeof n === "number" ? n : 1,
    metadata,
    ...commonFields(metadata),
    ...sizeIn(wire),
    ...(prompt === undefined ? {} : { prompt }),
    ...(seconds === undefined ? {} : { seconds }),
    ...(typeof seed === "number" ? { seed } : {}),
    ...(typeof user === "string" ? { endUser: user } : {}),
  };
}

/** Files of the form under other names than the supported one. */
function otherFiles({ files }: RequestMeta): readonly Warning[] {
  const read = filesNamed(files, reference);
  const others = (files ?? []).filter((file) => !read.includes(file));
  return others.map(({ field }) => ({ code: "dropped", path: /^[\w[\].-]{1,80}$/.test(field) ? field : "files" }));
}

const paths: { readonly [field in VideoField]?: string } = {
  endUser: "user",
  ratio: "aspect_ratio",
  negativePrompt: "negative_prompt",
};

/** Clients know only these four values; a canceled or expired video is explained by its error. */
const statusOf = ({ state }: VideoView): string => (state === "cancelled" || state === "expired" ? "failed" : state);

/** The object of a video. */
function videoObject(view: VideoView): JsonObject {
  const { seconds, width, height } = resultSettings(view);
  const size = width !== undefined && height !== undefined ? { size: `${width}x${height}` } : {};
  const [url] = view.urls;
  return {
    id: view.id,
    object: "video",
    model: view.model,
    status: statusOf(view),
    progress: view.percent,
    created_at: unixSeconds(view.createdAtMs),
    ...(view.completedAtMs === undefined ? {} : { completed_at: unixSeconds(view.completedAtMs) }),
    ...(view.expiresAtMs === undefined ? {} : { expires_at: unixSeconds(view.expiresAtMs) }),
    seconds: String(seconds ?? 0),
    ...size,
    prompt: view.prompt ?? null,
    remixed_from_video_id: view.remixedFrom ?? null,
    error: view.failure === undefined ? null : { code: view.failure.code, message: view.failure.message },
    metadata: view.state === "completed" && url !== undefined ? { url } : {},
  };
}

/** A page of a video list. */
export function videoPage(views: readonly VideoView[], hasMore: boolean): JsonObject {
  return {
    object: "list",
    data: views.map(videoObject),
    first_id: views[0]?.id ?? null,
    last_id: views.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}

export const openaiVideo: VideoClient = {
  name: "openai-videos",
  idPrefix: "video_",
  acceptsForm: true,
  schema,
  parse,
  ignoredFields: (_wire, envelope) => otherFiles(envelope),
  fieldPath: (field) => paths[field] ?? field,
  renderCreated: videoObject,
  renderTask: videoObject,
  error: openaiErrors,
};
