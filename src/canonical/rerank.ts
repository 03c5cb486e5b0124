// The canonical ranking request and reply: documents in the order in which they answer a query.
import type { Json, JsonObject } from "../lib/json.ts";
import type { Usage } from "./usage.ts";
import type { UnmappedField } from "./warning.ts";

/** A text, or an object as the client wrote it: `{text}`, `{image}` or fields of its own. */
export type RankedDocument = string | JsonObject;

/** Wishes that some rankers know, by the name that all clients give them. */
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
  /** At least one. They stay here: nobody has to send them back. */
  readonly documents: readonly RankedDocument[];
  /** How many results are wanted: from 1 to the number of documents. */
  readonly top: number;
  readonly returnDocuments: boolean;
  readonly options: { readonly [option in RerankOption]?: Json };
  readonly unmappedFields: readonly UnmappedField[];
}

/** `index` counts the client's documents. Scores of different models do not compare, and may be negative. */
export interface RankedResult {
  readonly index: number;
  readonly score: number;
}

export interface RerankResponse {
  readonly operation: "rerank";
  /** Empty where the upstream gave none. */
  readonly id: string;
  readonly model: string;
  /** Best first, and no more than were asked for. */
  readonly results: readonly RankedResult[];
  readonly usage?: Usage;
}
