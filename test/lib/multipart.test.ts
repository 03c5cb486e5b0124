// Forms: what is written is read again part by part without a copy, and what is broken says where.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { defaultLimits } from "../../src/config/limits.ts";
import { boundaryOf, type MultipartResult, readMultipart as readWithin } from "../../src/lib/multipart.ts";
import { writeMultipart as piecesOf, type WrittenPart } from "../../src/lib/multipart-write.ts";

const writeMultipart = (parts: readonly WrittenPart[], boundary: string) =>
  new Uint8Array(Buffer.concat(piecesOf(parts, boundary)));

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const head = (name: string): string => `Content-Disposition: form-data; name="${name}"`;
const readMultipart = (bytes: Uint8Array, boundary: string, limits = defaultLimits): MultipartResult => {
  const work = readWithin(bytes, boundary, limits);
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
};
const form = (text: string) => readMultipart(bytesOf(text.replaceAll("\n", "\r\n")), "b");
const faultOf = (text: string) => {
  const read = form(text);
  return read.ok ? null : read.fault;
};

const parts: fc.Arbitrary<WrittenPart[]> = fc.array(
  fc.oneof(
    fc.record({ name: fc.string({ unit: "grapheme", minLength: 1 }), value: fc.string({ unit: "binary" }) }),
    fc.record({
      name: fc.string({ minLength: 1 }),
      fileName: fc.string({ unit: "grapheme" }),
      type: fc.constantFrom("image/png", "", "text/plain; charset=utf-8"),
      bytes: fc.uint8Array({ maxLength: 200 }),
    }),
  ),
  { maxLength: 6 },
);

/** What the escapes of a name cannot carry: bytes that stand for escapes themselves, and control characters. */
const isPlain = (text: string): boolean => !/[\\%\u0000-\u001f\u007f]/.test(text) && text.isWellFormed();

test("what is written is read again", () => {
  const boundary = "x".repeat(70);
  fc.assert(
    fc.property(parts, (written) => {
      fc.pre(
        written.every(
          (part) => isPlain(part.name) && ("value" in part ? part.value.isWellFormed() : isPlain(part.fileName)),
        ),
      );
      const read = readMultipart(writeMultipart(written, boundary), boundary);
      const expected = written.map((part) =>
        "value" in part
          ? { name: part.name, type: "", bytes: bytesOf(part.value) }
          : { name: part.name, fileName: part.fileName, type: part.type, bytes: part.bytes },
      );
      expect(read).toEqual({ ok: true, parts: written.length === 0 ? [] : expected });
    }),
  );
});

test("no cut of a form is read as a form, and no garbage throws", () => {
  const whole = writeMultipart(
    [
      { name: "a", value: "1" },
      { name: "f", fileName: "f", type: "", bytes: bytesOf("\r\n--") },
    ],
    "b",
  );
  for (let end = 0; end < whole.length - 4; end++) {
    const read = readMultipart(whole.subarray(0, end), "b");
    expect({ end, ok: read.ok }).toEqual({ end, ok: false });
    if (!read.ok) expect(read.fault.at).toBeLessThanOrEqual(end);
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(whole.length), (noise, at) => {
      const mixed = Buffer.concat([whole.subarray(0, at), noise, whole.subarray(at)]);
      expect(typeof readMultipart(mixed, "b").ok).toBe("boolean");
    }),
  );
});

test("parts are views on the body", () => {
  const body = writeMultipart([{ name: "f", fileName: "f", type: "", bytes: new Uint8Array(1_000) }], "b");
  const shifted = new Uint8Array([9, 9, ...body]).subarray(2);
  const read = readMultipart(shifted, "b");
  expect(read.ok && read.parts[0]?.bytes.buffer).toBe(shifted.buffer);
  expect(read.ok && read.parts[0]?.bytes.length).toBe(1_000);
});

