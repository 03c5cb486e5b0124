// Numbers that a JavaScript number would change keep their text; all others are numbers.
import { expect, test } from "bun:test";
import { parseExactText } from "../../src/lib/exact-json.ts";
import { isExactNumber, isObject } from "../../src/lib/json.ts";

test.each([
  ["9007199254740993", true],
  ["-1152921504606846977", true],
  ["1E400", true],
  ["1e-400", true],
  ["0.12345678901234567890", true],
  ["12345678.12345678901", true],
  ["9007199254740992", false],
  ["1152921504606846976", true],
  ["0.1000000000000000", false],
  ["10000000000000000000000", false],
  ["1.7976931348623157e308", false],
  ["1e100", false],
  ["0.30000000000000004", false],
  ["0e999", false],
  ["-0.0", false],
])("%s is exact: %p", (source, isExact) => {
  const text = `{"a":[${source}],"b":"${source}"}`;
  const value = parseExactText(text);
  if (!isObject(value) || !Array.isArray(value.a)) throw new Error("no list");
  expect(isExactNumber(value.a[0])).toBe(isExact);
  expect(isObject(value.a[0])).toBe(false);
  if (isExact) expect(JSON.stringify(value)).toBe(text);
  else expect(value).toEqual(JSON.parse(text));
});

test("a client's object with the name of the runtime's member is an object", () => {
  expect(isObject(parseExactText('{"rawJSON":"1"}'))).toBe(true);
});

test("what is no JSON is undefined, with wide numbers too", () => {
  expect([parseExactText("{"), parseExactText('{"a":1152921504606846977')]).toEqual([undefined, undefined]);
});
