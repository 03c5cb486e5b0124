// The canonical rerank request and reply: documents ordered by relevance to a query.
import type { Json, JsonObject } from "../lib/json.ts";
import type { Usage } from "./usage.ts";
import type { UnmappedField } from "./warning.ts";

/** A text, or an object as the client sent it: `{text}`, `{image}` or fields of its own. */
export type RankedDocument = string | JsonObject;

/** Options that some rerank models support, by the name that all clients use. */
export type RerankOption =
  | "rank_fields"
  | "max_chunks_per_doc"
  | "max_tokens_per_doc"
  | "overlap_tokens"
  | "instruction"
  | "truncation"
  | "priority";

export interface RerankRequest {
  readonly operation: "rerank";
  readonly model: string;
  readonly stream: false;
  readonly query: RankedDocument;
  /** At least one. Replies refer to them by index. */
  readonly documents: readonly RankedDocument[];
  /** The number of requested results: from 1 to the number of documents. */
  readonly top: number;
  readonly returnDocuments: boolean;
  readonly options: { readonly [option in RerankOption]?: Json };
  readonly unmappedFields: readonly UnmappedField[];
}

/** `index` refers to the client's documents. Scores of different models do not compare, and may be negative. */
export interface RankedResult {
  readonly index: number;
  readonly score: number;
}

export interface RerankResponse {
  readonly operation: "rerank";
  /** Empty if the upstream returned none. */
  readonly id: string;
  readonly model: string;
  /** Best first, at most the requested number. */
  readonly results: readonly RankedResult[];
  readonly usage?: Usage;
}
