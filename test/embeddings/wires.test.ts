// What each upstream is asked, word for word, and where: paths, names of fields, and nothing that it would refuse.
import { describe, expect, test } from "bun:test";
import type { EmbeddingRequest } from "../../src/canonical/embedding.ts";
import type { Dialect } from "../../src/dialects/dialect.ts";
import {
  cohereEmbeddings,
  dashscopeEmbeddings,
  geminiBatchEmbeddings,
  jinaEmbeddings,
  ollamaEmbeddings,
  openaiEmbeddings,
  teiEmbeddings,
  vertexEmbeddings,
  voyageEmbeddings,
} from "../../src/dialects/index.ts";
import { findKind } from "../../src/providers/index.ts";
import { embedReply, textVector } from "../../src/providers/sandbox/embed.ts";
import { renderContextOf } from "../support/laws.ts";

const bare: EmbeddingRequest = {
  operation: "embed",
  model: "m",
  stream: false,
  input: { kind: "texts", texts: ["a", "b"] },
  format: "float",
  unmappedFields: [],
};
const full: EmbeddingRequest = {
  ...bare,
  format: "base64",
  dimensions: 256,
  purpose: "query",
  title: "T",
  endUser: "u",
};

const rendered = (dialect: unknown, request: EmbeddingRequest) => {
  const known = dialect as Dialect;
  const { call, warnings } = known.request.render(request, renderContextOf(known, { model: "m" }));
  return { ...call, lost: warnings.map(({ path }) => path).sort() };
};

const rows: [name: string, dialect: unknown, path: string, bare: object, full: object, lost: string[]][] = [
  [
    "openai",
    openaiEmbeddings,
    "embeddings",
    { model: "m", input: ["a", "b"], encoding_format: "float" },
    { model: "m", input: ["a", "b"], encoding_format: "base64", dimensions: 256, user: "u" },
    ["input_type", "title"],
  ],
  [
    "gemini",
    geminiBatchEmbeddings,
    "v1beta/models/m:batchEmbedContents",
    { requests: ["a", "b"].map((text) => ({ model: "models/m", content: { parts: [{ text }] } })) },
    {
      requests: ["a", "b"].map((text) => ({
        model: "models/m",
        content: { parts: [{ text }] },
        taskType: "RETRIEVAL_QUERY",
        title: "T",
        outputDimensionality: 256,
      })),
    },
    ["endUser"],
  ],
  [
    "vertex",
    vertexEmbeddings,
    "v1beta/models/m:predict",
    { instances: [{ content: "a" }, { content: "b" }], parameters: {} },
    {
      instances: ["a", "b"].map((content) => ({ content, task_type: "RETRIEVAL_QUERY", title: "T" })),
      parameters: { outputDimensionality: 256 },
    },
    ["endUser"],
  ],
  [
    "cohere",
    cohereEmbeddings,
    "v2/embed",
    { model: "m", texts: ["a", "b"], input_type: "search_document", embedding_types: ["float"] },
    { model: "m", texts: ["a", "b"], input_type: "search_query", embedding_types: ["float"], output_dimension: 256 },
    ["endUser", "title"],
  ],
  [
    "jina",
    jinaEmbeddings,
    "embeddings",
    { model: "m", input: ["a", "b"], embedding_type: "float" },
    { model: "m", input: ["a", "b"], task: "retrieval.query", dimensions: 256, embedding_type: "base64" },
    ["endUser", "title"],
  ],
  [
    "voyage",
    voyageEmbeddings,
    "embeddings",
    { model: "m", input: ["a", "b"] },
    { model: "m", input: ["a", "b"], input_type: "query", output_dimension: 256, encoding_format: "base64" },
    ["endUser", "title"],
  ],
  [
    "dashscope",
    dashscopeEmbeddings,
    "api/v1/services/embeddings/text-embedding/text-embedding",
    { model: "m", input: { texts: ["a", "b"] }, parameters: {} },
    { model: "m", input: { texts: ["a", "b"] }, parameters: { text_type: "query", dimension: 256 } },
    ["endUser", "title"],
  ],
  [
    "ollama",
    ollamaEmbeddings,
    "api/embed",
    { model: "m", input: ["a", "b"] },
    { model: "m", input: ["a", "b"], dimensions: 256 },
    ["endUser", "purpose", "title"],
  ],
  [
    "tei",
    teiEmbeddings,
    "embed",
    { inputs: ["a", "b"], normalize: true },
    { inputs: ["a", "b"], normalize: true, dimensions: 256 },
    ["endUser", "purpose", "title"],
  ],
];

