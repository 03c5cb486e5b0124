// The parts of a message's content: text, images, audio, files and refusals.
import type { AudioBlock, Block, DocumentBlock, ImageBlock, ProviderBlock, TextBlock } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import { badValue, missing, unsupported } from "../errors.ts";
import { bytesOf, dataUri, nameOfType, readDataUri } from "../shared/media.ts";
import { cacheOf, documentText, fileOfBytes, imageOf, storedFile } from "../shared/openai-media-parts.ts";
import { type Warnings, warn, warnField } from "../shared/warnings.ts";

/** The origin of parts that only this dialect has. */
export const dialectName = "openai-chat";

function stringAt(object: JsonObject, name: string, path: string): string {
  const value = object[name];
  if (typeof value !== "string") throw missing(`${path}.${name}`);
  return value;
}

function objectAt(object: JsonObject, name: string, path: string): JsonObject {
  const value = object[name];
  if (!isObject(value)) throw missing(`${path}.${name}`);
  return value;
}

function parseImage(part: JsonObject, path: string): Block {
  const image = objectAt(part, "image_url", path);
  const url = stringAt(image, "url", `${path}.image_url`);
  const detail = typeof image.detail === "string" ? image.detail : undefined;
  return imageOf(url, `${path}.image_url.url`, detail, { ...cacheOf(part), path });
}

const mediaTypes: ReadonlyMap<string, string> = new Map([["mp3", "audio/mpeg"]]);
const formats: ReadonlyMap<string, string> = new Map([
  ["audio/wav", "wav"],
  ["audio/x-wav", "wav"],
  ["audio/wave", "wav"],
  ["audio/mpeg", "mp3"],
  ["audio/mp3", "mp3"],
]);

function parseAudio(part: JsonObject, path: string): Block {
  const audio = objectAt(part, "input_audio", path);
  const data = stringAt(audio, "data", `${path}.input_audio`);
  const format = stringAt(audio, "format", `${path}.input_audio`);
  const bytes = readDataUri(data) ?? bytesOf(data, "");
  const source = {
    kind: "bytes",
    mediaType: mediaTypes.get(format) ?? `audio/${format}`,
    base64: bytes.base64,
  } as const;
  return { type: "audio", source, path };
}

function parseFile(part: JsonObject, path: string): Block {
  const file = objectAt(part, "file", path);
  const name = typeof file.filename === "string" ? file.filename : undefined;
  const place = { path, ...cacheOf(part) };
  if (typeof file.file_data === "string" && file.file_data !== "") return fileOfBytes(file.file_data, name, place);
  if (typeof file.file_id !== "string" || file.file_id === "") throw missing(`${path}.file.file_data`);
  return storedFile(file.file_id, name, place);
}

const parsers: ReadonlyMap<string, (part: JsonObject, path: string) => Block> = new Map([
  ["text", (part, path) => ({ type: "text", text: stringAt(part, "text", path), ...cacheOf(part) })],
  ["refusal", (part, path) => ({ type: "refusal", text: stringAt(part, "refusal", path) })],
  ["image_url", parseImage],
  ["input_audio", parseAudio],
  ["file", parseFile],
]);

/** Parses one part. An unknown type becomes a provider block, which this dialect's servers may understand. */
function parsePart(part: JsonObject, path: string): Block {
  const type = typeof part.type === "string" ? part.type : "";
  if (type === "") throw badValue(`${path}.type`, "A content part must have a 'type'.");
  return parsers.get(type)?.(part, path) ?? { type: "foreign", origin: dialectName, wire: part, path };
}

/** A message's content; an empty string gives no block. */
export function parseContent(content: Json | undefined, path: string): Block[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return content.map((part, index) => parsePart(part as JsonObject, `${path}[${index}]`));
}

/** Content of a role that allows only text. */
export function parseText(content: Json | undefined, path: string): TextBlock[] {
  return parseContent(content, path).map((block, index) => {
    if (block.type === "text") return block;
    throw badValue(`${path}[${index}].type`, "This message must contain text parts only.");
  });
}

/** A user's block that this wire supports. */
type SayableBlock = TextBlock | ImageBlock | AudioBlock | DocumentBlock | ProviderBlock;

function renderImage(block: ImageBlock, warnings: Warnings): JsonObject {
  const path = block.path ?? warnings.context.fieldPath("messages");
  const { source } = block;
  if (source.kind !== "url" && source.kind !== "bytes") {
    throw unsupported(path, "an image must be a URL or bytes");
  }
  const url = source.kind === "url" ? source.url : dataUri(source);
  return { type: "image_url", image_url: omitUndefined({ url, detail: block.detail }) };
}

function renderAudio(block: AudioBlock, warnings: Warnings): JsonObject {
  const path = block.path ?? warnings.context.fieldPath("messages");
  const format = block.source.kind === "bytes" ? formats.get(block.source.mediaType) : undefined;
  if (block.source.kind !== "bytes" || format === undefined) {
    throw unsupported(path, "audio must be the bytes of a WAV or MP3 file");
  }
  return { type: "input_audio", input_audio: { data: block.source.base64, format } };
}

function renderDocument(block: DocumentBlock, warnings: Warnings): JsonObject[] {
  const path = block.path ?? warnings.context.fieldPath("messages");
  const { source } = block;
  if (block.citations === true) warn(warnings, "dropped", `${path}.citations`);
  const context: JsonObject[] = block.context ? [{ type: "text", text: block.context }] : [];
  const text = documentText(block);
  if (text !== null) return [...context, { type: "text", text }];
  if (source.kind !== "bytes") throw unsupported(path, "a document must be bytes or text");
  const file = { filename: block.title ?? nameOfType(source.mediaType), file_data: dataUri(source) };
  return [...context, { type: "file", file }];
}

/** The part or parts of one block; a provider block of another dialect is refused by its path. */
export function renderPart(block: SayableBlock, warnings: Warnings): JsonObject[] {
  switch (block.type) {
    case "text":
      return [{ type: "text", text: block.text }];
    case "image":
      return [renderImage(block, warnings)];
    case "audio":
      return [renderAudio(block, warnings)];
    case "document":
      return renderDocument(block, warnings);
    case "foreign":
      if (block.origin === dialectName) return [block.wire];
      throw unsupported(block.path ?? warnings.context.fieldPath("messages"), "this content type is not supported");
  }
}

/** A single text is sent as a string, which every server understands, anything else as parts. */
export function asContent(parts: readonly JsonObject[]): Json {
  const [only] = parts;
  if (parts.length === 0) return "";
  if (parts.length === 1 && only?.type === "text" && typeof only.text === "string") return only.text;
  return [...parts];
}

/**
 * Whether a rendered part is allowed in a user message. Adds a warning for what assistant and tool messages cannot
 * repeat.
 */
export function sayable(block: Block, warnings: Warnings): block is SayableBlock {
  const kinds: readonly Block["type"][] = ["text", "image", "audio", "document", "foreign"];
  if (kinds.includes(block.type)) return true;
  warnField(warnings, "dropped", "messages");
  return false;
}
