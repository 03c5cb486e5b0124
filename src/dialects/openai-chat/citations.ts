// Citations: `annotations` of the whole message's text here, ranges within one text block in canon.
import type { Citation } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { readUrlCitation, urlCitationMembers } from "../shared/url-citations.ts";

function parseAnnotation(annotation: Json, base: number): Citation | null {
  if (!isObject(annotation)) return null;
  const body = annotation.url_citation;
  return (isObject(body) ? readUrlCitation(body, base) : null) ?? { wire: annotation };
}

/** The citations of a list of annotations. `base` is where the block's text begins in the message's. */
export function parseAnnotations(annotations: Json | undefined, base: number): Citation[] {
  if (!Array.isArray(annotations)) return [];
  return annotations.flatMap((annotation) => parseAnnotation(annotation, base) ?? []);
}

/** Annotations for citations that have an address; the others have no counterpart here. Without a range, the whole block. */
export function renderCitations(citations: readonly Citation[], base: number, length: number): JsonObject[] {
  return citations.flatMap((citation) => {
    const body = urlCitationMembers(citation, base, length);
    return body === null ? [] : [{ type: "url_citation", url_citation: body }];
  });
}
