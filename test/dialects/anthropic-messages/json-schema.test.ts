// Schemas in the subset of constrained output.
import { expect, test } from "bun:test";
import { inSubset } from "../../../src/dialects/anthropic-messages/json-schema.ts";
import type { JsonObject } from "../../../src/lib/json.ts";

const closed = { additionalProperties: false };

const rows: [string, JsonObject, JsonObject, boolean][] = [
  ["a schema that is in the subset stays", { type: "object", ...closed }, { type: "object", ...closed }, true],
  ["objects are closed", { type: "object" }, { type: "object", ...closed }, false],
  ["annotations go without loss", { type: "string", title: "T", default: "x" }, { type: "string" }, true],
  ["keywords of nobody go", { type: "string", constructor: 1, tomorrow: 2 } as never, { type: "string" }, true],
  [
    "bounds move into the description",
    { type: "integer", minimum: 1, maximum: 9, description: "Hour." },
    { type: "integer", description: "Hour. (minimum: 1, maximum: 9)" },
    false,
  ],
  ["known formats stay", { type: "string", format: "date" }, { type: "string", format: "date" }, true],
  [
    "unknown formats are told",
    { type: "string", format: "iban" },
    { type: "string", description: '(format: "iban")' },
    false,
  ],
  ["oneOf is anyOf", { oneOf: [{ type: "string" }] }, { anyOf: [{ type: "string" }] }, false],
  [
    "a property named like a keyword is no keyword (bug 18)",
    { type: "object", properties: { format: { type: "string" }, title: { type: "string" }, not: {} }, ...closed },
    { type: "object", properties: { format: { type: "string" }, title: { type: "string" }, not: {} }, ...closed },
    true,
  ],
  [
    "an array at the root",
    { type: "array", items: { type: "string" } },
    { type: "array", items: { type: "string" } },
    true,
  ],
];

test.each(rows)("%s", (_, schema, expected, exact) => {
  expect(inSubset(schema)).toEqual({ schema: expected, exact, lost: [] });
});

test("what cannot be said is named", () => {
  expect(inSubset({ not: {}, patternProperties: {} }).lost).toEqual(["not", "patternProperties"]);
});

const node = { type: "object", properties: { next: { $ref: "#/$defs/node" } } };
const recursive: [JsonObject, boolean][] = [
  [{ $ref: "#/$defs/node", $defs: { node } }, true],
  [{ type: "object", properties: { self: { $ref: "#" } } }, true],
  [{ $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } }, true],
  [{ anyOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }], $defs: { a: { type: "string" } } }, false],
];

test.each(recursive)("recursion in %j: %p", (schema, expected) => {
  expect(inSubset(schema).lost.includes("$ref")).toBe(expected);
});
