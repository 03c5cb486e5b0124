// Content blocks, converted between the Messages API and Converse.

import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { objectsIn } from "../shared/json-accessors.ts";
import { type Warnings, warnField } from "../shared/warnings.ts";
import type { Family } from "./model-capabilities.ts";

/** What rendering the blocks of one request depends on. */
export interface Spelling {
  readonly family: Family;
  readonly warnings: Warnings;
  /** Document names in use: the service refuses duplicates. */
  readonly documents: Set<string>;
}

type Speller = (block: JsonObject, to: Spelling) => JsonObject[];

const asObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
const asText = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** A cache point after the block. Five minutes is its default lifetime. */
export function cachePoint(block: JsonObject, { caching }: Family): JsonObject[] {
  const control = block.cache_control;
  if (!caching || !isObject(control)) return [];
  return [{ cachePoint: { type: "default", ...(control.ttl === "1h" ? { ttl: "1h" } : {}) } }];
}

/** The service allows few characters in document names, and no duplicates. */
function documentName(title: Json | undefined, { documents }: Spelling): string {
  const clean = asText(title)
    .replace(/[^A-Za-z0-9()[\] -]+/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 190);
  const base = clean === "" ? "document" : clean;
  let name = base;
  for (let count = 2; documents.has(name); count++) name = `${base} ${count}`;
  documents.add(name);
  return name;
}

function spellDocument(block: JsonObject, to: Spelling): JsonObject[] {
  const source = asObject(block.source);
  const isText = source.type === "text";
  const data = asText(source.data);
  const document: JsonObject = {
    format: isText ? "txt" : "pdf",
    name: documentName(block.title, to),
    source: { bytes: isText ? Buffer.from(data, "utf8").toString("base64") : data },
  };
  if (typeof block.context === "string") document.context = block.context;
  if (isObject(block.citations)) document.citations = block.citations;
  return [{ document }];
}

function spellImage(block: JsonObject): JsonObject[] {
  const source = asObject(block.source);
  return [{ image: { format: asText(source.media_type).replace("image/", ""), source: { bytes: source.data } } }];
}

/** A tool result. Models without an error status get the error as text. */
function spellResult(block: JsonObject, to: Spelling): JsonObject[] {
  const { content, tool_use_id: toolUseId } = block;
  const parts = typeof content === "string" ? [{ text: content }] : spellAll(objectsIn(content), to, false);
  if (block.is_error !== true) return [{ toolResult: { toolUseId, content: parts } }];
  if (to.family.errorStatus) return [{ toolResult: { toolUseId, content: parts, status: "error" } }];
  warnField(to.warnings, "approximated", "messages");
  return [{ toolResult: { toolUseId, content: [{ text: "Error:" }, ...parts] } }];
}

const spellers: Readonly<Record<string, Speller>> = {
  text: ({ text }) => [{ text }],
  image: spellImage,
  document: spellDocument,
  tool_use: ({ id, name, input }) => [{ toolUse: { toolUseId: id, name, input } }],
  tool_result: spellResult,
  thinking: ({ thinking, signature }) => [{ reasoningContent: { reasoningText: { text: thinking, signature } } }],
  redacted_thinking: ({ data }) => [{ reasoningContent: { redactedContent: data } }],
};

function spellAll(blocks: readonly JsonObject[], to: Spelling, cached: boolean): JsonObject[] {
  return blocks.flatMap((block) => [
    ...(spellers[asText(block.type)]?.(block, to) ?? []),
    ...(cached ? cachePoint(block, to.family) : []),
  ]);
}

/** The content of a message of the Messages API as Converse blocks. */
export function spellContent(content: Json | undefined, to: Spelling): JsonObject[] {
  if (typeof content === "string") return [{ text: content }];
  const spelled = spellAll(objectsIn(content), to, true);
  const hasDocument = spelled.some((block) => block.document !== undefined);
  // The service refuses documents without text.
  if (!hasDocument || spelled.some((block) => typeof block.text === "string")) return spelled;
  warnField(to.warnings, "approximated", "messages");
  return [...spelled, { text: "." }];
}

function bytesOf(media: JsonObject, mediaType: string): JsonObject {
  return { type: "base64", media_type: mediaType, data: asObject(media.source).bytes };
}

function readResult(result: JsonObject): JsonObject {
  const content = objectsIn(result.content).map((part) =>
    part.json === undefined ? readBlock(part) : { type: "text", text: JSON.stringify(part.json) },
  );
  const failed = result.status === "error" ? { is_error: true } : {};
  return { type: "tool_result", tool_use_id: result.toolUseId, content, ...failed };
}

function readReasoning(reasoning: JsonObject): JsonObject {
  const { redactedContent, reasoningText } = reasoning;
  if (redactedContent !== undefined) return { type: "redacted_thinking", data: redactedContent };
  const { text, signature } = asObject(reasoningText);
  return { type: "thinking", thinking: text ?? "", signature };
}

/** A citation with a URL is understood everywhere. Of others only title and text remain. */
export function readCitation(citation: JsonObject): JsonObject {
  const { url } = asObject(asObject(citation.location).web);
  const words = objectsIn(citation.sourceContent).map((part) => asText(part.text));
  return { type: "converse", url, title: citation.title, cited_text: words.join("") };
}

function readCited(cited: JsonObject): JsonObject {
  const text = objectsIn(cited.content).map((part) => asText(part.text));
  return { type: "text", text: text.join(""), citations: objectsIn(cited.citations).map(readCitation) };
}

const readers: Readonly<Record<string, (inner: JsonObject) => JsonObject>> = {
  image: (image) => ({ type: "image", source: bytesOf(image, `image/${asText(image.format)}`) }),
  toolUse: ({ toolUseId, name, input, type }) => ({ type: type ?? "tool_use", id: toolUseId, name, input }),
  toolResult: readResult,
  reasoningContent: readReasoning,
  citationsContent: readCited,
};

/** A Converse block as a Messages API block. Blocks without an equivalent keep their shape. */
function readBlock(block: JsonObject): JsonObject {
  if (typeof block.text === "string") return { type: "text", text: block.text };
  const [[name, inner] = ["", null]] = Object.entries(block);
  const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
  return read !== undefined && isObject(inner) ? read(inner) : { ...block, type: name };
}

/** The blocks of a reply as Messages API blocks. */
export function readContent(content: Json | undefined): JsonObject[] {
  return objectsIn(content).map(readBlock);
}
