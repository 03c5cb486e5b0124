// Fields that clients send in metadata, under the names of the various formats.
import type { VideoImage, VideoRequest } from "../../../canonical/video.ts";
import { isObject, type Json, type JsonObject, withoutUndefined } from "../../../lib/json.ts";
import { badValue, missing } from "../../errors.ts";
import { imageOfText } from "../images.ts";

const text = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined;

function first<T>(values: readonly (T | undefined)[]): T | undefined {
  return values.find((value) => value !== undefined);
}

function truth(value: Json | undefined): boolean | undefined {
  if (typeof value === "boolean") return value;
  return value === "on" ? true : value === "off" ? false : undefined;
}

const resolutionOfMode: { readonly [mode: string]: string } = { std: "720p", pro: "1080p", "4k": "4k" };

function resolutionIn({ resolution, mode }: JsonObject): string | undefined {
  return text(resolution)?.toLowerCase() ?? resolutionOfMode[text(mode) ?? ""];
}

/** Enumerated members with an unknown value. */
export function unknownValues({ mode, sound }: JsonObject): string[] {
  const isUnknownMode = text(mode) !== undefined && resolutionOfMode[text(mode) ?? ""] === undefined;
  const isUnknownSound = text(sound) !== undefined && truth(sound) === undefined;
  return [...(isUnknownMode ? ["mode"] : []), ...(isUnknownSound ? ["sound"] : [])];
}

type CommonFields = Pick<
  VideoRequest,
  "negativePrompt" | "ratio" | "resolution" | "audio" | "watermark" | "externalId" | "callbackUrl" | "callbackPath"
>;

const callbackNames = ["callback_url", "webhook"] as const;

/** The webhook URL, if one is given here. `prefix` is the path of the object. */
export function callbackIn(metadata: JsonObject, prefix: string): Pick<VideoRequest, "callbackUrl" | "callbackPath"> {
  const name = callbackNames.find((each) => text(metadata[each]) !== undefined);
  return name === undefined ? {} : { callbackUrl: String(metadata[name]), callbackPath: prefix + name };
}

/** Canonical fields in metadata, whose path is `prefix`; a value of another type is ignored. */
export function commonFields(metadata: JsonObject, prefix = ""): CommonFields {
  const watermarkInfo = isObject(metadata.watermark_info) ? metadata.watermark_info.enabled : undefined;
  return withoutUndefined({
    negativePrompt: text(metadata.negative_prompt),
    ratio: first([text(metadata.aspect_ratio), text(metadata.ratio)]),
    resolution: resolutionIn(metadata),
    audio: first([truth(metadata.audio), truth(metadata.generate_audio), truth(metadata.sound)]),
    watermark: first([truth(metadata.watermark), truth(watermarkInfo)]),
    externalId: text(metadata.external_task_id),
    ...callbackIn(metadata, prefix),
  });
}

/** An image in a member, if there is one. */
export function imageField(
  holder: JsonObject,
  name: string,
  role: VideoImage["role"],
  path: string = name,
): VideoImage | undefined {
  const value = text(holder[name]);
  return value === undefined ? undefined : { role, source: imageOfText(value, path), path };
}

const lastNames = ["image_tail", "last_frame", "last_frame_image", "image_end"] as const;

/** Images in metadata: `image`, `image_tail`, and a list whose first is the first frame. */
export function metadataImages(metadata: JsonObject, prefix: string, hasFirst: boolean): VideoImage[] {
  const single = hasFirst ? undefined : imageField(metadata, "image", "first", `${prefix}image`);
  const last = first(lastNames.map((name) => imageField(metadata, name, "last", `${prefix}${name}`)));
  const list = Array.isArray(metadata.images) ? metadata.images : [];
  const listed = list.flatMap((value, index): VideoImage[] => {
    const path = `${prefix}images[${index}]`;
    if (typeof value !== "string") throw badValue(path, `'${path}' must be an image URL, data URI or Base64 string.`);
    const isFirst = index === 0 && !hasFirst && single === undefined;
    return [{ role: isFirst ? "first" : "reference", source: imageOfText(value, path), path }];
  });
  return [single, ...listed, last].filter((image) => image !== undefined);
}

/** A number that a client may have written as a text. */
export function numberOf(value: Json | undefined, path: string): number | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  const number =
    typeof value === "string" ? Number(/^\s*[\d.]+\s*s?\s*$/.test(value) ? value.replace("s", "") : Number.NaN) : value;
  if (typeof number === "number" && Number.isFinite(number) && number > 0) return number;
  throw badValue(path, `'${path}' must be a number of seconds greater than 0.`);
}

/** The text of a member; an empty one counts as absent. */
export function textAt(wire: JsonObject, name: string): string | undefined {
  return text(wire[name]);
}

/** The model under one of these names; `usual` is the default of the service with this format. */
export function modelAt(
  wire: JsonObject,
  names: readonly string[],
  usual = "",
): Pick<VideoRequest, "model" | "unnamed"> {
  const model = first(names.map((name) => text(wire[name])));
  return model === undefined ? { model: usual, unnamed: true } : { model };
}

/** A task needs a prompt or an image. */
export function needSubject(prompt: string | undefined, images: readonly VideoImage[]): void {
  if (prompt === undefined && images.length === 0) throw missing("prompt");
}
