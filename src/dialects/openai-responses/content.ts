// Content parts: text, refusals, images and files, between the wire and the canonical model.
import type { Block, DocumentBlock, ImageBlock, ProviderBlock, ResultPart, TextBlock } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import { badValue, missing, unsupported } from "../errors.ts";
import { dataUri, nameOfType } from "../shared/media.ts";
import { cacheOf, documentText, fileOfBytes, imageOf, storedFile } from "../shared/openai-media-parts.ts";
import { type Warnings, warn } from "../shared/warnings.ts";
import { parseAnnotations } from "./citations.ts";

export const dialectName = "openai-responses";

/**
 * A part or item that only this dialect has; `field` is the path of its type, or of the member that makes it specific.
 */
export function foreign(wire: JsonObject, field: string): ProviderBlock {
  return { type: "foreign", origin: dialectName, wire, path: field };
}

/** The text under `name`; a missing required one is refused by its path. */
export function textAt(object: JsonObject, name: string, path: string): string {
  const value = object[name];
  if (typeof value !== "string") throw missing(`${path}.${name}`);
  return value;
}

function filled(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function parseText(part: JsonObject, path: string): TextBlock {
  const citations = parseAnnotations(part.annotations);
  const text = textAt(part, "text", path);
  return { type: "text", text, ...(citations.length > 0 ? { citations } : {}), ...cacheOf(part) };
}

function parseImage(part: JsonObject, path: string): ImageBlock | DocumentBlock {
  const place = { path, ...cacheOf(part) };
  const detail = part.detail === "auto" ? undefined : filled(part.detail);
  const url = filled(part.image_url);
  if (url !== undefined) return imageOf(url, `${path}.image_url`, detail, place);
  const id = filled(part.file_id);
  if (id === undefined) throw missing(`${path}.image_url`);
  return { type: "image", source: { kind: "file", id }, ...(detail === undefined ? {} : { detail }), ...place };
}

function parseFile(part: JsonObject, path: string): ImageBlock | DocumentBlock {
  const place = { path, ...cacheOf(part) };
  const name = filled(part.filename);
  const data = filled(part.file_data);
  if (data !== undefined) return fileOfBytes(data, name, place);
  const url = filled(part.file_url);
  const title = name === undefined ? {} : { title: name };
  if (url !== undefined) return { type: "document", source: { kind: "url", url }, ...title, ...place };
  const id = filled(part.file_id);
  if (id === undefined) throw missing(`${path}.file_data`);
  return storedFile(id, name, place);
}

type PartParser = (part: JsonObject, path: string) => ResultPart;

/** Parts of a message, a tool result and a replayed output. */
const parsers: ReadonlyMap<string, PartParser> = new Map<string, PartParser>([
  ["input_text", parseText],
  ["output_text", parseText],
  ["text", parseText],
  ["input_image", parseImage],
  ["input_file", parseFile],
]);

/** One part of a result. */
export function parseResultPart(part: JsonObject, path: string): ResultPart {
  const type = filled(part.type);
  if (type === undefined) throw badValue(`${path}.type`, "A content part must have a 'type'.");
  return parsers.get(type)?.(part, path) ?? foreign(part, `${path}.type`);
}

function parsePart(part: JsonObject, path: string): Block {
  if (part.type === "refusal") return { type: "refusal", text: textAt(part, "refusal", path) };
  return parseResultPart(part, path);
}

/** The parts of a list, or a single text; an empty text gives no block. */
export function parseContent<Part extends Block>(
  content: Json | undefined,
  path: string,
  parse: (part: JsonObject, path: string) => Part,
): (Part | TextBlock)[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (!Array.isArray(content)) throw missing(path);
  return content.map((part, index) => {
    if (!isObject(part)) throw badValue(`${path}[${index}]`, "A content part must be an object.");
    return parse(part, `${path}[${index}]`);
  });
}

/** The content of a message. */
export function parseMessageContent(content: Json | undefined, path: string): Block[] {
  return parseContent(content, path, parsePart);
}

/** Content of a role that allows only text. */
export function parseTextContent(content: Json | undefined, path: string): TextBlock[] {
  return parseMessageContent(content, path).map((block, index) => {
    if (block.type === "text") return block;
    throw badValue(`${path}[${index}].type`, "This message must contain text parts only.");
  });
}

/** The prefix of file ids of this service; ids of other providers have no meaning there. */
const ownFile = /^file-/;

function pathOf(block: ImageBlock | DocumentBlock | ProviderBlock, warnings: Warnings): string {
  return block.path ?? warnings.context.fieldPath("messages");
}

function ownFileId(id: string, path: string): string {
  if (ownFile.test(id)) return id;
  throw unsupported(path, "the file is stored with a different provider");
}

function renderImage(block: ImageBlock, warnings: Warnings): JsonObject {
  const { source, detail = "auto" } = block;
  const path = pathOf(block, warnings);
  switch (source.kind) {
    case "url":
      return { type: "input_image", image_url: source.url, detail };
    case "bytes":
      return { type: "input_image", image_url: dataUri(source), detail };
    case "file":
      return { type: "input_image", file_id: ownFileId(source.id, path), detail };
    case "text":
      throw unsupported(path, "an image must not be plain text");
  }
}

function fileMembers({ source, title }: DocumentBlock, path: string): JsonObject {
  if (source.kind === "url") return { file_url: source.url };
  if (source.kind === "file") return { file_id: ownFileId(source.id, path) };
  if (source.kind === "bytes") return { filename: title ?? nameOfType(source.mediaType), file_data: dataUri(source) };
  throw unsupported(path, "a document must be bytes, a URL or text");
}

function renderDocument(block: DocumentBlock, warnings: Warnings): JsonObject[] {
  const path = pathOf(block, warnings);
  if (block.citations === true) warn(warnings, "dropped", `${path}.citations`);
  const context = block.context ? [inputText(block.context)] : [];
  const text = documentText(block);
  return [...context, text === null ? { type: "input_file", ...fileMembers(block, path) } : inputText(text)];
}

/** A text of any role but the assistant. */
export function inputText(text: string): JsonObject {
  return { type: "input_text", text };
}

/** The part or parts of one block of a user message, a system message or a result. */
export function renderInput(block: Block, warnings: Warnings): JsonObject[] {
  switch (block.type) {
    case "text":
    case "refusal":
      return [inputText(block.text)];
    case "image":
      return [renderImage(block, warnings)];
    case "document":
      return renderDocument(block, warnings);
    case "foreign":
      if (block.origin === dialectName) return [block.wire];
      throw unsupported(pathOf(block, warnings), "this content type is not supported");
    case "audio":
      throw unsupported(block.path ?? warnings.context.fieldPath("messages"), "audio input is not supported");
    case "thinking":
    case "tool-call":
    case "tool-result":
      return [];
  }
}

/** A single text is sent as a string, which every server understands, anything else as parts. */
export function asContent(parts: readonly JsonObject[]): Json {
  const [only] = parts;
  if (parts.length === 0) return "";
  if (parts.length === 1 && only?.type === "input_text" && typeof only.text === "string") return only.text;
  return [...parts];
}

/** Text of the assistant in the history. */
export function renderOutputText(block: Extract<Block, { type: "text" | "refusal" }>): JsonObject {
  if (block.type === "refusal") return { type: "refusal", refusal: block.text };
  return omitUndefined({ type: "output_text", text: block.text, annotations: [] });
}
