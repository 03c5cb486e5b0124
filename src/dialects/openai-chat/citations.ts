// Citations: `annotations` of the whole message's text here, ranges within one text block in canon.
import type { Citation } from "../../canon/conversation.ts";
import { compact, isObject, type Json, type JsonObject } from "../../lib/json.ts";

function shifted(value: Json | undefined, by: number): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? Math.max(0, value + by) : undefined;
}

function parseAnnotation(annotation: Json, base: number): Citation | null {
  if (!isObject(annotation)) return null;
  const body = annotation.url_citation;
  if (!isObject(body) || typeof body.url !== "string") return { wire: annotation };
  const start = shifted(body.start_index, -base);
  const end = shifted(body.end_index, -base);
  return {
    url: body.url,
    ...(typeof body.title === "string" && body.title !== "" ? { title: body.title } : {}),
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
  };
}

/** The citations of a list of annotations. `base` is where the block's text begins in the message's. */
export function parseAnnotations(annotations: Json | undefined, base: number): Citation[] {
  if (!Array.isArray(annotations)) return [];
  return annotations.flatMap((annotation) => parseAnnotation(annotation, base) ?? []);
}

/** Annotations for citations that have an address; the others have no counterpart here. Without a range, the whole block. */
export function renderCitations(citations: readonly Citation[], base: number, length: number): JsonObject[] {
  return citations.flatMap(({ url, title, start, end }) => {
    if (url === undefined) return [];
    const range = { start_index: base + (start ?? 0), end_index: base + (end ?? length) };
    return [{ type: "url_citation", url_citation: compact({ ...range, title: title ?? "", url }) }];
  });
}
