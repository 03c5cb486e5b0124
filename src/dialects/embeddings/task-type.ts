// What vectors are for, in the words of each maker: models that tell queries from documents make other vectors for each.
import type { EmbeddingRequest, EmbeddingTask } from "../../canonical/embedding.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import { type Warnings, warnField } from "../shared/warnings.ts";

/** How one wire says it. */
export interface Vocabulary {
  readonly field: string;
  readonly words: { readonly [purpose in EmbeddingTask]?: string };
  /** Purposes that have no word of their own, and whose word comes nearest. */
  readonly near?: { readonly [purpose in EmbeddingTask]?: EmbeddingTask };
  /** Said where nothing was asked, on wires that must say something. */
  readonly otherwise?: EmbeddingTask;
}

const asksSomething = { question: "query", fact: "query" } as const;

/** https://ai.google.dev/gemini-api/docs/embeddings#supported-task-types */
export const google = {
  query: "RETRIEVAL_QUERY",
  document: "RETRIEVAL_DOCUMENT",
  similarity: "SEMANTIC_SIMILARITY",
  classification: "CLASSIFICATION",
  clustering: "CLUSTERING",
  question: "QUESTION_ANSWERING",
  fact: "FACT_VERIFICATION",
  code: "CODE_RETRIEVAL_QUERY",
} as const satisfies Vocabulary["words"];

export const vocabularies = {
  gemini: { field: "taskType", words: google },
  vertex: { field: "task_type", words: google },
  cohere: {
    field: "input_type",
    words: {
      query: "search_query",
      document: "search_document",
      classification: "classification",
      clustering: "clustering",
    },
    near: { ...asksSomething, code: "query", similarity: "document" },
    otherwise: "document",
  },
  jina: {
    field: "task",
    words: {
      query: "retrieval.query",
      document: "retrieval.passage",
      similarity: "text-matching",
      classification: "classification",
      clustering: "separation",
      code: "code.query",
    },
    near: asksSomething,
  },
  voyage: {
    field: "input_type",
    words: { query: "query", document: "document" },
    near: { ...asksSomething, code: "query" },
  },
  dashscope: {
    field: "text_type",
    words: { query: "query", document: "document" },
    near: { ...asksSomething, code: "query" },
  },
} as const satisfies Readonly<Record<string, Vocabulary>>;

const purposeByWord = new Map<string, EmbeddingTask>(
  [...Object.values(vocabularies)].flatMap(({ words }) =>
    Object.entries(words).map(([purpose, word]) => [word.toLowerCase(), purpose as EmbeddingTask] as const),
  ),
);

/** The purpose behind a word of any maker. */
export function purposeOf(word: Json | undefined): EmbeddingTask | undefined {
  return typeof word === "string" ? purposeByWord.get(word.toLowerCase()) : undefined;
}

/** The purpose on a wire, as a member of an ask. */
export function readPurpose(word: Json | undefined): { purpose?: EmbeddingTask } {
  const purpose = purposeOf(word);
  return purpose === undefined ? {} : { purpose };
}

/** The purpose of an ask as a member of the wire; what cannot be said is noted. */
export function renderPurpose({ purpose }: EmbeddingRequest, vocabulary: Vocabulary, warnings: Warnings): JsonObject {
  const { field, words, near, otherwise } = vocabulary;
  const fallback = otherwise === undefined ? {} : { [field]: words[otherwise] };
  if (purpose === undefined) return fallback;
  const own = words[purpose];
  if (own !== undefined) return { [field]: own };
  const nearest = near?.[purpose];
  warnField(warnings, nearest === undefined ? "dropped" : "approximated", "purpose");
  return nearest === undefined ? fallback : { [field]: words[nearest] };
}
