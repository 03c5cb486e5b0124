// Images, audio and documents: inline bytes or a file reference, by media type.
import type {
  AudioBlock,
  Block,
  DocumentBlock,
  ImageBlock,
  MediaSource,
  ProviderBlock,
  TextBlock,
} from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { missing, unsupported } from "../errors.ts";
import { bytesOf, readDataUri, textOf } from "../shared/media.ts";
import { type Warnings, warn } from "../shared/warnings.ts";
import type { ModelLimits } from "./model-capabilities.ts";
import { dialectName } from "./signature.ts";

type MediaBlock = ImageBlock | AudioBlock | DocumentBlock | ProviderBlock;

/** Aliases of audio media types, and their canonical names. */
const canonTypes: ReadonlyMap<string, string> = new Map([
  ["audio/mp3", "audio/mpeg"],
  ["audio/x-wav", "audio/wav"],
  ["audio/wave", "audio/wav"],
]);
const wireTypes: ReadonlyMap<string, string> = new Map([["audio/mpeg", "audio/mp3"]]);

const typeByExtension: ReadonlyMap<string, string> = new Map([
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["webp", "image/webp"],
  ["heic", "image/heic"],
  ["gif", "image/gif"],
  ["pdf", "application/pdf"],
  ["mp3", "audio/mp3"],
  ["wav", "audio/wav"],
  ["mp4", "video/mp4"],
]);

/** Files stored by servers of this dialect, and public videos that they accept by URL. */
const ownFile = /^(?:https:\/\/generativelanguage\.googleapis\.com\/|gs:\/\/|files\/)/;
const videoSite = /^https?:\/\/(?:www\.)?(?:youtube\.com|youtu\.be)\//;

