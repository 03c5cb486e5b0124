// The last members of a long JSON object: what they say is what a parse of the whole says, or nothing is said.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { lastMembers } from "../../src/lib/json-tail.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

test("the member and what follows it are read", () => {
  const text = '{"choices":[{"message":{"content":"a \\"usage\\": b"}}],"usage":{"prompt_tokens":3},"id":"x"}';
  expect(lastMembers(bytesOf(text), "usage")).toEqual({ usage: { prompt_tokens: 3 }, id: "x" });
  expect(lastMembers(bytesOf(text.replaceAll('],"', '] ,\n "')), "usage")).not.toBeNull();
});

test("a member of another object, a repeated one, a text and a long rest are not read", () => {
  const refused = [
    '{"a":{"b":1,"usage":{"prompt_tokens":3}},"id":"x"}',
    '{"a":[1,{"b":1,"usage":3}]}',
    '{"a":1,"usage":1,"b":{"c":2,"usage":3}}',
    '{"a":["b","usage"]}',
    '{"usage":1}',
    `{"a":1,"usage":{},"long":"${"x".repeat(5_000)}"}`,
    '{"a":1}',
  ];
  for (const text of refused) expect(lastMembers(bytesOf(text), "usage")).toBeNull();
});

test("whatever a value holds, its last member is its own", () => {
  const name = fc.constantFrom("usage", "a", '"usage"', "b\\", "c,");
  const value = fc.letrec((tie) => ({
    any: fc.oneof(fc.string(), name, fc.integer(), fc.array(tie("any")), fc.dictionary(name, tie("any"))),
  })).any;
  fc.assert(
    fc.property(fc.dictionary(name, value), fc.boolean(), (object, isPretty) => {
      const found = lastMembers(bytesOf(JSON.stringify(object, null, isPretty ? 2 : 0)), "usage");
      if (found !== null) expect(found["usage"]).toEqual(JSON.parse(JSON.stringify(object)).usage);
    }),
    { numRuns: 500 },
  );
});
