// The canonical embedding request and reply.

import type { Usage } from "./usage.ts";
import type { UnmappedField } from "./warning.ts";

/** Texts, or token ids that only their own provider understands. */
export type EmbeddingInput =
  | { readonly kind: "texts"; readonly texts: readonly string[] }
  | { readonly kind: "tokens"; readonly tokens: readonly (readonly number[])[] };

/** The purpose of the vectors, for models that return different ones for it. */
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
  /** The requested format of each vector: numbers, or Base64 of little-endian float32. */
  readonly format: "float" | "base64";
  /** Set where the client relies on vectors of unit length, whatever the model returns. */
  readonly unit?: true;
  readonly purpose?: EmbeddingTask;
  /** The title of the document that all texts belong to. */
  readonly title?: string;
  readonly endUser?: string;
  readonly unmappedFields: readonly UnmappedField[];
}

/** A vector as it was received: numbers, or Base64 of little-endian float32. */
export type Vector = readonly number[] | string;

export interface EmbeddingResponse {
  readonly operation: "embed";
  /** Empty if the upstream did not return it. */
  readonly model: string;
  /** In the order of the input. */
  readonly vectors: readonly Vector[];
  readonly usage?: Usage;
}

/** The number of requested vectors. */
export function itemsOf({ input }: Pick<EmbeddingRequest, "input">): number {
  return input.kind === "texts" ? input.texts.length : input.tokens.length;
}
