// A ranking request as clients write it: every bound on each side, and what it means.
import { describe, expect, test } from "bun:test";
import { cohereRerank, plainRerank } from "../../../src/dialects/index.ts";
import { validate } from "../../../src/http/validate.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { envelopeOf } from "../../support/laws.ts";
import { thrown } from "../../support/sample-requests.ts";

const good: JsonObject = { model: "m", query: "q", documents: ["a", "b", "c"] };
const read = (more: JsonObject, dialect = plainRerank) => {
  const wire = JSON.parse(JSON.stringify({ ...good, ...more })) as JsonObject;
  validate(dialect.request.schema, wire);
  return dialect.request.parse(wire, envelopeOf());
};

const huge = Array.from({ length: 5000 }, (_, index) => `document ${index}`);

/** What is taken, and what becomes of it. */
const taken: [string, JsonObject, object][] = [
  [
    "the least that is needed",
    {},
    { model: "m", query: "q", documents: ["a", "b", "c"], top: 3, returnDocuments: false },
  ],
  ["one document", { documents: ["a"] }, { documents: ["a"], top: 1 }],
  ["thousands", { documents: huge }, { top: 5000 }],
  ["an empty text among them", { documents: ["", "b"] }, { documents: ["", "b"] }],
  ["Unicode of every plane", { query: "猫 🐈‍⬛", documents: ["\u{1F600}", "\uD800"] }, { query: "猫 🐈‍⬛" }],
  [
    "objects",
    { documents: [{ text: "a" }, { title: "b", year: 7 }] },
    { documents: [{ text: "a" }, { title: "b", year: 7 }] },
  ],
  ["texts and objects", { documents: ["a", { text: "b" }] }, { documents: ["a", { text: "b" }] }],
  ["top_n 1", { top_n: 1 }, { top: 1 }],
  ["top_n 0: all", { top_n: 0 }, { top: 3 }],
  ["top_n null: all", { top_n: null }, { top: 3 }],
  ["top_n as many as there are", { top_n: 3 }, { top: 3 }],
  ["top_n beyond them: all", { top_n: 4 }, { top: 3 }],
  ["return_documents", { return_documents: true }, { returnDocuments: true }],
  ["return_documents null", { return_documents: null }, { returnDocuments: false }],
  ["a query of a text", { query: { text: "q" } }, { query: { text: "q" } }],
  [
    "a query of an image",
    { query: { image: "https://example.com/a.png" } },
    { query: { image: "https://example.com/a.png" } },
  ],
  ["a query of one character", { query: " " }, { query: " " }],
  [
    "wishes of all kinds",
    {
      max_chunks_per_doc: 1,
      max_tokens_per_doc: 1,
      overlap_tokens: 0,
      truncation: false,
      priority: 0,
      rank_fields: ["a"],
    },
    {
      options: {
        max_chunks_per_doc: 1,
        max_tokens_per_doc: 1,
        overlap_tokens: 0,
        truncation: false,
        priority: 0,
        rank_fields: ["a"],
      },
    },
  ],
  ["wishes that are null", { truncation: null, rank_fields: null, instruction: null }, { options: {} }],
  ["unknown fields", { tomorrow: 1, nothing: null }, { unmappedFields: [{ path: "tomorrow", rule: "warn" }] }],
];

describe.each([plainRerank, cohereRerank])("$name", (dialect) => {
  test.each(taken)("takes %s", (_name, more, expected) => {
    expect(read(more, dialect)).toMatchObject(expected);
  });
});

const required = "missing_required_parameter";
/** What is refused, with the code and the field. */
const refused: [string, JsonObject, string, string][] = [
  ["no model", { model: undefined }, required, "model"],
  ["an empty model", { model: "" }, "invalid_value", "model"],
  ["a model that is a number", { model: 1 }, "invalid_type", "model"],
  ["no query", { query: undefined }, required, "query"],
  ["an empty query", { query: "" }, "invalid_value", "query"],
  ["a query that is a number", { query: 1 }, "invalid_type", "query"],
  ["a query that is null", { query: null }, "invalid_type", "query"],
  ["a query that is a list", { query: ["q"] }, "invalid_type", "query"],
  ["a query that is an empty object", { query: {} }, "invalid_value", "query"],
  ["a query whose text is empty", { query: { text: "" } }, "invalid_value", "query"],
  ["no documents", { documents: undefined }, required, "documents"],
  ["documents that are none", { documents: [] }, "invalid_value", "documents"],
  ["documents that are a text", { documents: "a" }, "invalid_type", "documents"],
  ["documents that are null", { documents: null }, "invalid_type", "documents"],
  ["a document that is a number", { documents: ["a", 2] }, "invalid_type", "documents[1]"],
  ["a document that is null", { documents: [null] }, "invalid_type", "documents[0]"],
  ["a document that is a list", { documents: [["a"]] }, "invalid_type", "documents[0]"],
  ["a document that is an empty object", { documents: ["a", {}] }, "invalid_value", "documents[1]"],
  ["top_n -1", { top_n: -1 }, "invalid_value", "top_n"],
  ["top_n 1.5", { top_n: 1.5 }, "invalid_type", "top_n"],
  ["top_n as a text", { top_n: "2" }, "invalid_type", "top_n"],
  ["return_documents as a text", { return_documents: "true" }, "invalid_type", "return_documents"],
  ["max_chunks_per_doc 0", { max_chunks_per_doc: 0 }, "invalid_value", "max_chunks_per_doc"],
  ["max_tokens_per_doc 0", { max_tokens_per_doc: 0 }, "invalid_value", "max_tokens_per_doc"],
  ["overlap_tokens -1", { overlap_tokens: -1 }, "invalid_value", "overlap_tokens"],
  ["priority -1", { priority: -1 }, "invalid_value", "priority"],
  ["truncation as a text", { truncation: "END" }, "invalid_type", "truncation"],
  ["rank_fields that are none", { rank_fields: [] }, "invalid_value", "rank_fields"],
  ["rank_fields that are numbers", { rank_fields: [1] }, "invalid_type", "rank_fields[0]"],
];

test.each(refused)("refuses %s", (_name, more, code, param) => {
  expect(thrown(() => read(more))).toMatchObject({ status: 400, code, param });
});
