// Texts of a form as the schema wants them; what means nothing is left for validation.
import { expect, test } from "bun:test";
import { Type } from "typebox";
import { object, optional } from "../../src/dialects/schema-helpers.ts";
import { filesNamed, formValues } from "../../src/dialects/shared/form-values.ts";

const schema = object({
  text: optional("string"),
  number: optional("number"),
  whole: optional("integer"),
  flag: optional("boolean"),
  either: optional(["string", "integer"]),
  list: optional("array", { items: { type: "integer" } }),
  words: Type.Optional(Type.Array(Type.String())),
  inner: Type.Optional(Type.Object({ seconds: Type.Number() })),
  union: Type.Union([Type.Boolean(), Type.Integer()]),
});

test("numbers, truth values, lists and objects are made of text where the schema wants them", () => {
  const wire = {
    text: "5",
    number: "0.5",
    whole: " 8 ",
    flag: "False",
    either: "5",
    list: "3",
    words: "a",
    union: "7",
  };
  expect(formValues(schema, wire)).toEqual({
    text: "5",
    number: 0.5,
    whole: 8,
    flag: false,
    either: "5",
    list: [3],
    words: ["a"],
    union: 7,
  });
  expect(formValues(schema, { list: ["1", "2"], words: ["x", "1"] })).toEqual({ list: [1, 2], words: ["x", "1"] });
  expect(formValues(schema, { inner: { seconds: "4" } })).toEqual({ inner: { seconds: 4 } });
  expect(formValues(schema, { inner: '{"seconds":4}', list: "[1]" })).toEqual({ inner: { seconds: 4 }, list: [1] });
  expect(formValues(schema, { number: "", other: "5", toString: "1" } as never)).toEqual({
    number: null,
    other: "5",
    toString: "1",
  } as never);
});

test("what is no number stays what it was", () => {
  for (const text of ["abc", "1,5", "0x10", "1e9999", "Infinity", "--1", "."])
    expect(formValues(schema, { number: text })).toEqual({ number: text });
  expect(formValues(schema, { flag: "constructor", inner: "{", list: "x" })).toEqual({
    flag: "constructor",
    inner: "{",
    list: ["x"],
  });
});

test("files are found under each spelling of their name, in order", () => {
  const file = (field: string) => ({ field, name: field, type: "", bytes: new Uint8Array() });
  const files = ["image[1]", "mask", "image[0]", "images", "image[x]"].map(file);
  expect(filesNamed(files, "image").map(({ field }) => field)).toEqual(["image[0]", "image[1]"]);
  expect(filesNamed([file("image[]"), file("image")], "image")).toHaveLength(2);
  expect(filesNamed(undefined, "image")).toEqual([]);
});
