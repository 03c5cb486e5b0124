// Large JSON is read and written as small JSON is, whatever is in it.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { defaultLimits } from "../../src/config/limits.ts";
import { parseBody, writeBody } from "../../src/lib/body-thread.ts";
import { inSteps } from "../../src/lib/event-loop-turn.ts";
import { isExactNumber, type Json } from "../../src/lib/json.ts";
import { writeSteps } from "../../src/lib/json-write.ts";
import { parseJson } from "../../src/lib/read-json.ts";
import { putBack, removeBytes } from "../../src/lib/redact-bytes.ts";
import { isLargerThan } from "../../src/lib/size.ts";
import { createThread } from "../../src/lib/thread.ts";

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const long = 'a"\\\n\u0001é界😀'.repeat(20_000);
const padding = `"${"x".repeat(300_000)}"`;
const limits = { ...defaultLimits, maxJsonDepth: 20 };

/** JSON of a value with U+FFFD for halves of surrogate pairs in its texts. */
const wellFormed = (value: unknown): string =>
  JSON.stringify(value, (_name, inner: unknown) => (typeof inner === "string" ? inner.toWellFormed() : inner));

test.each([
  ["texts", JSON.stringify({ long, list: [long, { [long]: long }], short: "s" })],
  ["a member named __proto__", `{"a":{"__proto__":{"b":${padding}},"__proto__x":1},"__proto__":2}`],
  ["names that are numbers, and the order of names", `{"z":${padding},"10":1,"a":2,"1":[null,true,false,-0.5,1e300]}`],
  ["halves of surrogate pairs", `{"a":"${"\\ud83d".repeat(40_000)}${"😀".repeat(70_000)}"}`],
  ["half a pair where a long text is cut", `{"a":"${"a".repeat(512 * 1024 - 1)}\\ud83d😀"}`],
  ["a text alone", padding],
  ["white space", `{ "a" : [ ${" ".repeat(400_000)} ] }`],
])("%s", async (_name, text) => {
  const expected = JSON.parse(text) as Json;
  const read = await parseBody(bytesOf(text), limits);
  expect(read).toMatchObject({ ok: true, value: expected });
  if (!read.ok) throw new Error("it was not read");
  expect(JSON.stringify(read.value)).toBe(JSON.stringify(expected));
  expect(textOf(await inSteps(writeSteps(read.value)))).toBe(wellFormed(expected));
  const written = await writeBody(read.value);
  expect(typeof written === "string" ? written : textOf(written)).toBe(wellFormed(expected));
});

test.each([
  ["syntax", `{"a":${padding},}`],
  ["encoding", new Uint8Array([...bytesOf(`{"a":${padding},"b":"`), 0xff, 34, 125])],
  ["depth", `${"[".repeat(21)}${padding}${"]".repeat(21)}`],
  ["number", `{"a":${padding},"b":${"1".repeat(1_025)}}`],
  ["members", `{"a":${padding},${Array.from({ length: 10_000 }, (_, index) => `"${index}":1`).join(",")}}`],
  ["members", `[${padding}${`,{${Array.from({ length: 9_000 }, (_, index) => `"${index}":1`).join(",")}}`.repeat(5)}]`],
  ["containers", `[${padding}${",[]".repeat(20_000)}]`],
  ["strings", `[${padding}${',""'.repeat(40_000)}]`],
  ["values", `[${padding}${",1".repeat(400_000)}]`],
])("%s is a fault in a large body as in a small one", async (reason, body) => {
  const bytes = typeof body === "string" ? bytesOf(body) : body;
  const expected = parseJson(bytes.slice(), limits);
  if (expected.ok) throw new Error("it was read");
  expect(expected.fault.reason).toBe(reason as typeof expected.fault.reason);
  if (typeof body === "string") expect(await parseBody(body, limits)).toEqual(expected);
  expect(await parseBody(bytes, limits)).toEqual(expected);
});

test("numbers that JavaScript cannot hold keep their text", async () => {
  const text = `{"a":${padding},"b":[1152921504606846977,{"c":1E400,"d":0.1}],"e":"${"1152921504606846977".repeat(4_000)}"}`;
  const read = await parseBody(bytesOf(text), limits);
  if (!read.ok) throw new Error("it was not read");
  expect(read.mayBeExact).toBe(true);
  const { b } = read.value as { b: [Json, { c: Json }] };
  expect([isExactNumber(b[0]), isExactNumber(b[1].c)]).toEqual([true, true]);
  expect(textOf(await inSteps(writeSteps(read.value)))).toBe(text);
});

test("values are written in steps as they are written at once", async () => {
  const values = fc.jsonValue({ maxDepth: 5, stringUnit: "binary" }) as fc.Arbitrary<Json>;
  await fc.assert(
    fc.asyncProperty(fc.array(values, { maxLength: 30 }), fc.integer({ min: 0, max: 3 }), async (list, times) => {
      const value = {
        list,
        long: long.slice(0, times * 40_000),
        more: Array.from({ length: times * 3_000 }, () => list[0] ?? 0),
      };
      expect(textOf(await inSteps(writeSteps(value)))).toBe(wellFormed(value));
    }),
    { numRuns: 60 },
  );
});

test("long texts are put back where they were", () => {
  const value = { a: [long, { b: long }, "short"], c: long };
  const root = { value: structuredClone(value) };
  const taken = removeBytes(root);
  expect(taken.texts.length).toBe(3);
  expect(JSON.stringify(root).length).toBeLessThan(100);
  putBack(root, taken);
  expect(root.value).toEqual(value);
});

test("a value is larger than what it holds less one", () => {
  expect([isLargerThan("abc", 2), isLargerThan("abc", 3)]).toEqual([true, false]);
  expect([isLargerThan(["a", ["b"], 1], 4), isLargerThan(["a", ["b"], 1], 5)]).toEqual([true, false]);
});

test("a thread that dies fails its jobs and is replaced", async () => {
  const code = `self.onmessage = ({ data }) => { if (data.content === "die") process.exit(1); self.postMessage({ id: data.id, content: data.content }); };`;
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const thread = createThread<string, string>(() => url);
  expect((await thread.run("a")).result).toBe("a");
  await expect(thread.run("die")).rejects.toThrow("the thread");
  expect((await thread.run("b")).result).toBe("b");
});
