// Content blocks of a request, between the wire and the canonical model.
import type { Block, ResultPart, TextBlock, ToolResultBlock } from "../../canonical/chat.ts";
import type { ProviderState } from "../../canonical/provider-state.ts";
import type { UnmappedField } from "../../canonical/warning.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { RenderContext } from "../dialect.ts";
import { badValue, unsupported } from "../errors.ts";
import { cleanId } from "../shared/tool-names.ts";
import { cacheControl, cacheOf } from "./cache-control.ts";
import { citationsForUpstream, readCitations } from "./citations.ts";
import { foreign, readDocument, readImage, renderDocument, renderImage } from "./media.ts";
import { callState, dialectName, nativeOrigin, readSignature } from "./signature.ts";
import { objectsIn, requiredText } from "./wire-members.ts";

/** What the reader of one block gets: the block, its path on the wire, and a list for what has no canonical field. */
interface Place {
  readonly path: string;
  readonly role: string;
  readonly extras: UnmappedField[];
  /** State for the next call, carried by a thinking block before it. */
  readonly proof: { call: ProviderState | null };
}

type BlockReader = (wire: JsonObject, place: Place) => readonly Block[];

export function readText(wire: JsonObject, path: string): TextBlock {
  return {
    type: "text",
    text: requiredText(wire, "text", path),
    ...readCitations(wire["citations"]),
    ...cacheOf(wire),
  };
}

/** A search result as plain text under its title and source, because no other dialect has search results. */
function readSearchResult(wire: JsonObject, place: Place): TextBlock {
  if (isObject(wire["citations"]) && wire["citations"]["enabled"] === true) {
    place.extras.push({ path: `${place.path}.citations`, rule: "warn" });
  }
  const texts = objectsIn(wire["content"]).map((part) => part["text"]);
  const lines = [wire["title"], wire["source"], ...texts].filter((line) => typeof line === "string" && line !== "");
  return { type: "text", text: lines.join("\n"), ...cacheOf(wire) };
}

function readResultPart(wire: JsonObject, place: Place): ResultPart {
  switch (wire["type"]) {
    case "text":
      return readText(wire, place.path);
    case "image":
      return readImage(wire, place.path);
    case "document":
      return readDocument(wire, place.path);
    case "search_result":
      return readSearchResult(wire, place);
    default:
      return foreign(wire, place.path);
  }
}

function readResult(wire: JsonObject, place: Place): ToolResultBlock {
  const content = wire["content"];
  const parts: ResultPart[] =
    typeof content === "string"
      ? content === ""
        ? []
        : [{ type: "text", text: content }]
      : objectsIn(content).map((part, index) =>
          readResultPart(part, { ...place, path: `${place.path}.content[${index}]` }),
        );
  return {
    type: "tool-result",
    callId: requiredText(wire, "tool_use_id", place.path),
    content: parts,
    isError: wire["is_error"] === true,
    ...cacheOf(wire),
  };
}

function readCall(wire: JsonObject, place: Place): Block {
  const signature = place.proof.call;
  place.proof.call = null;
  return {
    type: "tool-call",
    id: requiredText(wire, "id", place.path),
    name: requiredText(wire, "name", place.path),
    kind: "function",
    input: JSON.stringify(wire["input"] ?? {}),
    ...(signature === null ? {} : { signature }),
    ...cacheOf(wire),
  };
}

function readThinking(wire: JsonObject, place: Place): readonly Block[] {
  const text = requiredText(wire, "thinking", place.path);
  place.proof.call = callState(wire["signature"]) ?? place.proof.call;
  const signature = readSignature(wire["signature"], nativeOrigin);
  if (text === "" && signature === undefined) return [];
  return [{ type: "thinking", text, ...(signature ? { signature } : {}) }];
}

function readRedacted(wire: JsonObject, place: Place): readonly Block[] {
  const signature = readSignature(requiredText(wire, "data", place.path), nativeOrigin);
  return signature ? [{ type: "thinking", text: "", signature, redacted: true }] : [];
}

