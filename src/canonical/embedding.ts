// The canonical embedding request and reply.

import type { Usage } from "./usage.ts";
import type { UnmappedField } from "./warning.ts";

/** Texts, or token ids of one tokenizer that only its own provider understands. */
export type EmbeddingInput =
  | { readonly kind: "texts"; readonly texts: readonly string[] }
  | { readonly kind: "tokens"; readonly tokens: readonly (readonly number[])[] };

/** What the vectors are for, where a model makes different ones for it. */
export type EmbeddingTask =
  | "query"
  | "document"
  | "similarity"
  | "classification"
  | "clustering"
  | "question"
  | "fact"
  | "code";

export interface EmbeddingRequest {
  readonly operation: "embed";
  readonly model: string;
  readonly stream: false;
  readonly input: EmbeddingInput;
  readonly dimensions?: number;
  /** How the caller wants each vector: numbers, or base64 of little-endian float32. */
  readonly format: "float" | "base64";
  /** Set where the caller counts on vectors of length one, whatever the model gives. */
  readonly unit?: true;
  readonly purpose?: EmbeddingTask;
  /** Of the document that all texts belong to. */
  readonly title?: string;
  readonly endUser?: string;
  readonly unmappedFields: readonly UnmappedField[];
}

/** A vector as it came: numbers, or base64 of little-endian float32. */
export type Vector = readonly number[] | string;

export interface EmbeddingResponse {
  readonly operation: "embed";
  /** Empty where the upstream does not name it. */
  readonly model: string;
  /** In the order of the input. */
  readonly vectors: readonly Vector[];
  readonly usage?: Usage;
}

/** How many vectors an ask wants. */
export function itemsOf({ input }: Pick<EmbeddingRequest, "input">): number {
  return input.kind === "texts" ? input.texts.length : input.tokens.length;
}
