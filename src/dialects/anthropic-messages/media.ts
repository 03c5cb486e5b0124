// Images and documents: where their bytes are, their real media type, and their blocks in this dialect.
import type { DocumentBlock, ImageBlock, MediaSource, ProviderBlock } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { RenderContext } from "../dialect.ts";
import { unsupported } from "../errors.ts";
import { standardBase64 } from "../shared/media.ts";
import { cacheControl, cacheOf } from "./cache-control.ts";
import { dialectName } from "./signature.ts";
import { objectsIn, optionalText, requiredObject, requiredText } from "./wire-members.ts";

const imageTypes = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);
const pdf = "application/pdf";

/** File signatures: the first bytes of each media type. */
const signatures: readonly { readonly mediaType: string; readonly at: number; readonly bytes: string }[] = [
  { mediaType: "image/png", at: 0, bytes: "\x89PNG" },
  { mediaType: "image/jpeg", at: 0, bytes: "\xff\xd8\xff" },
  { mediaType: "image/gif", at: 0, bytes: "GIF8" },
  { mediaType: "image/webp", at: 8, bytes: "WEBP" },
  { mediaType: pdf, at: 0, bytes: "%PDF" },
];

/** Bytes with their media type, in standard base64. */
interface Bytes {
  readonly mediaType: string;
  readonly base64: string;
}

