// Halves of surrogate pairs in JSON text become U+FFFD; everything else stays as it is.
import { expect, test } from "bun:test";
import { wellFormedJson } from "../../src/lib/json.ts";

test.each([
  ["a half as an escape", '{"a":"x\\ud800y"}', '{"a":"x\ufffdy"}'],
  ["the other half in capitals", '{"a":"\\uDC00"}', '{"a":"\ufffd"}'],
  ["halves in the wrong order", '"\\udc00\\ud800"', '"\ufffd\ufffd"'],
  ["a half before a pair", '"\\ud83d\\ud83d\\ude00"', '"\ufffd\\ud83d\\ude00"'],
  ["a half that is written as itself", '"\ud83d"', '"\ufffd"'],
  ["a pair as escapes", '"\\ud83d\\ude00"', '"\\ud83d\\ude00"'],
  ["a pair", '"😀"', '"😀"'],
  ["words about an escape", '"\\\\ud800"', '"\\\\ud800"'],
  ["an escape behind a backslash", '"\\\\\\ud800"', '"\\\\\ufffd"'],
  ["another escape", '"\\ud7ff\\ue000"', '"\\ud7ff\\ue000"'],
])("%s", (_case, text, expected) => {
  expect(wellFormedJson(text)).toBe(expected);
});

test("what JSON.stringify writes of halves", () => {
  const value = { half: "a\ud800", pair: "😀", path: "C:\\ud800" };
  expect(JSON.parse(wellFormedJson(JSON.stringify(value)))).toEqual({ ...value, half: "a\ufffd" });
});