/** The media type by the file extension of a URL; empty when it is unknown. */
function typeOfAddress(address: string): string {
  const path = address.split(/[?#]/)[0] ?? "";
  return typeByExtension.get(path.slice(path.lastIndexOf(".") + 1).toLowerCase()) ?? "";
}

/** Without parameters, in lower case. */
function bareType(mediaType: string): string {
  return (mediaType.split(";")[0] ?? "").trim().toLowerCase();
}

/** The canonical name of a media type. */
export function canonType(mediaType: string): string {
  const bare = bareType(mediaType);
  return canonTypes.get(bare) ?? bare;
}

function textAt(object: JsonObject, name: string, path: string): string {
  const value = object[name];
  if (typeof value !== "string" || value === "") throw missing(`${path}.${name}`);
  return value;
}

/** A part that other dialects refuse by its path. */
export function foreign(wire: JsonObject, path: string): ProviderBlock {
  return { type: "foreign", origin: dialectName, wire, path };
}

const details: ReadonlyMap<unknown, string> = new Map([
  ["MEDIA_RESOLUTION_LOW", "low"],
  ["MEDIA_RESOLUTION_HIGH", "high"],
  ["MEDIA_RESOLUTION_ULTRA_HIGH", "high"],
]);

function detailOf(part: JsonObject): { readonly detail?: string } {
  const { mediaResolution } = part;
  const detail = details.get(isObject(mediaResolution) ? mediaResolution.level : mediaResolution);
  return detail === undefined ? {} : { detail };
}

/** A block by its media type. Video is supported only by this dialect. */
function blockOf(source: MediaSource, mediaType: string, part: JsonObject, path: string, title: Json | undefined) {
  if (mediaType.startsWith("image/")) return { type: "image", source, ...detailOf(part), path } as const;
  if (mediaType.startsWith("audio/")) return { type: "audio", source, path } as const;
  if (mediaType.startsWith("video/")) return foreign(part, path);
  const named = typeof title === "string" && title !== "" ? { title } : {};
  return { type: "document", source, ...named, path } as const;
}

/** The block of a part with inline bytes. */
export function readInline(part: JsonObject, data: JsonObject, at: string): MediaBlock {
  const path = `${at}.inlineData`;
  const declared = canonType(textAt(data, "mimeType", path));
  const given = textAt(data, "data", path);
  const source = readDataUri(given) ?? bytesOf(given, declared);
  return blockOf(source, source.mediaType, part, path, data.displayName);
}

/** The block of a part with a URL. */
export function readFile(part: JsonObject, data: JsonObject, at: string): MediaBlock {
  const path = `${at}.fileData`;
  const address = textAt(data, "fileUri", path);
  const declared = typeof data.mimeType === "string" ? canonType(data.mimeType) : typeOfAddress(address);
  const isAddress = /^https?:\/\//i.test(address) && !ownFile.test(address);
  const source: MediaSource = isAddress ? { kind: "url", url: address } : { kind: "file", id: address };
  if (videoSite.test(address)) return foreign(part, path);
  return blockOf(source, declared, part, path, data.displayName);
}

function sourcePart(source: MediaSource, path: string, fallbackType: string): JsonObject {
  switch (source.kind) {
    case "bytes":
      return { inlineData: { mimeType: wireTypes.get(source.mediaType) ?? source.mediaType, data: source.base64 } };
    case "url": {
      const bytes = readDataUri(source.url);
      if (bytes !== null) return sourcePart(bytes, path, fallbackType);
      return { fileData: { mimeType: typeOfAddress(source.url) || fallbackType, fileUri: source.url } };
    }
    case "file":
      if (!ownFile.test(source.id)) throw unsupported(path, "the file is stored with a different provider");
      return { fileData: { fileUri: source.id } };
    case "text":
      return { text: source.text };
  }
}

const levels: ReadonlyMap<string | undefined, string> = new Map([
  ["low", "MEDIA_RESOLUTION_LOW"],
  ["high", "MEDIA_RESOLUTION_HIGH"],
]);

/** The media resolution; newer models accept it on the part. */
function resolution(block: ImageBlock, path: string, limits: ModelLimits, warnings: Warnings): JsonObject {
  const level = levels.get(block.detail);
  if (level === undefined) return {};
  warn(warnings, limits.resultMedia ? "approximated" : "dropped", path);
  return limits.resultMedia ? { mediaResolution: { level } } : {};
}

function renderImage(block: ImageBlock, path: string, limits: ModelLimits, warnings: Warnings): JsonObject {
  return { ...sourcePart(block.source, path, "image/jpeg"), ...resolution(block, path, limits, warnings) };
}

const textTypes = new Set(["application/json", "application/xml", "application/x-yaml"]);

/** Text becomes text under its title; other documents are sent if this dialect supports their type. */
function renderDocument(block: DocumentBlock, path: string, warnings: Warnings): JsonObject[] {
  if (block.citations === true) warn(warnings, "dropped", `${path}.citations`);
  const context: JsonObject[] = block.context ? [{ text: block.context }] : [];
  const { source } = block;
  const isText = source.kind === "bytes" && (source.mediaType.startsWith("text/") || textTypes.has(source.mediaType));
  const text = source.kind === "text" ? source.text : isText ? textOf(source) : null;
  if (text !== null) return [...context, { text: block.title === undefined ? text : `${block.title}\n\n${text}` }];
  if (source.kind === "bytes" && source.mediaType !== "application/pdf" && !source.mediaType.startsWith("image/")) {
    throw unsupported(path, `documents of type ${source.mediaType} are not supported`);
  }
  return [...context, sourcePart(source, path, "application/pdf")];
}

/**
 * The parts of a block other than calls and thinking. Blocks that this dialect does not support are refused by their
 * path.
 */
export function renderMedia(
  block: Exclude<Block, { type: "thinking" | "tool-call" | "tool-result" }>,
  limits: ModelLimits,
  warnings: Warnings,
): JsonObject[] {
  const path = ("path" in block ? block.path : undefined) ?? warnings.context.fieldPath("messages");
  switch (block.type) {
    case "text":
    case "refusal":
      return renderText(block);
    case "image":
      return [renderImage(block, path, limits, warnings)];
    case "audio":
      return [sourcePart(block.source, path, "audio/mp3")];
    case "document":
      return renderDocument(block, path, warnings);
    case "foreign":
      if (block.origin === dialectName) return [block.wire];
      throw unsupported(path, "this content type is not supported");
  }
}

/** Empty text gives no part. */
export function renderText({ text }: Pick<TextBlock, "text">): JsonObject[] {
  return text === "" ? [] : [{ text }];
}
