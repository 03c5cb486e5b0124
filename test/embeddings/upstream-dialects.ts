// Upstreams of every embedding dialect on one socket: each reads its own request and gives a vector made of each text.
import { afterAll, beforeEach } from "bun:test";
import { at, list } from "../support/chat-stream-reader.ts";
import { gateway, type RunningGateway } from "../support/gateway.ts";
import type { Reply } from "../support/sample-responses.ts";
import { type Line, type Upstream, upstream } from "../support/upstream.ts";

/** One kind of provider, and how a server of it reads and answers. */
export interface Far {
  kind: string;
  /** Below the upstream's address. */
  base: string;
  /** More lines of its configuration. */
  more?: string;
  path: string;
  /** Items of one call. */
  most: number;
  /** Whether its answers tell usage. */
  counts: boolean;
  texts(body: unknown): string[];
  dimensions(body: unknown): unknown;
  purpose(body: unknown): unknown;
  reply(vectors: number[][], tokens: number, body: unknown): unknown;
}

/** A vector that is known by its text: `t17` gives 17 first. All values are exact in float32. */
export const vectorOf = (text: string): number[] => [Number(/\d+/.exec(text)?.[0] ?? 1), 0.5, -1, 0.25];
export const tokensOf = (texts: string[]): number => 3 * texts.length;
export const texts = (count: number): string[] => Array.from({ length: count }, (_, index) => `t${index}`);

const strings = (value: unknown): string[] => [value].flat() as string[];
const openaiShape = (count: (tokens: number) => object) => (vectors: number[][], tokens: number) => ({
  object: "list",
  model: "m",
  data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
  usage: count(tokens),
});
/** Out of order: the index is what counts. */
const mixed =
  (reply: Far["reply"]): Far["reply"] =>
  (vectors, tokens, body) => {
    const shaped = reply(vectors, tokens, body) as { data: unknown[] };
    return { ...shaped, data: shaped.data.reverse() };
  };
const openai = {
  path: "/v1/embeddings",
  counts: true,
  texts: (body: unknown) => strings(at(body, "input")),
  dimensions: (body: unknown) => at(body, "dimensions"),
  purpose: () => undefined,
  reply: openaiShape((tokens) => ({ prompt_tokens: tokens, total_tokens: tokens })),
};
const googleRequests = (body: unknown) => list(at(body, "requests"));

