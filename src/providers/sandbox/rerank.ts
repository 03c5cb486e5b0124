// The sandbox's ranking: documents by how many words they share with the query.
import type { RankedDocument, RerankRequest, RerankResponse } from "../../canonical/rerank.ts";
import { zeroUsage } from "../../canonical/usage.ts";
import { textVector } from "./embed.ts";
import { charsPerToken, refuseMany, refuseTokens, tokensIn } from "./limits.ts";

const mostDocuments = 1_000;

/** The text of a query or of a document, which may contain directives. */
export const textOf = (document: RankedDocument): string => {
  if (typeof document === "string") return document;
  return typeof document.text === "string" ? document.text : JSON.stringify(document);
};

/** The cosine of two unit vectors, from 0 (nothing in common) to 1. */
function likeness(left: readonly number[], right: readonly number[]): number {
  const cosine = left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0);
  return Math.min(Math.max(cosine, 0), 1);
}

/** Characters per step. */
const stepChars = 4_096;

/**
 * Best first; ties keep their order. In steps of a few milliseconds. Throws `invalid_value` above the sandbox's
 * limits.
 */
export function* rerankReply(request: RerankRequest): Generator<void, RerankResponse> {
  refuseMany(request.documents.length, mostDocuments, "documents", "documents");
  const texts = request.documents.map(textOf);
  refuseTokens(texts.map(tokensIn), "documents");
  refuseTokens([tokensIn(textOf(request.query))], "query");
  const query = textVector(textOf(request.query));
  const scored: RerankResponse["results"][number][] = [];
  let chars = 0;
  for (const [index, text] of texts.entries()) {
    scored.push({ index, score: likeness(query, textVector(text)) });
    chars += text.length;
    if (chars < stepChars) continue;
    chars = 0;
    yield;
  }
  const characters = texts.reduce((sum, text) => sum + text.length, textOf(request.query).length * texts.length);
  return {
    operation: "rerank",
    id: "sandbox",
    model: `sandbox/${request.model}`,
    results: scored.sort((left, right) => right.score - left.score).slice(0, request.top),
    usage: { ...zeroUsage, inputTokens: Math.ceil(characters / charsPerToken) },
  };
}
