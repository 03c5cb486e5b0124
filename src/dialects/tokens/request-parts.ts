// The parts of a request that cost tokens or units: texts, media and tools, each once and without copies.
import type { Block, CacheHint, ChatRequest, MediaSource, Tool } from "../../canonical/chat.ts";
import type { EmbeddingRequest } from "../../canonical/embedding.ts";
import type { ImageRequest } from "../../canonical/image.ts";
import type { ModerationRequest } from "../../canonical/moderation.ts";
import type { OperationRequest } from "../../canonical/operation.ts";
import type { RankedDocument, RerankRequest } from "../../canonical/rerank.ts";
import type { BilledUnits } from "../../canonical/usage.ts";
import { type Dimensions, dimensionsOf, dimensionsOfBase64 } from "../../lib/image-size.ts";
import { type CacheWrites, cacheHintIn, cacheWritesOf, longerCache } from "../cost-fields.ts";
import { soundSeconds } from "../shared/audio-duration.ts";
import { soundOf } from "../shared/audio-format.ts";
import { characterCount } from "../shared/json-accessors.ts";
import { readDataUri } from "../shared/media.ts";

/** `size` is null where only a URL is known, or the bytes do not contain it. */
export interface ImagePart {
  readonly size: Dimensions | null;
  readonly detail: string | undefined;
}

/** A text, and how many times it is sent. */
export interface TextPart {
  readonly text: string;
  readonly times: number;
}

export interface RequestParts {
  readonly texts: readonly TextPart[];
  readonly images: readonly ImagePart[];
  readonly audioSeconds: number;
  readonly videoSeconds: number;
  /** Pages of documents other than text. */
  readonly pages: number;
  readonly messages: number;
  readonly tools: readonly Tool[];
  /** Tokens that the client counted itself. */
  readonly tokens: number;
  /** Whether the client requests prompt caching. */
  readonly cacheWrites: CacheWrites;
  /** Units other than tokens that follow from the request. */
  readonly units?: () => BilledUnits;
}

interface Gathering {
  readonly texts: TextPart[];
  readonly images: ImagePart[];
  audioSeconds: number;
  videoSeconds: number;
  pages: number;
  cacheWrites: CacheWrites;
}

const gathering = (): Gathering => ({
  texts: [],
  images: [],
  audioSeconds: 0,
  videoSeconds: 0,
  pages: 0,
  cacheWrites: "none",
});

/** The assumed length of media behind a URL. */
const unknownSeconds = 60;
const unknownPages = 8;
/** The assumed size of a page of a document whose pages cannot be counted. */
const bytesPerPage = 75_000;
/** Base64 of a document or recording to decode; more would block the event loop. */
const headChars = 512 * 1024;

const pageMarks = /\/Type\s*\/Page(?![a-zA-Z])/g;

/** Pages of a PDF by the page objects in its first part; by its size where these are compressed. */
function pagesOf(source: MediaSource): number {
  if (source.kind !== "bytes") return unknownPages;
  const { base64 } = source;
  const marks = Buffer.from(base64.slice(0, headChars), "base64").toString("latin1").match(pageMarks)?.length ?? 0;
  if (marks > 0) return Math.ceil(marks * Math.max(1, base64.length / headChars));
  return Math.max(1, Math.ceil((base64.length * 0.75) / bytesPerPage));
}

/** The maximum of compressed speech. */
const mostMp3BytesPerSecond = 40_000;

/**
 * The length of a recording. Of a long one only the first part is decoded; without a header, its bit rate gives the
 * rest.
 */
function secondsOf(source: MediaSource): number {
  if (source.kind !== "bytes") return unknownSeconds;
  const { base64 } = source;
  const head = Buffer.from(base64.slice(0, headChars), "base64");
  const seconds = soundSeconds(head);
  if (base64.length <= headChars) return seconds;
  const bytes = base64.length * 0.75;
  const format = soundOf(head);
  const isOfHead = format === "wav" || format === "aac" || bytes / seconds > mostMp3BytesPerSecond;
  return isOfHead ? seconds * (bytes / head.length) : seconds;
}

const addText = (into: Gathering, text: string, times = 1): void => {
  if (text !== "") into.texts.push({ text, times });
};

const sizeOf = (source: MediaSource): Dimensions | null =>
  source.kind === "bytes" ? dimensionsOfBase64(source.base64) : null;

function addDocument(into: Gathering, source: MediaSource): void {
  if (source.kind === "text") addText(into, source.text);
  else if (source.kind === "bytes" && source.mediaType.startsWith("text/"))
    addText(into, Buffer.from(source.base64, "base64").toString("utf8"));
  else if (source.kind === "bytes" && source.mediaType.startsWith("video/")) into.videoSeconds += secondsOf(source);
  else into.pages += pagesOf(source);
}

