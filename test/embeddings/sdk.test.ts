// Vectors through the official SDKs from every kind of upstream: values, order, form, usage, batches, what they are for.
import { describe, expect, test } from "bun:test";
import { geminiClient, openaiClient } from "../support/clients.ts";
import { ledgerRows, settledRow } from "../support/ledger.ts";
import { bareTei, compatDashscope, fars, near, texts, tokensOf, vectorOf } from "./upstream-dialects.ts";

const { up, gateway, be, calls } = await near();
const openai = openaiClient(gateway.url, gateway.key);
const google = geminiClient(gateway.url, gateway.key);
const modelOf = (kind: string) => `${kind}/m`;
/** With length one, as float32 holds it. */
const unit = (vector: number[]) => vector.map((value) => value / Math.hypot(...vector));
const close = (given: readonly number[], wanted: readonly number[]) => {
  expect(given).toHaveLength(wanted.length);
  for (const [index, value] of given.entries()) expect(value).toBeCloseTo(wanted[index] ?? Number.NaN, 5);
};

describe.each([...fars, bareTei, compatDashscope].map((far) => ({ ...far, far })))(
  "$kind at $path",
  ({ kind, far }) => {
    const model = modelOf(kind);

    test("openai: the SDK's own base64, one text and several, in order", async () => {
      be(far);
      const one = await openai.embeddings.create({ model, input: "t7" });
      expect(Array.from(one.data[0]!.embedding)).toEqual(vectorOf("t7"));
      const { data } = await openai.embeddings.create({ model, input: ["t3", "t1", "t2"] });
      expect(data.map(({ index, embedding }) => [index, ...embedding])).toEqual(
        ["t3", "t1", "t2"].map((text, index) => [index, ...vectorOf(text)]),
      );
      expect(calls(far)).toEqual([["t7"], ["t3", "t1", "t2"]]);
    });

    test("openai: floats, usage as counted or estimated, the model's name", async () => {
      be(far);
      const before = ledgerRows(gateway.dataFolder).length;
      const reply = await openai.embeddings.create({ model, input: ["t4", "t5"], encoding_format: "float" });
      expect(reply.data.map(({ embedding }) => embedding)).toEqual([vectorOf("t4"), vectorOf("t5")]);
      expect(reply.model).toMatch(/m$/);
      const { prompt_tokens, total_tokens } = reply.usage;
      expect(total_tokens).toBe(prompt_tokens);
      if (far.counts) expect(prompt_tokens).toBe(tokensOf(["t4", "t5"]));
      else expect(prompt_tokens).toBeGreaterThan(0);
      expect(await settledRow(gateway.dataFolder, before)).toMatchObject({
        state: "completed",
        operation: "embed",
        inputTokens: prompt_tokens,
        estimated: !far.counts,
      });
    });

    test("openai: dimensions arrive; Google's shortened vectors get length one", async () => {
      be(far);
      const { data } = await openai.embeddings.create({ model, input: "t2", dimensions: 4 });
      expect(far.dimensions(up.requests.at(-1)?.json)).toBe(4);
      const isGoogle = kind === "gemini" || kind === "vertex";
      close(data[0]!.embedding, isGoogle ? unit(vectorOf("t2")) : vectorOf("t2"));
    });

    test("openai: the engines path", async () => {
      be(far);
      const path = `/engines/${encodeURIComponent(model)}/embeddings`;
      const reply = await openai.post<{ data: { embedding: number[] }[] }>(path, { body: { input: "t9" } } as never);
      expect(reply.data[0]?.embedding).toEqual(vectorOf("t9"));
    });

    test("openai: more than one call takes is several calls, in order, usage summed", async () => {
      be(far);
      const input = texts(Math.min(2048, 2 * far.most + 1));
      const { data, usage } = await openai.embeddings.create({ model, input });
      expect(data.map(({ index }) => index)).toEqual(input.map((_, index) => index));
      expect(data.map(({ embedding }) => embedding[0])).toEqual(input.map((text) => vectorOf(text)[0]));
      const sizes = calls(far)
        .map(({ length }) => length)
        .sort((left, right) => right - left);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(far.most);
      expect(sizes).toHaveLength(Math.ceil(input.length / far.most));
      if (far.counts) expect(usage.prompt_tokens).toBe(tokensOf(input));
    });

    test("google: one content and a batch, in order", async () => {
      be(far);
      const one = await google.models.embedContent({ model, contents: "t6" });
      expect(one.embeddings?.map(({ values }) => values)).toEqual([vectorOf("t6")]);
      const { embeddings } = await google.models.embedContent({
        model,
        contents: ["t8", "t2"],
        config: { outputDimensionality: 4 },
      });
      expect(embeddings?.map(({ values }) => values)).toEqual([vectorOf("t8"), vectorOf("t2")]);
      expect(far.dimensions(up.requests.at(-1)?.json)).toBe(4);
    });

    test("google: more than one call takes", async () => {
      be(far);
      const contents = texts(2 * Math.min(far.most, 150) + 1);
      const { embeddings } = await google.models.embedContent({ model, contents });
      expect(embeddings?.map(({ values }) => values?.[0])).toEqual(contents.map((text) => vectorOf(text)[0]));
      expect(Math.max(...calls(far).map(({ length }) => length))).toBeLessThanOrEqual(far.most);
    });
  },
);

const purposes: [kind: string, requested: string, sent: unknown][] = [
  ["gemini", "search_query", "RETRIEVAL_QUERY"],
  ["vertex", "document", "RETRIEVAL_DOCUMENT"],
  ["cohere", "RETRIEVAL_QUERY", "search_query"],
  ["cohere", "code.query", "search_query"],
  ["cohere", "nonsense", "search_document"],
  ["jina", "search_document", "retrieval.passage"],
  ["jina", "clustering", "separation"],
  ["voyage", "query", "query"],
  ["voyage", "clustering", undefined],
  ["dashscope", "retrieval.query", "query"],
];

test.each(purposes)("%s: input_type %s becomes %j", async (kind, requested, sent) => {
  const far = fars.find((each) => each.kind === kind)!;
  be(far);
  await openai.embeddings.create({ model: modelOf(kind), input: "t1", input_type: requested } as never);
  expect(far.purpose(up.requests[0]?.json)).toEqual(sent);
});

test("google: a task becomes the upstream's own, in either spelling", async () => {
  const far = fars.find((each) => each.kind === "cohere")!;
  be(far);
  await google.models.embedContent({ model: "cohere/m", contents: "t1", config: { taskType: "CLUSTERING" } });
  expect(far.purpose(up.requests[0]?.json)).toBe("clustering");
});

test("dashscope's compatible path is asked for numbers, and not where a purpose would be ignored", async () => {
  const native = fars.find((each) => each.kind === "dashscope")!;
  be(native);
  be(compatDashscope);
  await openai.embeddings.create({ model: "dashscope/m", input: "t1" });
  expect(up.requests[0]).toMatchObject({ path: compatDashscope.path, json: { encoding_format: "float" } });
  await openai.embeddings.create({ model: "dashscope/m", input: "t1", input_type: "query" } as never);
  expect(up.requests[1]).toMatchObject({ path: native.path, json: { parameters: { text_type: "query" } } });
});
