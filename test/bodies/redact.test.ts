// Values of named members are removed whole: with quotes in them, inside JSON texts, cut off, and however long.
import { expect, test } from "bun:test";
import { redactorFor } from "../../src/gateway/bodies/redact.ts";

const redact = redactorFor({ fields: ["content"], patterns: [] });
const values = ['say "hi"', "ends with \\", '\\"', '"', "", 'a"\\b'.repeat(300_000)];

/** JSON in a string of JSON, so many times. */
const nested = (value: string, depth: number): string =>
  depth === 0 ? JSON.stringify({ content: value, more: "stays" }) : JSON.stringify({ text: nested(value, depth - 1) });

test.each([0, 1, 2])("at depth %d", (depth) => {
  for (const value of values) expect(redact(nested(value, depth))).toBe(nested("[redacted]", depth));
});

test("a body that was cut within the value", () => {
  expect(redact('{"content":"the \\"secret\\" wo')).toBe('{"content":"[redacted]"');
});

test("numbers and booleans too, and nothing else", () => {
  expect(redact('{"content": 12.5, "password": true, "a": "content"}')).toBe(
    '{"content": "[redacted]", "password": "[redacted]", "a": "content"}',
  );
  expect(redact('{"content":[{"text":"stays"}]}')).toBe('{"content":[{"text":"stays"}]}');
});
