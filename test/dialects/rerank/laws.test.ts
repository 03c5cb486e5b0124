// The laws of both ranking dialects that clients speak: what is rendered and parsed again is the same.
import { describe, test } from "bun:test";
import fc from "fast-check";
import type { RerankRequest, RerankResponse } from "../../../src/canonical/rerank.ts";
import { zeroUsage } from "../../../src/canonical/usage.ts";
import { cohereRerank, plainRerank } from "../../../src/dialects/index.ts";
import { answersRoundTrip, lawModel, requestsRoundTrip } from "../../support/laws.ts";

const documents = fc.array(fc.string({ unit: "grapheme" }), { minLength: 1, maxLength: 8 });

const asks = fc.record({ documents, query: fc.string({ unit: "grapheme", minLength: 1 }), cut: fc.nat(8) }).map(
  ({ cut, ...fields }): RerankRequest => ({
    operation: "rerank",
    model: lawModel,
    stream: false,
    ...fields,
    top: Math.max(1, fields.documents.length - cut),
    returnDocuments: false,
    options: { max_tokens_per_doc: 7 + cut, priority: 1 },
    unmappedFields: [],
  }),
);

const scores = fc.uniqueArray(fc.double({ noNaN: true, min: -5, max: 5 }), {
  maxLength: 8,
  comparator: "SameValueZero",
});

const answers = fc
  .record({
    scores,
    id: fc.uuid(),
    tokens: fc.integer({ min: 1, max: 1e6 }),
    units: fc.option(fc.integer({ min: 1, max: 9 })),
  })
  .map(
    ({ scores, id, tokens, units }): RerankResponse => ({
      operation: "rerank",
      id,
      model: "far-model",
      // Zero below zero is no number of JSON's.
      results: [...scores].sort((left, right) => right - left).map((score, index) => ({ index, score: score + 0 })),
      usage: {
        ...zeroUsage,
        inputTokens: tokens,
        ...(units === null ? {} : { units: [{ kind: "searches" as const, amount: units }] }),
      },
    }),
  );

const request: RerankRequest = {
  operation: "rerank",
  model: lawModel,
  stream: false,
  query: "q",
  documents: Array.from({ length: 8 }, () => "d"),
  top: 8,
  returnDocuments: false,
  options: {},
  unmappedFields: [],
};

describe.each([plainRerank, cohereRerank])("$name", (dialect) => {
  test("requests", () => requestsRoundTrip(dialect, asks));
  test("answers", () => answersRoundTrip(dialect, answers, request));
});
