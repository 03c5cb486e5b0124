// The laws of the embedding dialects that clients speak: what is rendered reads the same again; and the test vectors of base64.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { EmbeddingRequest, EmbeddingResponse, EmbeddingTask } from "../../src/canonical/embedding.ts";
import type { Dialect } from "../../src/dialects/dialect.ts";
import { geminiBatchEmbeddings, geminiEmbeddings, openaiEmbeddings } from "../../src/dialects/index.ts";
import { base64ToFloats, floatsToBase64 } from "../../src/lib/float32-base64.ts";
import { answersRoundTrip, envelopeOf, lawModel, requestsRoundTrip } from "../support/laws.ts";

type Embeds = Dialect<EmbeddingRequest, EmbeddingResponse>;

/** What an ask may hold so that the dialect can say it whole. */
interface Can {
  dialect: Embeds;
  purposes?: EmbeddingTask[];
  dimensions?: false;
  title?: true;
  tokens?: true;
  base64?: true;
  user?: true;
  one?: true;
  unit?: true;
  /** What its replies do not tell. */
  unnamed?: true;
}

const all: EmbeddingTask[] = [
  "query",
  "document",
  "similarity",
  "classification",
  "clustering",
  "question",
  "fact",
  "code",
];
const dialects: Can[] = [
  { dialect: openaiEmbeddings, tokens: true, base64: true, user: true, unit: true },
  { dialect: geminiBatchEmbeddings, purposes: all, title: true, unnamed: true },
  { dialect: geminiEmbeddings, purposes: all, title: true, one: true, unnamed: true },
];

const text = fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" });
const ids = fc.array(fc.nat(100_000), { minLength: 1, maxLength: 5 });
const maybe = <Value>(name: string, values: fc.Arbitrary<Value> | undefined) =>
  fc
    .option(values ?? fc.constant(undefined), { nil: undefined })
    .map((value) => (value === undefined ? {} : { [name]: value }));

function asksOf(can: Can): fc.Arbitrary<EmbeddingRequest> {
  const maxLength = can.one ? 1 : 6;
  const inputs = [
    fc.array(text, { minLength: 1, maxLength }).map((texts) => ({ kind: "texts", texts }) as const),
    ...(can.tokens
      ? [fc.array(ids, { minLength: 1, maxLength }).map((tokens) => ({ kind: "tokens", tokens }) as const)]
      : []),
  ];
  const purposes = can.purposes && fc.constantFrom(...can.purposes);
  return fc
    .record({
      input: fc.oneof(...inputs),
      format: can.base64 ? fc.constantFrom("float" as const, "base64" as const) : fc.constant("float" as const),
      dimensions: maybe("dimensions", fc.integer({ min: 1, max: 4096 })),
      purpose: maybe("purpose", purposes),
      title: maybe("title", can.title && text),
      endUser: maybe("endUser", can.user && text),
    })
    .map(({ input, format, ...members }) => ({
      operation: "embed",
      model: lawModel,
      stream: false,
      input,
      format,
      unmappedFields: [],
      ...(can.unit ? { unit: true } : {}),
      ...Object.assign({}, ...Object.values(members)),
    }));
}

const usage = { cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 };

function answersOf(can: Can): fc.Arbitrary<EmbeddingResponse> {
  const vector = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 8 });
  return fc
    .record({
      vectors: fc.array(vector, { minLength: 1, maxLength: can.one ? 1 : 6 }),
      inputTokens: fc.integer({ min: 1, max: 1_000_000 }),
    })
    .map(({ vectors, inputTokens }) => ({
      operation: "embed",
      model: can.unnamed ? "" : lawModel,
      // JSON has no negative zero.
      vectors: vectors.map((values) => values.map((value) => value + 0)),
      usage: { ...usage, inputTokens },
    }));
}

describe.each(dialects.map((can) => ({ name: can.dialect.name, can })))("$name", ({ can }) => {
  test("requests", () => {
    const envelope = { ...envelopeOf(), params: { model: lawModel } };
    requestsRoundTrip(can.dialect, asksOf(can), { envelope });
  });

  test("answers", () => {
    const [ask] = fc.sample(asksOf(can), { numRuns: 1, seed: 1 }) as [EmbeddingRequest];
    answersRoundTrip(can.dialect, answersOf(can), { ...ask, format: "float" });
  });
});

test.each([
  [[0.1, -0.5, 1], "cdcccc3d000000bf0000803f", "zczMPQAAAL8AAIA/"],
  [[0.5, -1], "0000003f000080bf", "AAAAPwAAgL8="],
])("%j as base64", (floats, hex, base64) => {
  expect(floatsToBase64(floats)).toBe(base64);
  expect(Buffer.from(base64, "base64").toString("hex")).toBe(hex);
  expect(base64ToFloats(base64)).toEqual(floats.map(Math.fround));
});
