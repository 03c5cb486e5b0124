// Images of a video request: the forms of clients, the type of their bytes, and the forms of upstreams.
import type { VideoImage, VideoImageSource } from "../../canonical/video.ts";
import { badValue } from "../errors.ts";
import { standardBase64 } from "../shared/media.ts";

type BytesSource = Extract<VideoImageSource, { kind: "bytes" }>;

const latin = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1", start, end);

const signs: readonly (readonly [string, (bytes: Uint8Array) => boolean])[] = [
  ["image/png", (bytes) => latin(bytes, 0, 4) === "\x89PNG"],
  ["image/jpeg", (bytes) => latin(bytes, 0, 3) === "\xff\xd8\xff"],
  ["image/webp", (bytes) => latin(bytes, 0, 4) === "RIFF" && latin(bytes, 8, 12) === "WEBP"],
  ["image/gif", (bytes) => latin(bytes, 0, 4) === "GIF8"],
  ["image/bmp", (bytes) => latin(bytes, 0, 2) === "BM"],
  ["image/tiff", (bytes) => ["II*\x00", "MM\x00*"].includes(latin(bytes, 0, 4))],
  ["image/heic", (bytes) => /^ftyp(?:heic|heix|mif1|avif)/.test(latin(bytes, 4, 12))],
];

/** The media type by the first bytes; undefined for bytes that are not an image. */
export function imageType(bytes: Uint8Array): string | undefined {
  return signs.find(([, shows]) => shows(bytes))?.[0];
}

/** Bytes as an image, whatever type was declared. Throws `invalid_value` if they are not one. */
export function imageOfBytes(bytes: Uint8Array, path: string): BytesSource {
  const mediaType = imageType(bytes);
  if (mediaType === undefined) throw badValue(path, `'${path}' is not an image in a supported format.`);
  return { kind: "bytes", mediaType, bytes };
}

const base64Only = /^[A-Za-z0-9+/]+={0,2}$/;

function decoded(base64: string, path: string): BytesSource {
  const standard = standardBase64(base64);
  if (!base64Only.test(standard)) throw badValue(path, `'${path}' must be an image URL, data URI or Base64 string.`);
  return imageOfBytes(new Uint8Array(Buffer.from(standard, "base64")), path);
}

/** A URL, a data URI or Base64. Throws `invalid_value` for anything else. */
export function imageOfText(text: string, path: string): VideoImageSource {
  const trimmed = text.trim();
  if (/^https?:\/\//i.test(trimmed)) {
    if (URL.canParse(trimmed)) return { kind: "url", url: trimmed };
    throw badValue(path, `'${path}' is not a valid URL.`);
  }
  if (!/^data:/i.test(trimmed)) return decoded(trimmed, path);
  const comma = trimmed.indexOf(",");
  if (comma < 0 || !/;\s*base64\s*$/i.test(trimmed.slice(0, comma)))
    throw badValue(path, `'${path}' must be a data URI with Base64 data.`);
  return decoded(trimmed.slice(comma + 1), path);
}

/** Base64 without the prefix of a data URI. */
export function base64Of(source: BytesSource): string {
  return Buffer.from(source.bytes.buffer, source.bytes.byteOffset, source.bytes.length).toString("base64");
}

/** The image as text: its URL, or a data URI. Files stored by a provider have no such text. */
export function imageText(source: Exclude<VideoImageSource, { kind: "file" }>): string {
  return source.kind === "url" ? source.url : `data:${source.mediaType};base64,${base64Of(source)}`;
}

/** The image in this role, if there is one. */
export function imageFor(images: readonly VideoImage[], role: VideoImage["role"]): VideoImage | undefined {
  return images.find((image) => image.role === role);
}
