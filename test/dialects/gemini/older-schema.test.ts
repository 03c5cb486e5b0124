// JSON Schema in the older form that this server also knows: types in capitals, counts as text.
import { describe, expect, test } from "bun:test";
import { inOpenApiSubset, readSchema } from "../../../src/dialects/gemini/openapi-schema.ts";
import type { JsonObject } from "../../../src/lib/json.ts";

describe("the older form", () => {
  const rows: [string, JsonObject, JsonObject, boolean][] = [
    [
      "types in capitals, counts as text",
      { type: "array", items: { type: "string" }, minItems: 1 },
      { type: "ARRAY", items: { type: "STRING" }, minItems: "1" },
      true,
    ],
    ["null beside a type", { type: ["string", "null"] }, { type: "STRING", nullable: true }, true],
    [
      "several types",
      { type: ["string", "number", "null"] },
      { anyOf: [{ type: "STRING" }, { type: "NUMBER" }], nullable: true },
      true,
    ],
    [
      "numbers to choose from are text",
      { type: "integer", enum: [1, 2, null] },
      { type: "INTEGER", format: "enum", enum: ["1", "2"] },
      true,
    ],
    ["closed objects are not", { type: "object", additionalProperties: false }, { type: "OBJECT" }, true],
    [
      "definitions are put in",
      { properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { $ref: "#/$defs/b" }, b: { type: "string" } } },
      { properties: { a: { type: "STRING" } } },
      true,
    ],
    [
      "circles are cut",
      { properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { properties: { a: { $ref: "#/$defs/a" } } } } },
      { properties: { a: { type: "OBJECT" } } },
      false,
    ],
    [
      "references elsewhere are any object",
      { properties: { a: { $ref: "#/properties/a" } } },
      { properties: { a: { type: "OBJECT" } } },
      true,
    ],
  ];
  test.each(rows)("%s", (_, before, after, exact) => {
    const made = inOpenApiSubset(before);
    expect(made.schema).toEqual(after);
    expect(made.exact).toBe(exact);
  });

  test("definitions that double each other stay bounded", () => {
    const $defs: JsonObject = { d0: { type: "string" } };
    for (let level = 1; level <= 40; level++) {
      const below = { $ref: `#/$defs/d${level - 1}` };
      $defs[`d${level}`] = { type: "object", properties: { a: below, b: below } };
    }
    const made = inOpenApiSubset({ $ref: "#/$defs/d40", $defs });
    expect(JSON.stringify(made.schema).length).toBeLessThan(200_000);
  });

  const back: [JsonObject, JsonObject][] = [
    [{ type: "STRING", nullable: true }, { type: ["string", "null"] }],
    [
      { type: "STRING", nullable: true, format: "enum", enum: ["a", "b"] },
      { type: ["string", "null"], enum: ["a", "b", null] },
    ],
    [
      { type: "STRING", enum: ["a"] },
      { type: "string", enum: ["a"] },
    ],
    [{ type: "TYPE_UNSPECIFIED", anyOf: [{ type: "NUMBER" }] }, { anyOf: [{ type: "number" }] }],
    [
      { type: "STRING", format: "enum", enum: ["a"], example: "a" },
      { type: "string", enum: ["a"], examples: ["a"] },
    ],
    [{ any_of: [{ max_length: "3" }], property_ordering: [] }, { anyOf: [{ maxLength: 3 }] }],
    [
      { type: "OBJECT", properties: { any_of: { type: "STRING" }, type: { type: "STRING" } } },
      { type: "object", properties: { any_of: { type: "string" }, type: { type: "string" } } },
    ],
  ];
  test.each(back)("%j is read", (before, after) => {
    expect(readSchema(before)).toEqual(after);
  });

  test("properties come in the order asked for", () => {
    const properties = { a: { type: "STRING" }, b: { type: "STRING" } };
    const read = readSchema({ properties, propertyOrdering: ["b", "x", "a"] });
    expect(Object.keys(read.properties as object)).toEqual(["b", "a"]);
  });
});