export const fars: Far[] = [
  { ...openai, kind: "openai", base: "/v1", most: 2048 },
  { ...openai, kind: "siliconflow", base: "/v1", most: 32 },
  { ...openai, kind: "tei", base: "", most: 32 },
  { ...openai, kind: "mistral", base: "/v1", most: 2048, dimensions: (body) => at(body, "output_dimension") },
  {
    kind: "gemini",
    base: "",
    path: "/v1beta/models/m:batchEmbedContents",
    most: 100,
    counts: false,
    texts: (body) =>
      googleRequests(body).map((request) => String(at(list(at(at(request, "content"), "parts"))[0], "text"))),
    dimensions: (body) => at(googleRequests(body)[0], "outputDimensionality"),
    purpose: (body) => at(googleRequests(body)[0], "taskType"),
    reply: (vectors) => ({ embeddings: vectors.map((values) => ({ values })) }),
  },
  {
    kind: "vertex",
    base: "",
    more: "credential: token, project: p, location: us-east5",
    path: "/v1beta1/projects/p/locations/us-east5/publishers/google/models/m:predict",
    most: 250,
    counts: true,
    texts: (body) => list(at(body, "instances")).map((instance) => String(at(instance, "content"))),
    dimensions: (body) => at(at(body, "parameters"), "outputDimensionality"),
    purpose: (body) => at(list(at(body, "instances"))[0], "task_type"),
    reply: (vectors) => ({
      predictions: vectors.map((values) => ({
        embeddings: { values, statistics: { token_count: 3, truncated: false } },
      })),
    }),
  },
  {
    kind: "cohere",
    base: "",
    path: "/v2/embed",
    most: 96,
    counts: true,
    texts: (body) => strings(at(body, "texts")),
    dimensions: (body) => at(body, "output_dimension"),
    purpose: (body) => at(body, "input_type"),
    reply: (float, tokens) => ({
      id: "e-1",
      embeddings: { float },
      meta: { api_version: { version: "2" }, billed_units: { input_tokens: tokens } },
    }),
  },
  {
    ...openai,
    kind: "jina",
    base: "/v1",
    most: 2048,
    purpose: (body) => at(body, "task"),
    reply: mixed(openaiShape((tokens) => ({ total_tokens: tokens }))),
  },
  {
    ...openai,
    kind: "voyage",
    base: "/v1",
    most: 1000,
    dimensions: (body) => at(body, "output_dimension"),
    purpose: (body) => at(body, "input_type"),
    reply: mixed(openaiShape((tokens) => ({ total_tokens: tokens }))),
  },
  {
    ...openai,
    kind: "ollama",
    base: "/v1",
    path: "/api/embed",
    most: 2048,
    reply: (embeddings, tokens) => ({ model: "m", embeddings, total_duration: 1, prompt_eval_count: tokens }),
  },
  {
    kind: "dashscope",
    base: "/compatible-mode/v1",
    path: "/api/v1/services/embeddings/text-embedding/text-embedding",
    most: 10,
    counts: true,
    texts: (body) => strings(at(at(body, "input"), "texts")),
    dimensions: (body) => at(at(body, "parameters"), "dimension"),
    purpose: (body) => at(at(body, "parameters"), "text_type"),
    reply: (vectors, tokens) => ({
      output: { embeddings: vectors.map((embedding, text_index) => ({ embedding, text_index })).reverse() },
      usage: { total_tokens: tokens },
      request_id: "r-1",
    }),
  },
];

/** DashScope's compatible path, which gives numbers whatever is asked. */
export const compatDashscope: Far = {
  ...openai,
  kind: "dashscope",
  base: "/compatible-mode/v1",
  path: "/compatible-mode/v1/embeddings",
  most: 10,
};

/** Text Embeddings Inference without its compatible path: the answer is a bare list. */
export const bareTei: Far = {
  kind: "tei",
  base: "",
  path: "/embed",
  most: 32,
  counts: false,
  texts: (body) => strings(at(body, "inputs")),
  dimensions: (body) => at(body, "dimensions"),
  purpose: () => undefined,
  reply: (vectors) => vectors,
};

/** Answers as a server of this kind, at its own path alone. */
export function plays(far: Far): (line: Line) => Promise<void> {
  return (line) => {
    const { json } = line.request;
    const requested = far.texts(json);
    return line.play({ json: far.reply(requested.map(vectorOf), tokensOf(requested), json) });
  };
}

export interface Near {
  up: Upstream;
  gateway: RunningGateway;
  /** Lets the upstream be one of this kind. */
  be(far: Far): void;
  /** Lets it refuse. */
  refuse(far: Far, reply: Reply): void;
  /** Texts of all calls at this kind's own path, in the order in which they came. */
  calls(far: Far): string[][];
}

/** One gateway with a provider of every kind, each with a model `m`, in front of one upstream. */
export async function near(): Promise<Near> {
  const up = await upstream();
  const rows = fars.map(
    ({ kind, base, more = "credential: secret-word" }) =>
      `  ${kind}: { kind: ${kind}, base_url: "${up.url}${base}", ${more}, models: [m] }`,
  );
  const running = await gateway({ yaml: `providers:\n${rows.join("\n")}\n` });
  beforeEach(() => up.clear());
  afterAll(async () => {
    await running.stop();
    await up.stop();
  });
  return {
    up,
    gateway: running,
    be: (far) => up.on(`POST ${far.path}`, plays(far)),
    refuse: (far, reply) => up.on(`POST ${far.path}`, reply),
    calls: (far) => up.requests.filter(({ path }) => path === far.path).map(({ json }) => far.texts(json)),
  };
}
