// Citations: `annotations` of one text part, flat on this wire.
import type { Citation } from "../../canonical/chat.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { characterCount } from "../shared/json-accessors.ts";
import { readUrlCitation, urlCitationMembers } from "../shared/url-citations.ts";

/** Annotations that exist only in this dialect: they refer to files of its own storage. */
const ownTypes = new Set<Json | undefined>(["file_citation", "container_file_citation", "file_path"]);

/** The citations of a part. Those without a URL keep their shape. */
export function parseAnnotations(annotations: Json | undefined): Citation[] {
  if (!Array.isArray(annotations)) return [];
  return annotations.filter(isObject).map((annotation) => readUrlCitation(annotation, 0) ?? { wire: annotation });
}

/** The annotations of a text. Citations of other dialects without a URL have no counterpart. */
export function renderAnnotations(citations: readonly Citation[] | undefined, text: string): JsonObject[] {
  if (citations === undefined) return [];
  return citations.flatMap((citation) => {
    const members = urlCitationMembers(citation, 0, characterCount(text));
    if (members !== null) return [{ type: "url_citation", ...members }];
    return isObject(citation.wire) && ownTypes.has(citation.wire.type) ? [citation.wire] : [];
  });
}