/** A tool that the server ran. The text around it contains the outcome; other dialects cannot replay it. */
const readServerWork: BlockReader = (_, place) => {
  place.extras.push({ path: place.path, rule: "warn" });
  return [];
};

const only =
  (role: string, read: BlockReader): BlockReader =>
  (wire, place) => {
    if (place.role === role) return read(wire, place);
    throw badValue(
      `${place.path}.type`,
      `Content blocks of type '${wire["type"]}' are not allowed in messages with the role '${place.role}'.`,
    );
  };

const readers = new Map<unknown, BlockReader>([
  ["text", (wire, place) => [readText(wire, place.path)]],
  ["image", (wire, place) => [readImage(wire, place.path)]],
  ["document", (wire, place) => [readDocument(wire, place.path)]],
  ["search_result", (wire, place) => [readSearchResult(wire, place)]],
  ["tool_use", only("assistant", (wire, place) => [readCall(wire, place)])],
  ["tool_result", only("user", (wire, place) => [readResult(wire, place)])],
  ["thinking", only("assistant", readThinking)],
  ["redacted_thinking", only("assistant", readRedacted)],
  ["server_tool_use", readServerWork],
  ["mcp_tool_use", readServerWork],
  ["mcp_tool_result", readServerWork],
  ["fallback", readServerWork],
]);

/** Blocks such as `web_search_tool_result` are matched by their suffix, so that new ones need no change. */
const serverResult = "_tool_result";

function readerOf(type: Json | undefined): BlockReader {
  const known = readers.get(type);
  if (known) return known;
  if (typeof type === "string" && type.endsWith(serverResult)) return readServerWork;
  return (wire, place) => [foreign(wire, place.path)];
}

/** The blocks of one message. */
export function readContent(content: Json | undefined, place: Omit<Place, "proof">): Block[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  const proof: Place["proof"] = { call: null };
  return objectsIn(content).flatMap((wire, index) =>
    readerOf(wire["type"])(wire, { ...place, proof, path: `${place.path}[${index}]` }),
  );
}

const isBlank = (text: string): boolean => text.trim() === "";

/** A text block. Blank text gives no block, because the API refuses it. */
export function textParts(text: string, more: JsonObject = {}): JsonObject[] {
  return isBlank(text) ? [] : [{ type: "text", text, ...more }];
}

/** Content of a user message or a tool result. Blocks that it cannot contain are refused by their path. */
export function renderPart(block: Block, context: RenderContext): JsonObject[] {
  switch (block.type) {
    case "text":
      return textParts(block.text, cacheControl(block.cache));
    case "refusal":
      return textParts(block.text);
    case "image":
      return [renderImage(block, context)];
    case "document":
      return [renderDocument(block, context)];
    case "foreign":
      if (block.origin === dialectName) return [block.wire];
      throw unsupported(block.path ?? context.fieldPath("messages"), "this content type is not supported");
    case "audio":
      throw unsupported(block.path ?? context.fieldPath("messages"), "audio input is not supported");
    case "thinking":
    case "tool-call":
    case "tool-result":
      return [];
  }
}

/** Assistant text, with the citations that this dialect wrote. */
export function renderAssistantText(block: TextBlock): JsonObject[] {
  const citations = citationsForUpstream(block.citations);
  return textParts(block.text, { ...(citations.length > 0 ? { citations } : {}), ...cacheControl(block.cache) });
}

export function renderResult(block: ToolResultBlock, context: RenderContext): JsonObject {
  const parts = block.content.flatMap((part) => renderPart(part, context));
  const [first] = parts;
  const isPlain = parts.length === 1 && first?.["type"] === "text" && Object.keys(first).length === 2;
  const content = isPlain ? first?.["text"] : parts;
  return {
    type: "tool_result",
    tool_use_id: cleanId(block.callId),
    ...(parts.length > 0 ? { content } : block.isError ? { content: "error" } : {}),
    ...(block.isError ? { is_error: true } : {}),
    ...cacheControl(block.cache),
  };
}
