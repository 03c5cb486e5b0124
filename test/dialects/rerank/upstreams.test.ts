// What each ranking upstream is sent: its own form of documents, its own names for wishes, its own limits.
import { describe, expect, test } from "bun:test";
import type { RerankRequest, RerankResponse } from "../../../src/canonical/rerank.ts";
import type { CompatibilityFlags, UpstreamDialect } from "../../../src/dialects/dialect.ts";
import {
  cohereRerank,
  dashscopeFlatRerank,
  dashscopeRerank,
  plainRerank,
  teiRerank,
  voyageRerank,
} from "../../../src/dialects/index.ts";
import type { Json, JsonObject } from "../../../src/lib/json.ts";
import { envelopeOf, renderContextOf, writeContextOf } from "../../support/laws.ts";
import { thrown } from "../../support/sample-requests.ts";

type Ranking = UpstreamDialect<RerankRequest, RerankResponse>;
const rerankOf = (more: JsonObject): RerankRequest =>
  plainRerank.request.parse({ model: "m", query: "q", documents: ["a", "b"], ...more }, envelopeOf());
const rendered = (dialect: Ranking, more: JsonObject, options: CompatibilityFlags = {}, model = "far") =>
  dialect.request.render(rerankOf(more), renderContextOf(dialect as unknown as UpstreamDialect, { model, options }));
const sent = (dialect: Ranking, more: JsonObject, options: CompatibilityFlags = {}, model = "far") =>
  rendered(dialect, more, options, model).call.body;

describe("documents that are objects", () => {
  const objects: Json[] = [{ text: "the text", title: "T" }, { title: "Tea", body: "Hot: very" }, "plain"];
  const texts = ["the text", 'title: Tea\nbody: "Hot: very"', "plain"];

  test.each([
    ["cohere-rerank", cohereRerank, "documents"],
    ["voyage-rerank", voyageRerank, "documents"],
    ["tei-rerank", teiRerank, "texts"],
    ["dashscope-flat-rerank", dashscopeFlatRerank, "documents"],
    ["rerank", plainRerank, "documents"],
  ] as const)("%s gets texts", (_name, dialect, field) => {
    expect(sent(dialect, { documents: objects })[field]).toEqual(texts);
  });

  test("their fields travel on where a server takes them", () => {
    const { body } = rendered(plainRerank, { documents: objects, rank_fields: ["title"] }, { ranks: "any" }).call;
    expect(body).toMatchObject({ documents: objects, rank_fields: ["title"] });
  });

  test("rank_fields picks fields in their order, and is said to be done here", () => {
    const documents = [{ a: "1", b: "2", c: "3" }, { b: "only" }];
    const { call, warnings } = rendered(cohereRerank, { documents, rank_fields: ["b", "a"] });
    expect(call.body["documents"]).toEqual(['b: "2"\na: "1"', "only"]);
    expect(call.body).not.toHaveProperty("rank_fields");
    expect(warnings).toEqual([{ code: "emulated", path: "rank_fields" }]);
  });

  test("a document without any of those fields is named", () => {
    const failing = () => sent(cohereRerank, { documents: [{ a: "1" }, { c: "2" }], rank_fields: ["a"] });
    expect(thrown(failing)).toMatchObject({ status: 400, code: "invalid_value", param: "documents[1]" });
  });

  test("long texts are not wrapped", () => {
    const body = `${"word ".repeat(100)}end`;
    expect(sent(cohereRerank, { documents: [{ body }] })["documents"]).toEqual([`body: ${body}`]);
  });
});

describe("images", () => {
  const image = "data:image/png;base64,iVBORw0KGgo=";
  const documents = ["a", { image }];

  test.each([cohereRerank, voyageRerank, teiRerank, dashscopeRerank, plainRerank])("$name refuses", (dialect) => {
    const fault = thrown(() => sent(dialect as Ranking, { documents }));
    expect(fault).toMatchObject({ status: 400, code: "unsupported_parameter", param: "documents[1]" });
  });

  test("a query of an image is refused by name", () => {
    expect(thrown(() => sent(voyageRerank, { query: { image } }))).toMatchObject({ param: "query" });
  });

  test("they travel on where they are seen", () => {
    expect(sent(plainRerank, { documents }, { ranks: "media" })["documents"]).toEqual(documents);
    const content = { content: [{ type: "image_url", image_url: { url: image } }] };
    expect(sent(plainRerank, { documents }, { ranks: "content" })["documents"]).toEqual(["a", content]);
    const input = sent(dashscopeRerank, { documents }, {}, "qwen3-vl-rerank")["input"];
    expect(input).toEqual({ query: { text: "q" }, documents: [{ text: "a" }, { image }] });
  });
});