function addCache(into: Gathering, { cache }: { readonly cache?: CacheHint }): void {
  if (cache !== undefined) into.cacheWrites = longerCache(into.cacheWrites, cacheWritesOf(cache.wire));
}

function addBlock(into: Gathering, block: Block): void {
  if ("cache" in block) addCache(into, block);
  switch (block.type) {
    case "text":
    case "refusal":
    case "thinking":
      addText(into, block.text);
      return;
    case "tool-call":
      addText(into, block.name);
      addText(into, block.input);
      return;
    case "tool-result":
      for (const part of block.content) addBlock(into, part);
      return;
    case "image":
      into.images.push({ size: sizeOf(block.source), detail: block.detail });
      return;
    case "audio":
      into.audioSeconds += secondsOf(block.source);
      return;
    case "document":
      addDocument(into, block.source);
      return;
    case "foreign":
      addText(into, JSON.stringify(block.wire));
      addCache(into, cacheHintIn(block.wire));
  }
}

function partsOf(
  { texts, images, audioSeconds, videoSeconds, pages, cacheWrites }: Gathering,
  { messages = 0, tools = noTools, tokens = 0, units }: Partial<RequestParts> = {},
): RequestParts {
  const parts = { texts, images, audioSeconds, videoSeconds, pages, cacheWrites, messages, tools, tokens };
  return units === undefined ? parts : { ...parts, units };
}

const noTools: readonly Tool[] = [];

/** For a conversation of only texts and tools. */
export function textParts(texts: readonly string[], more: Pick<RequestParts, "messages" | "tools">): RequestParts {
  const into = gathering();
  for (const text of texts) addText(into, text);
  return partsOf(into, more);
}

function chatParts(request: ChatRequest): RequestParts {
  const { system, messages: turns, tools, format } = request;
  const into = gathering();
  addCache(into, request);
  for (const block of system) addBlock(into, block);
  for (const { blocks } of turns) for (const block of blocks) addBlock(into, block);
  for (const tool of tools)
    if (tool.kind !== "custom") addCache(into, tool.kind === "hosted" ? cacheHintIn(tool.wire) : tool);
  if (format?.type === "schema") addText(into, JSON.stringify(format.schema));
  return partsOf(into, { messages: turns.length + (system.length > 0 ? 1 : 0), tools });
}

function embedParts({ input }: EmbeddingRequest): RequestParts {
  const into = gathering();
  if (input.kind === "texts") for (const text of input.texts) addText(into, text);
  const tokens = input.kind === "tokens" ? input.tokens.reduce((sum, { length }) => sum + length, 0) : 0;
  return partsOf(into, { tokens });
}

const documentText = (document: RankedDocument): string =>
  typeof document === "string" ? document : JSON.stringify(document);

/** A rerank model reads the query once for each document. */
function rerankParts({ query, documents }: RerankRequest): RequestParts {
  const into = gathering();
  addText(into, documentText(query), documents.length);
  for (const document of documents) addText(into, documentText(document));
  return partsOf(into);
}

function moderateParts({ items }: ModerationRequest): RequestParts {
  const into = gathering();
  for (const part of items.flat()) {
    if (part.type === "text") addText(into, part.text);
    else into.images.push({ size: sizeOf(readDataUri(part.url) ?? { kind: "url", url: part.url }), detail: undefined });
  }
  return partsOf(into);
}

function imageParts({ prompt, negativePrompt, images, mask }: ImageRequest): RequestParts {
  const into = gathering();
  addText(into, prompt);
  addText(into, negativePrompt ?? "");
  for (const { source } of mask === undefined ? images : [...images, mask])
    into.images.push({ size: source.kind === "bytes" ? dimensionsOf(source.bytes) : null, detail: undefined });
  return partsOf(into);
}

/** The parts of a request that cost something. Only the first bytes of media are read. */
export function requestParts(request: OperationRequest): RequestParts {
  switch (request.operation) {
    case "chat":
      return chatParts(request);
    case "count":
      return chatParts(request.chat);
    case "embed":
      return embedParts(request);
    case "rerank":
      return rerankParts(request);
    case "moderate":
      return moderateParts(request);
    case "image":
      return imageParts(request);
    case "speak":
      return partsOf(gathering(), { units: () => ({ kind: "characters", amount: characterCount(request.input) }) });
    case "transcribe":
      return partsOf(gathering(), {
        units: () => ({ kind: "audioMs", amount: Math.round(soundSeconds(request.recording.bytes) * 1_000) }),
      });
  }
}
