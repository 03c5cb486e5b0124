// Names of form fields: repeated and bracketed ones become lists and members.
import { expect, test } from "bun:test";
import { formObject } from "../../src/lib/form-fields.ts";

const read = (...pairs: [string, string][]) => {
  const result = formObject(pairs.map(([name, value]) => ({ name, value })));
  return result.ok ? result.object : result.fault;
};

test("one text, a list, numbered items and members", () => {
  expect(read(["a", "1"])).toEqual({ a: "1" });
  expect(read(["a", "1"], ["b", "x"], ["a", "2"])).toEqual({ a: ["1", "2"], b: "x" });
  expect(read(["a[]", "1"])).toEqual({ a: ["1"] });
  expect(read(["a[]", "1"], ["a[]", "2"])).toEqual({ a: ["1", "2"] });
  expect(read(["a[1]", "y"], ["a[0]", "x"])).toEqual({ a: ["x", "y"] });
  expect(read(["a[0]", "x"], ["a[2]", "y"])).toEqual({ a: { "0": "x", "2": "y" } });
  expect(read(["a[image_url]", "x"])).toEqual({ a: { image_url: "x" } });
  expect(read(["a[b][]", "x"], ["a[c][d]", "y"])).toEqual({ a: { b: ["x"], c: { d: "y" } } });
  expect(read(["toString", "x"], ["constructor[x]", "y"])).toEqual({ toString: "x", constructor: { x: "y" } } as never);
});

test("names that make no sense, and names that contradict each other, are faults", () => {
  for (const name of ["", "[a]", "a[", "a]b", "a[b]c", "a[][b]", "__proto__", "a[__proto__]", "a[b][c][d][e]"])
    expect(read([name, "1"])).toEqual({ reason: "name", name });
  expect(read(["a", "1"], ["a[b]", "2"])).toEqual({ reason: "conflict", name: "a" });
  expect(read(["a[b][c]", "1"], ["a[b]", "2"])).toEqual({ reason: "conflict", name: "a" });
});