describe("wishes", () => {
  const all = { instruction: "i", truncation: false, max_tokens_per_doc: 9, max_chunks_per_doc: 2, priority: 1 };
  const dropped = (dialect: Ranking) => rendered(dialect, all).warnings.map(({ code, path }) => `${code} ${path}`);

  test("each server gets what it knows, by its own name", () => {
    expect(sent(cohereRerank, all)).toMatchObject({ max_tokens_per_doc: 9, priority: 1 });
    expect(sent(voyageRerank, all)).toMatchObject({ truncation: false });
    expect(sent(dashscopeRerank, all)["parameters"]).toEqual({ return_documents: false, instruct: "i" });
    expect(sent(dashscopeFlatRerank, all)).toMatchObject({ instruct: "i" });
    expect(sent(teiRerank, all)).toMatchObject({ truncate: false });
    expect(sent(plainRerank, all)).toMatchObject(all);
  });

  test("what it does not know is told", () => {
    expect(dropped(voyageRerank).sort()).toEqual(
      ["instruction", "max_chunks_per_doc", "max_tokens_per_doc", "priority"].map((path) => `dropped ${path}`),
    );
    expect(dropped(plainRerank)).toEqual([]);
  });

  test("nothing is sent that was not wished for", () => {
    expect(sent(cohereRerank, {})).toEqual({ model: "far", query: "q", documents: ["a", "b"] });
    expect(sent(voyageRerank, {})).toEqual({ model: "far", query: "q", documents: ["a", "b"] });
  });
});

describe("limits", () => {
  const many = (count: number) => ({ documents: Array.from({ length: count }, () => "d") });
  test.each([
    [voyageRerank, "rerank-2.5", 1000],
    [dashscopeRerank, "gte-rerank-v2", 500],
    [dashscopeFlatRerank, "qwen3-rerank", 500],
    [dashscopeRerank, "qwen3-vl-rerank", 100],
  ] as const)("%#: at most so many documents", (dialect, model, most) => {
    expect(rendered(dialect, many(most), {}, model).warnings).toEqual([]);
    const fault = thrown(() => rendered(dialect, many(most + 1), {}, model));
    expect(fault).toMatchObject({ status: 400, code: "invalid_value", param: "documents" });
  });

  test("nobody else has one", () => {
    expect(rendered(cohereRerank, many(1001)).warnings).toEqual([]);
  });
});

describe("the passthrough", () => {
  const call = (dialect: typeof plainRerank, more: JsonObject, options: CompatibilityFlags = {}) =>
    dialect.passthrough.render(
      { model: "m", query: "q", documents: ["a", "b"], ...more },
      renderContextOf(dialect as unknown as UpstreamDialect, { model: "far", options }),
      envelopeOf(),
    );

  test("fields of tomorrow travel on; documents are never asked back", () => {
    const { body } = call(plainRerank, { tomorrow: 1, top_n: 9, return_documents: true, truncation: null });
    expect(body).toEqual({ model: "far", query: "q", documents: ["a", "b"], return_documents: false, tomorrow: 1 });
  });

  test("the second version has no word for documents", () => {
    const { body } = call(cohereRerank, { top_n: 1, return_documents: true, overlap_tokens: 3 });
    expect(body).toEqual({ model: "far", query: "q", documents: ["a", "b"], top_n: 1, overlap_tokens: 3 });
  });

  test("what else the reply tells travels back", () => {
    const request = rerankOf({ top_n: 1 });
    const reply = {
      results: [0, 1].map((index) => ({ index, relevance_score: index, document: { text: "x" } })),
      meta: { api_version: { version: "2" }, warnings: ["w"] },
      usage: { total_tokens: 5, extra: 1 },
      tomorrow: 2,
    };
    expect(cohereRerank.passthrough.normalize?.(reply, {}, writeContextOf(request))).toEqual({
      id: "law-1",
      model: "m",
      results: [{ index: 1, relevance_score: 1 }],
      meta: {
        api_version: { version: "2" },
        billed_units: { total_tokens: 5 },
        tokens: { input_tokens: 5, output_tokens: 0 },
        warnings: ["w"],
      },
      usage: { total_tokens: 5, prompt_tokens: 5, extra: 1 },
      tomorrow: 2,
    });
  });
});

test("what nobody counts is left to the gateway; searches are told by the hundred", () => {
  const request = rerankOf({ query: "four", documents: Array.from({ length: 101 }, () => "12345678") });
  const reply = Array.from({ length: 101 }, (_, index) => ({ index, score: 0 }));
  const response = teiRerank.response.parse(reply, { origin: "o", request });
  expect(response.usage).toBeUndefined();
  const rendering = plainRerank.response.render(response, writeContextOf(request));
  expect(rendering["meta"]).toMatchObject({ billed_units: { search_units: 2 } });
  expect(response.results.slice(0, 3).map(({ index }) => index)).toEqual([0, 1, 2]);
});

test.each([
  [cohereRerank, 498, { code: "upstream_credentials", status: 502 }],
  [cohereRerank, 499, { code: "overloaded", status: 503 }],
  [plainRerank, 498, { code: "upstream_credentials", status: 502 }],
  [plainRerank, 499, { code: "overloaded", status: 503 }],
  [plainRerank, 422, { code: "upstream_rejected", status: 422 }],
] as const)("a status of its own, row %#", (dialect, status, seen) => {
  expect(dialect.error.parse(status, { message: "invalid api token" })).toMatchObject(seen);
});
