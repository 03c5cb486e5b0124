// Citations: here `annotations` refer to the whole message's text, in the canonical model to one text block.
import type { Citation } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { readUrlCitation, urlCitationMembers } from "../shared/url-citations.ts";

function parseAnnotation(annotation: Json, base: number): Citation | null {
  if (!isObject(annotation)) return null;
  const body = annotation.url_citation;
  return (isObject(body) ? readUrlCitation(body, base) : null) ?? { wire: annotation };
}

/** The citations of a list of annotations. `base` is the offset of the block's text in the message. */
export function parseAnnotations(annotations: Json | undefined, base: number): Citation[] {
  if (!Array.isArray(annotations)) return [];
  return annotations.flatMap((annotation) => parseAnnotation(annotation, base) ?? []);
}

/** Annotations for citations with a URL; others have no counterpart here. Without a range, the whole block. */
export function renderCitations(citations: readonly Citation[], base: number, length: number): JsonObject[] {
  return citations.flatMap((citation) => {
    const body = urlCitationMembers(citation, base, length);
    return body === null ? [] : [{ type: "url_citation", url_citation: body }];
  });
}
