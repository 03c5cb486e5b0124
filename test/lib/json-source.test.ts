// A body goes on as its bytes where nothing but one string in it changes, and is serialized wherever that is not sure.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Json, type JsonObject, parseJsonText } from "../../src/lib/json.ts";
import { bodyOf, type JsonSource, type WrittenBody } from "../../src/lib/json-source.ts";

const encoder = new TextEncoder();

/** The same body as text and as bytes. */
const sourcesOf = (text: string): JsonSource[] => [
  { value: parseJsonText(text) as JsonObject, body: text },
  { value: parseJsonText(text) as JsonObject, body: encoder.encode(text) },
];

const textOf = (body: WrittenBody): string => (typeof body === "string" ? body : Buffer.concat(body).toString());

function sent(text: string, model: Json = "new", changes: JsonObject = {}): string | null {
  const [asText, asBytes] = sourcesOf(text).map((source) => {
    const body = bodyOf({ ...source.value, model, ...changes }, source);
    return body === null ? null : textOf(body);
  });
  expect(asText).toBe(asBytes as string | null);
  return asText ?? null;
}

test.each([
  ["white space and the order of members", '{ "b" : [1 , 2] ,\n\t"model" :  "old" , "a":1 }'],
  ["numbers with many digits", '{"model":"old","n":[1152921504606846977,0.12345678901234567890,1e2,-0.0,1E-7]}'],
  ["Unicode as itself and as escapes", '{"x":"é界😀 \\u00e9 \\ud83d\\ude00 \\u0000","model":"old"}'],
  ["the name within a text", '{"text":"\\"model\\":\\"old\\" and model","model":"old"}'],
  ["two equal members of another name", '{"a":1,"model":"old","a":2}'],
  ["a member named __proto__", '{"__proto__":{"a":1},"model":"old"}'],
  ["nothing else", '{"model":"old"}'],
])("%s stay as they came", (_case, text) => {
  expect(sent(text)).toBe(text.replace(/("model"\s*:\s*)"old"/, '$1"new"'));
  expect(sent(text, "old")).toBe(text);
});

test.each([
  ["the member twice", '{"model":"a","model":"old"}'],
  ["the member hidden by escapes", '{"model":"old","mo\\u0064el":"old"}'],
  ["the member hidden by escapes in capitals", '{"model":"old","\\u006DODEL":1,"\\u006Dodel":"old"}'],
  ["the member written with escapes alone", '{"\\u006dodel":"old"}'],
  ["another object's member of that name", '{"a":{"model":"old"},"model":"old"}'],
  ["that name as a text", '{"a":"model","model":"old"}'],
  ["a value written with escapes", '{"model":"o\\u006cd"}'],
  ["a value with an escaped slash", '{"model":"a\\/b"}'],
  ["half of a surrogate pair", '{"model":"old","a":"\\ud83d"}'],
  ["half of a surrogate pair in capitals", '{"model":"old","a":"\\uD83D"}'],
])("%s is serialized", (_case, text) => {
  expect(sent(text)).toBeNull();
});

test("other changes are serialized: a member more, less, or of another value", () => {
  const text = '{"model":"old","a":[1],"b":null}';
  expect(sent(text, "new", { c: 1 })).toBeNull();
  expect(sent(text, "new", { a: undefined })).toBeNull();
  expect(sent(text, "new", { a: [1] })).toBeNull();
  expect(sent(text, "new", { c: undefined })).toBe('{"model":"new","a":[1],"b":null}');
  expect(sent(text, 1)).toBeNull();
});

test("the source stays as it was, for another attempt; released, it cannot be sent", () => {
  for (const source of sourcesOf('{"model":"old","a":1}')) {
    const first = bodyOf({ ...source.value, model: "first" }, source);
    const second = bodyOf({ ...source.value, model: 'a longer "name" é' }, source);
    expect([first, second].map((body) => textOf(body ?? ""))).toEqual([
      '{"model":"first","a":1}',
      '{"model":"a longer \\"name\\" é","a":1}',
    ]);
    source.body = undefined;
    expect(bodyOf(source.value, source)).toBeNull();
  }
});

test("large bytes are not copied: only the model is written", () => {
  const bytes = encoder.encode('{"a":"界","model":"old","b":1}');
  const source = { value: parseJsonText(new TextDecoder().decode(bytes)) as JsonObject, body: bytes };
  const pieces = bodyOf({ ...source.value, model: "new" }, source) as readonly Uint8Array[];
  expect(pieces.map(({ buffer }) => buffer === bytes.buffer)).toEqual([true, false, true]);
});

test("whatever a body holds, the body says what the value says", () => {
  const members = fc.dictionary(
    fc.constantFrom("model", "a", "messages", "text"),
    fc.jsonValue({ stringUnit: "binary" }),
  );
  fc.assert(
    fc.property(members, fc.string(), fc.string({ unit: "binary" }), fc.nat(3), (object, old, model, space) => {
      for (const source of sourcesOf(JSON.stringify({ ...object, model: old }, undefined, space))) {
        const value = { ...source.value, model };
        const body = bodyOf(value, source);
        if (body !== null) expect(parseJsonText(textOf(body))).toEqual(parseJsonText(JSON.stringify(value)) as Json);
      }
    }),
  );
});
