// Citations: those of this dialect keep their own shape, those with a URL can be written in any dialect.
import type { Citation } from "../../canonical/chat.ts";
import { unwrapProviderState, wrapProviderState } from "../../canonical/provider-state.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { objectsIn } from "./wire-members.ts";

const ownTypes = new Set<unknown>([
  "char_location",
  "page_location",
  "content_block_location",
  "web_search_result_location",
  "search_result_location",
]);

/** Marks an index that the gateway made up. It is removed before an upstream could see it. */
const madeUp = "none";

/** Whether the gateway wrote this citation for a source of another provider. */
export function isMadeUpCitation(wire: Json | undefined): boolean {
  const index = isObject(wire) ? wire["encrypted_index"] : undefined;
  return typeof index === "string" && unwrapProviderState(index) !== null;
}

function text(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function readCitation(wire: JsonObject): Citation {
  const url = text(wire["url"]);
  const title = text(wire["title"]) ?? text(wire["document_title"]);
  const quote = text(wire["cited_text"]);
  return {
    ...(url ? { url } : {}),
    ...(title ? { title } : {}),
    ...(quote ? { quote } : {}),
    ...(isMadeUpCitation(wire) ? {} : { wire }),
  };
}

export function readCitations(wire: Json | undefined): { readonly citations?: readonly Citation[] } {
  const citations = objectsIn(wire).map(readCitation);
  return citations.length > 0 ? { citations } : {};
}

/** The citation as this dialect wrote it; null for a citation of another dialect. */
function ownCitation(citation: Citation): JsonObject | null {
  const { wire } = citation;
  return isObject(wire) && ownTypes.has(wire["type"]) ? wire : null;
}

/** Citations for an upstream: only those of this dialect. */
export function citationsForUpstream(citations: readonly Citation[] | undefined): JsonObject[] {
  return (citations ?? []).map(ownCitation).filter((wire) => wire !== null);
}

/** Citations for a client: those of this dialect unchanged, others as a web source if they have a URL. */
export function citationsForClient(citations: readonly Citation[] | undefined): JsonObject[] {
  return (citations ?? []).map((each) => ownCitation(each) ?? webSource(each)).filter((wire) => wire !== null);
}

function webSource(citation: Citation): JsonObject | null {
  if (citation.url === undefined) return null;
  return {
    type: "web_search_result_location",
    url: citation.url,
    title: citation.title ?? null,
    cited_text: citation.quote ?? "",
    encrypted_index: wrapProviderState({ origin: madeUp, data: citation.url }),
  };
}