test.each(rows)("%s", (_, dialect, path, small, large, lost) => {
  expect(rendered(dialect, bare)).toEqual({ path, body: small as never, lost: [] });
  expect(rendered(dialect, full)).toEqual({ path, body: large as never, lost });
});

describe("providers whose own API lies beside the compatible one", () => {
  const place = (kind: string, baseUrl: string, path: string) => {
    const access = findKind(kind)?.access?.({ baseUrl, credential: null });
    return `${access?.baseUrl}/${access?.rewritePath?.({ path, body: {} }, openaiEmbeddings as never).path}`;
  };
  const dash = "https://dashscope-intl.aliyuncs.com/compatible-mode/v1";
  test.each([
    ["dashscope", dash, "chat/completions", `${dash}/chat/completions`],
    ["dashscope", dash, "api/v1/x", "https://dashscope-intl.aliyuncs.com/api/v1/x"],
    ["dashscope", "https://relay.example/ds", "chat/completions", "https://relay.example/ds/chat/completions"],
    ["dashscope", "https://relay.example/ds", "api/v1/x", "https://relay.example/ds/api/v1/x"],
    ["ollama", "http://127.0.0.1:11434/v1", "chat/completions", "http://127.0.0.1:11434/v1/chat/completions"],
    ["ollama", "http://127.0.0.1:11434", "chat/completions", "http://127.0.0.1:11434/v1/chat/completions"],
    ["ollama", "http://127.0.0.1:11434/v1/", "api/embed", "http://127.0.0.1:11434/api/embed"],
    ["ollama", "http://box.example/llm/v1", "api/embed", "http://box.example/llm/api/embed"],
  ])("%s at %s: %s", (kind, baseUrl, path, url) => {
    expect(place(kind, baseUrl, path)).toBe(url);
  });

  test("lists of models", () => {
    const ids = (kind: string, body: unknown) =>
      findKind(kind)
        ?.listing?.read(body)
        .map(({ id }) => id);
    expect(ids("cohere", { models: [{ name: "embed-v4.0", endpoints: ["embed"] }, {}] })).toEqual(["embed-v4.0"]);
    expect(ids("tei", { model_id: "BAAI/bge-m3", max_client_batch_size: 32 })).toEqual(["BAAI/bge-m3"]);
    expect(ids("tei", [])).toEqual([]);
  });
});

describe("the sandbox", () => {
  const cosine = (left: readonly number[], right: readonly number[]) =>
    left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
  const near = (left: string, right: string, dimensions?: number) =>
    cosine(textVector(left, dimensions), textVector(right, dimensions));

  test.each([1, 2, 3, 64, 256, 1536, 3072, 16_384])("%d dimensions of unit length, always the same", (dimensions) => {
    for (const text of ["", "a", "The red house.", "日本語のテキスト"]) {
      const vector = textVector(text, dimensions);
      expect(vector).toHaveLength(dimensions);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 9);
      expect(textVector(text, dimensions)).toEqual(vector);
    }
  });

  const sentence = "The cat sat quietly on the old red sofa.";
  const likeness = [
    "the cat sat quietly on the old red sofa",
    "The cat sat on the red sofa, quietly.",
    "Cats sit on sofas.",
    "Quarterly revenue grew in emerging markets.",
  ];
  test.each([undefined, 128, 1536])("likeness falls from row to row (%p dimensions)", (dimensions) => {
    const scores = likeness.map((other) => near(sentence, other, dimensions));
    expect(scores[0]).toBeCloseTo(1, 9);
    expect([...scores].sort((left, right) => right - left)).toEqual(scores);
    expect(scores[1]).toBeGreaterThan((scores[3] ?? 1) + 0.4);
  });

  test("words that are nearly the same are nearer than others", () => {
    expect(near("embedding", "embeddings")).toBeGreaterThan(near("embedding", "gardener") + 0.2);
  });

  test("more dimensions than anybody has are refused", () => {
    expect(() => [...embedReply({ ...bare, dimensions: 16_385 })]).toThrow("at most 16384 dimensions");
  });
});
