// The purpose of vectors in each vendor's terms: some models return different vectors for queries and documents.
import type { EmbeddingTask } from "../../canonical/embedding.ts";
import type { Json } from "../../lib/json.ts";
import { dropped } from "../field-table.ts";
import { warnField } from "../shared/warnings.ts";
import type { EmbeddingSetting } from "./fields.ts";

/** The purposes of one wire format. */
interface Vocabulary {
  readonly words: { readonly [purpose in EmbeddingTask]?: string };
  /** Purposes without an exact value, and the nearest ones. */
  readonly near?: { readonly [purpose in EmbeddingTask]?: EmbeddingTask };
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
  google: { words: google },
  cohere: {
    words: {
      query: "search_query",
      document: "search_document",
      classification: "classification",
      clustering: "clustering",
    },
    near: { ...asksSomething, code: "query", similarity: "document" },
  },
  jina: {
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
    words: { query: "query", document: "document" },
    near: { ...asksSomething, code: "query" },
  },
  dashscope: {
    words: { query: "query", document: "document" },
    near: { ...asksSomething, code: "query" },
  },
} as const satisfies Readonly<Record<string, Vocabulary>>;

const purposeByWord = new Map<string, EmbeddingTask>(
  [...Object.values(vocabularies)].flatMap(({ words }) =>
    Object.entries(words).map(([purpose, word]) => [word.toLowerCase(), purpose as EmbeddingTask] as const),
  ),
);

/** The purpose for a value of any vendor. */
export function purposeOf(word: Json | undefined): EmbeddingTask | undefined {
  return typeof word === "string" ? purposeByWord.get(word.toLowerCase()) : undefined;
}

/** The row of the purpose for a format with these values. */
export function purposeAt(path: string, { words, near = {} }: Vocabulary) {
  return {
    path,
    limit: (_setting: EmbeddingSetting, purpose: EmbeddingTask) =>
      (words[purpose] ?? near[purpose]) === undefined ? dropped("the format has no such task type") : undefined,
    render(purpose: EmbeddingTask, { warnings }: EmbeddingSetting): string | undefined {
      const nearest = near[purpose];
      if (words[purpose] !== undefined || nearest === undefined) return words[purpose];
      warnField(warnings, "approximated", "purpose");
      return words[nearest];
    },
  };
}