test("forms as various clients write them", () => {
  const ok = (text: string) => {
    const read = form(text);
    return read.ok
      ? read.parts.map(({ bytes, ...part }) => ({ ...part, text: new TextDecoder().decode(bytes) }))
      : read.fault;
  };
  expect(ok(`--b\n${head("a")}\n\n1\n--b--`)).toEqual([{ name: "a", type: "", text: "1" }]);
  expect(ok(`\n--b  \ncontent-disposition:form-data;name=a\n\n1\n--b--\n\n`)).toEqual([
    { name: "a", type: "", text: "1" },
  ]);
  expect(ok(`--b\n${head("a")}\nContent-Type: text/plain\n\n\n--b--\n`)).toEqual([
    { name: "a", type: "text/plain", text: "" },
  ]);
  expect(ok(`--b\n${head("a")}\n\n--b--\n`)).toEqual([{ name: "a", type: "", text: "" }]);
  expect(ok(`--b\n${head("a")}; filename="x.png"; filename*=UTF-8''%e2%82%ac.png\n\n1\n--b--`)).toMatchObject([
    { fileName: "€.png" },
  ]);
  expect(ok(`--b\n${head('a\\"b')}; filename="C:\\x\\y.png"\n\n1\n--b--`)).toMatchObject([
    { name: 'a"b', fileName: "C:\\x\\y.png" },
  ]);
});

test("what is no form says why, and where", () => {
  const good = `--b\n${head("a")}\n\n1\n`;
  expect(faultOf("")).toEqual({ reason: "start", at: 0 });
  expect(faultOf(`preamble\n${good}--b--`)).toEqual({ reason: "start", at: 0 });
  expect(faultOf(`--bX\n${head("a")}\n\n1\n--b--`)).toEqual({ reason: "boundary", at: 3 });
  expect(faultOf(`${good}--b--and more`)).toMatchObject({ reason: "boundary" });
  expect(faultOf(good)).toMatchObject({ reason: "end" });
  expect(faultOf("--b")).toEqual({ reason: "end", at: 3 });
  expect(faultOf(`--b\nX: 1\n\n1\n--b--`)).toMatchObject({ reason: "disposition", at: 5 });
  expect(faultOf(`--b\nContent-Disposition: attachment; name="a"\n\n1\n--b--`)).toMatchObject({
    reason: "disposition",
  });
  expect(faultOf(`--b\n${head("a")}; name="b"\n\n1\n--b--`)).toMatchObject({ reason: "disposition" });
  expect(faultOf(`--b\n${head("a")} junk\n\n1\n--b--`)).toMatchObject({ reason: "disposition" });
  expect(faultOf(`--b\n${head("a")}\n${head("b")}\n\n1\n--b--`)).toMatchObject({ reason: "header" });
  expect(faultOf(`--b\n${head("a")}\nno colon\n\n1\n--b--`)).toMatchObject({ reason: "header" });
  expect(faultOf(`--b\n${head("a")}\nContent-Transfer-Encoding: base64\n\n1\n--b--`)).toMatchObject({
    reason: "encoding",
  });
});

test("parts and headers have bounds", () => {
  const many = (count: number) =>
    readMultipart(
      writeMultipart(
        Array.from({ length: count }, () => ({ name: "a", value: "" })),
        "b",
      ),
      "b",
    );
  expect(many(256).ok).toBe(true);
  expect(many(257)).toMatchObject({ ok: false, fault: { reason: "parts" } });
  const long = (length: number) =>
    form(`--b\n${head("a")}\nX: ${"x".repeat(length - head("a").length - 5)}\n\n1\n--b--`);
  expect(long(8_192).ok).toBe(true);
  expect(long(8_193)).toMatchObject({ ok: false, fault: { reason: "header", at: 5 } });
  expect(form(`--b\n${"x".repeat(9_000)}`)).toMatchObject({ ok: false, fault: { reason: "header" } });
});

test("a boundary has up to 70 characters, quoted or not", () => {
  const type = "multipart/form-data";
  expect(boundaryOf(`${type}; boundary=abc`)).toBe("abc");
  expect(boundaryOf(`Multipart/Form-Data; charset=utf-8; Boundary="a b"; x=1`)).toBe("a b");
  expect(boundaryOf(`${type}; boundary=${"x".repeat(70)}`)).toHaveLength(70);
  const bad = [
    type,
    `${type}; boundary=`,
    `${type}; boundary="a "`,
    `${type}; boundary=${"x".repeat(71)}`,
    `${type}; boundary="a\\"b"`,
  ];
  expect([...bad, "application/json; boundary=a"].map(boundaryOf)).toEqual([null, null, null, null, null, null]);
});
