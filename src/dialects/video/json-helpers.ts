// Helpers to read an upstream's task: values at paths, states by name, results by URL.
import type { VideoImage, VideoResult, VideoState } from "../../canonical/video.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { invalidUpstreamResponse, unsupported } from "../errors.ts";
import { base64Of, imageText } from "./images.ts";
import type { VideoProgress } from "./upstream.ts";

/** States by the upstream's names, in lower case. */
export type States = { readonly [word: string]: VideoState };

/** The state for a name; an unknown name is reported. */
export function stateOf(word: unknown, states: States): Pick<VideoProgress, "state" | "unknownStatus"> {
  const text = String(word ?? "");
  const lower = text.toLowerCase();
  const state = Object.hasOwn(states, lower) ? states[lower] : undefined;
  return state === undefined ? { unknownStatus: text.slice(0, 64) } : { state };
}

export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** A number, or a text with a number; undefined for anything else. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value !== "number" && (typeof value !== "string" || value.trim() === "")) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** A positive number, as for lengths and sides. */
export function sizeNumber(value: unknown): number | undefined {
  const number = numberOf(value);
  return number !== undefined && number > 0 ? number : undefined;
}

/** The value at a path with dots, as in `data.0.url`; the value itself for the empty path. */
export function at(value: unknown, path: string): unknown {
  if (path === "") return value;
  return path.split(".").reduce<unknown>((holder, name) => {
    if (Array.isArray(holder)) return holder[Number(name)];
    return isObject(holder) && Object.hasOwn(holder, name) ? holder[name] : undefined;
  }, value);
}

/** The first number, or non-empty text, at one of the paths. */
export function firstAt(value: unknown, paths: readonly string[]): string | number | undefined {
  const found = paths.map((path) => at(value, path));
  return found.find((each) => typeof each === "number" || textOf(each) !== "") as string | number | undefined;
}

/** An id as text. Throws `upstream_protocol_error` if it is missing. */
export function requireId(id: unknown): string {
  if (typeof id === "number" || (typeof id === "string" && id !== "")) return String(id);
  throw invalidUpstreamResponse("the response has no task ID");
}

/** Only the defined members, so that merging never removes any. */
export function known<Members extends object>(
  members: { readonly [name in keyof Members]: Members[name] | undefined },
): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Members;
}

/** A result at a public URL; none where the value is not a URL. */
export function linked(url: unknown, more: Omit<VideoResult, "place"> = {}): VideoResult[] {
  if (typeof url !== "string" || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return [];
  return [{ place: { kind: "url", url }, mediaType: "video/mp4", ...more }];
}

/** The image as a URL or a data URI. Throws `unsupported_parameter` for files stored by a provider. */
export function imageValue({ source, path }: VideoImage): string {
  if (source.kind === "file") throw unsupported(path, "this model accepts images as URLs or as bytes.");
  return imageText(source);
}

/** The image as a URL or as Base64 of a JPEG or PNG. */
export function bareImageValue({ source, path }: VideoImage): string {
  if (source.kind === "file") throw unsupported(path, "this model accepts images as URLs or as bytes.");
  if (source.kind === "url") return source.url;
  if (!/^image\/(?:jpeg|png)$/.test(source.mediaType))
    throw unsupported(path, "this model accepts JPEG and PNG images only.");
  return base64Of(source);
}

const imageTypes = { first: "first_frame", last: "last_frame", reference: "reference_image" } as const;

/** A text and images with their roles as a list of contents, the format of several vendors. */
export function contentsOf(text: string, images: readonly VideoImage[]): JsonObject[] {
  const parts = images.map((image) => ({
    type: "image_url",
    image_url: { url: imageValue(image) },
    role: imageTypes[image.role],
  }));
  return [...(text === "" ? [] : [{ type: "text", text }]), ...parts];
}
