// Grounding and recitation: this wire uses byte ranges of a part, the canonical model character ranges of a text.
import type { Citation } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject, omitUndefined } from "../../lib/json.ts";
import { objectsIn } from "../shared/json-accessors.ts";

/** A text that citations may refer to, and the byte offset of each part of the wire, by its index. */
interface CitedText {
  readonly text: string;
  readonly partStarts: readonly (number | undefined)[];
}

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;

/** The number of characters that start before the byte offset `end`. */
function characterAt(bytes: Uint8Array, end: number): number {
  let count = 0;
  for (let at = 0; at < Math.min(end, bytes.length); at++) if (!isContinuation(bytes[at] ?? 0)) count++;
  return count;
}

const whole = (value: Json | undefined): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : undefined;

/**
 * The byte offset at which the part of a segment starts. Offsets count from there, in some streams from the start of
 * the text. The segment's text decides which; null: it matches neither.
 */
function baseOf(segment: JsonObject, bytes: Buffer, cited: CitedText): number | null {
  const start = whole(segment.startIndex) ?? 0;
  const partBase = cited.partStarts[whole(segment.partIndex) ?? 0] ?? 0;
  const words = typeof segment.text === "string" ? segment.text : "";
  if (words === "") return partBase;
  const length = Buffer.byteLength(words);
  const isAt = (base: number): boolean => bytes.toString("utf8", base + start, base + start + length) === words;
  const base = [partBase, 0].find(isAt);
  if (base !== undefined) return base;
  const found = bytes.indexOf(words);
  return found < 0 ? null : found - start;
}

function rangeOf(segment: Json | undefined, bytes: Buffer, cited: CitedText): Pick<Citation, "start" | "end"> {
  const end = isObject(segment) ? whole(segment.endIndex) : undefined;
  if (!isObject(segment) || end === undefined) return {};
  const base = baseOf(segment, bytes, cited);
  if (base === null) return {};
  const start = whole(segment.startIndex) ?? 0;
  return { start: characterAt(bytes, base + start), end: characterAt(bytes, base + end) };
}

function sourceOf(source: Json | undefined): Pick<Citation, "url" | "title"> | null {
  if (!isObject(source) || typeof source.uri !== "string" || source.uri === "") return null;
  return {
    url: source.uri,
    ...(typeof source.title === "string" && source.title !== "" ? { title: source.title } : {}),
  };
}

/** The source of a grounding chunk, from any kind of search. */
function chunkSource(chunk: Json | undefined): Pick<Citation, "url" | "title"> | null {
  if (!isObject(chunk)) return null;
  return sourceOf(chunk.web) ?? sourceOf(chunk.retrievedContext) ?? sourceOf(chunk.maps);
}

function fromGrounding(grounding: Json | undefined, bytes: Buffer, cited: CitedText): Citation[] {
  if (!isObject(grounding)) return [];
  const chunks = Array.isArray(grounding.groundingChunks) ? grounding.groundingChunks : [];
  return objectsIn(grounding.groundingSupports).flatMap((support) => {
    const range = rangeOf(support.segment, bytes, cited);
    const indices = Array.isArray(support.groundingChunkIndices) ? support.groundingChunkIndices : [];
    return indices.flatMap((index): Citation[] => {
      const source = typeof index === "number" ? chunkSource(chunks[index]) : null;
      return source === null ? [] : [{ ...source, ...range }];
    });
  });
}

function fromRecitation(metadata: Json | undefined, bytes: Buffer, cited: CitedText): Citation[] {
  if (!isObject(metadata)) return [];
  return objectsIn(metadata.citationSources ?? metadata.citations).flatMap((source): Citation[] => {
    const known = sourceOf(source);
    return known === null ? [] : [{ ...known, ...rangeOf(source, bytes, cited) }];
  });
}

/** The citations of a candidate over all its chunks. */
export function readCitations(grounding: Json | undefined, recitation: Json | undefined, cited: CitedText): Citation[] {
  if (grounding === undefined && recitation === undefined) return [];
  const bytes = Buffer.from(cited.text);
  return [...fromGrounding(grounding, bytes, cited), ...fromRecitation(recitation, bytes, cited)];
}

/** The text of a part of the reply, and its citations. */
export interface CitingText {
  readonly text: string;
  readonly citations: readonly Citation[];
  readonly partIndex: number;
}

function support(citation: Citation, chunk: number, citing: CitingText, characters: readonly string[]): JsonObject {
  const before = characters.slice(0, citation.start ?? 0).join("");
  const upTo = characters.slice(0, citation.end ?? characters.length).join("");
  const segment = omitUndefined({
    partIndex: citing.partIndex === 0 ? undefined : citing.partIndex,
    startIndex: Buffer.byteLength(before) || undefined,
    endIndex: Buffer.byteLength(upTo),
    text: upTo.slice(before.length),
  });
  return { segment, groundingChunkIndices: [chunk] };
}

/** `groundingMetadata` for the citations with a URL; undefined without any. */
export function writeGrounding(texts: readonly CitingText[]): JsonObject | undefined {
  const chunks: JsonObject[] = [];
  const supports: JsonObject[] = [];
  for (const citing of texts) {
    const characters = Array.from(citing.text);
    for (const citation of citing.citations) {
      if (citation.url === undefined) continue;
      supports.push(support(citation, chunks.length, citing, characters));
      chunks.push({ web: { uri: citation.url, title: citation.title ?? "" } });
    }
  }
  return chunks.length === 0 ? undefined : { groundingChunks: chunks, groundingSupports: supports };
}