/** The parts of a `data:` address; null for any other text. */
function dataUri(text: string): Bytes | null {
  if (!text.startsWith("data:")) return null;
  const comma = text.indexOf(",");
  const head = text.slice(5, comma < 0 ? 5 : comma);
  const body = text.slice(comma + 1);
  const mediaType = head.split(";")[0] || "text/plain";
  if (head.endsWith(";base64")) return { mediaType, base64: standardBase64(body) };
  return { mediaType, base64: Buffer.from(percentDecoded(body), "utf8").toString("base64") };
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The media type by the first bytes, otherwise as declared; parameters are removed and `image/jpg` is corrected. */
function trueMediaType(bytes: Bytes): string {
  const head = Buffer.from(bytes.base64.slice(0, 24), "base64").toString("latin1");
  const found = signatures.find((known) => head.startsWith(known.bytes, known.at));
  if (found) return found.mediaType;
  const declared = (bytes.mediaType.split(";")[0] ?? "").trim().toLowerCase();
  return declared === "image/jpg" ? "image/jpeg" : declared;
}

/** The bytes that a client sent. Data URIs are decoded, and base64url becomes standard Base64. */
function givenBytes(mediaType: string, data: string): MediaSource {
  const { base64, ...rest } = dataUri(data) ?? { mediaType, base64: standardBase64(data) };
  return { kind: "bytes", mediaType: rest.mediaType || mediaType, base64 };
}

/** A block that other dialects refuse, by the path of its type. */
export function foreign(wire: JsonObject, path: string): ProviderBlock {
  return { type: "foreign", origin: dialectName, wire, path: `${path}.type` };
}

function readSource(source: JsonObject, path: string): MediaSource | null {
  switch (source["type"]) {
    case "base64":
      return givenBytes(requiredText(source, "media_type", path), requiredText(source, "data", path));
    case "url":
      return { kind: "url", url: requiredText(source, "url", path) };
    case "file":
      return { kind: "file", id: requiredText(source, "file_id", path) };
    case "text":
      return { kind: "text", text: requiredText(source, "data", path) };
    case "content":
      return plainContent(source["content"]);
    default:
      return null;
  }
}

/** The text of content blocks that contain only text; null when there is anything else. */
function plainContent(content: Json | undefined): MediaSource | null {
  if (typeof content === "string") return { kind: "text", text: content };
  const texts = objectsIn(content).map((block) => (block["type"] === "text" ? block["text"] : undefined));
  return texts.every((text) => typeof text === "string") ? { kind: "text", text: texts.join("\n") } : null;
}

export function readImage(wire: JsonObject, path: string): ImageBlock | ProviderBlock {
  const source = readSource(requiredObject(wire, "source", path), `${path}.source`);
  return source === null ? foreign(wire, path) : { type: "image", source, ...cacheOf(wire), path };
}

export function readDocument(wire: JsonObject, path: string): DocumentBlock | ProviderBlock {
  const source = readSource(requiredObject(wire, "source", path), `${path}.source`);
  if (source === null) return foreign(wire, path);
  const citations = isObject(wire["citations"]) ? wire["citations"]["enabled"] : undefined;
  return {
    type: "document",
    source,
    ...optionalText(wire, "title", "title"),
    ...optionalText(wire, "context", "context"),
    ...(typeof citations === "boolean" ? { citations } : {}),
    ...cacheOf(wire),
    path,
  };
}

function bytesOf(source: MediaSource): Bytes | null {
  if (source.kind === "bytes") return { mediaType: source.mediaType, base64: standardBase64(source.base64) };
  return source.kind === "url" ? dataUri(source.url) : null;
}

/** The prefix of file ids of this dialect. Ids of other providers have no meaning here. */
const ownFile = /^file_/;

function referenceOf(source: MediaSource, path: string): JsonObject {
  if (source.kind === "url") return { type: "url", url: source.url };
  if (source.kind === "file" && ownFile.test(source.id)) return { type: "file", file_id: source.id };
  throw unsupported(path, "the file is stored with a different provider");
}

function documentSource(block: DocumentBlock, path: string): JsonObject {
  const { source } = block;
  if (source.kind === "text") return { type: "text", media_type: "text/plain", data: source.text };
  const bytes = bytesOf(source);
  if (bytes === null) return referenceOf(source, path);
  const mediaType = trueMediaType(bytes);
  if (mediaType === pdf) return { type: "base64", media_type: pdf, data: bytes.base64 };
  if (mediaType.startsWith("text/") || mediaType === "application/json") {
    return { type: "text", media_type: "text/plain", data: Buffer.from(bytes.base64, "base64").toString("utf8") };
  }
  throw unsupported(path, `documents of type ${mediaType} are not supported`);
}

/** The document block. Bytes that are an image become an image block. */
export function renderDocument(block: DocumentBlock, context: RenderContext): JsonObject {
  const path = block.path ?? context.fieldPath("messages");
  const bytes = bytesOf(block.source);
  if (bytes !== null && imageTypes.has(trueMediaType(bytes))) return base64Image(bytes, block);
  return {
    type: "document",
    source: documentSource(block, path),
    ...(block.title === undefined ? {} : { title: block.title }),
    ...(block.context === undefined ? {} : { context: block.context }),
    ...(block.citations === undefined ? {} : { citations: { enabled: block.citations } }),
    ...cacheControl(block.cache),
  };
}

function base64Image(bytes: Bytes, block: ImageBlock | DocumentBlock): JsonObject {
  const source = { type: "base64", media_type: trueMediaType(bytes), data: bytes.base64 };
  return { type: "image", source, ...cacheControl(block.cache) };
}

/** The image block. Bytes that are a PDF become a document block; other formats are refused. */
export function renderImage(block: ImageBlock, context: RenderContext): JsonObject {
  const path = block.path ?? context.fieldPath("messages");
  const bytes = bytesOf(block.source);
  if (bytes === null) {
    if (block.source.kind === "text") throw unsupported(path, "an image must not be plain text");
    return { type: "image", source: referenceOf(block.source, path), ...cacheControl(block.cache) };
  }
  const mediaType = trueMediaType(bytes);
  if (imageTypes.has(mediaType)) return base64Image(bytes, block);
  if (mediaType === pdf) return renderDocument({ ...block, type: "document" }, context);
  throw unsupported(path, `images of type ${mediaType} are not supported; use JPEG, PNG, GIF or WebP`);
}
