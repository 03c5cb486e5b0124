// Framing attacks: a request whose length two readers could understand differently never lets a second request out of its body (C13).
import { afterAll, beforeAll, expect, test } from "bun:test";
import { gateway, type RunningGateway } from "../support/gateway.ts";
import { sendRaw } from "../support/raw-http.ts";

let served: RunningGateway;
beforeAll(async () => {
  served = await gateway();
});
afterAll(() => served.stop());

const smuggled = "GET /livez HTTP/1.1\r\nhost: inner\r\n\r\n";
const head = (...lines: string[]) => ["POST /v1/chat/completions HTTP/1.1", ...lines, "", ""].join("\r\n");
const host = "host: outer";
const chunked = "transfer-encoding: chunked";
const length = (bytes: number | string) => `content-length: ${bytes}`;
const lastChunk = "0\r\n\r\n";
const size = smuggled.length;

/** What is sent, with the request that must not be answered where another reader would see only a body. */
const cases: Readonly<Record<string, string>> = {
  "a length and chunks, length first": head(host, length(lastChunk.length + size), chunked) + lastChunk + smuggled,
  "a length and chunks, chunks first": head(host, chunked, length(lastChunk.length + size)) + lastChunk + smuggled,
  "a length of zero and chunks": head(host, length(0), chunked) + lastChunk + smuggled,
  "two lengths": head(host, length(0), length(size)) + smuggled,
  "two lengths in one line": head(host, `content-length: 0, ${size}`) + smuggled,
  "the same length twice in one line": head(host, `content-length: 0, 0`) + smuggled,
  "a negative length": head(host, length(-1)) + smuggled,
  "a length with a plus": head(host, length("+0")) + smuggled,
  "a length in hexadecimal": head(host, length("0x0")) + smuggled,
  "a length with a fraction": head(host, length("0.0")) + smuggled,
  "a length with an exponent": head(host, length("0e1")) + smuggled,
  "a length with a letter": head(host, length("0a")) + smuggled,
  "an empty length": head(host, "content-length:") + smuggled,
  "a length of twenty digits": head(host, length("00000000000000000000000")) + smuggled,
  "a length beyond 64 bits": head(host, length("18446744073709551616")) + smuggled,
  "a space before the colon": head(host, "content-length : 0") + smuggled,
  "a tab before the colon": head(host, "transfer-encoding\t: chunked") + lastChunk + smuggled,
  "a vertical tab in the name": head(host, "transfer-encoding\v: chunked") + lastChunk + smuggled,
  "a vertical tab in the value": head(host, "transfer-encoding: \vchunked") + lastChunk + smuggled,
  "a form feed in the value": head(host, "transfer-encoding: chunked\f") + lastChunk + smuggled,
  "a NUL in the value": head(host, "transfer-encoding: chunked\0") + lastChunk + smuggled,
  "a NUL in the name": head(host, "transfer-\0encoding: chunked") + lastChunk + smuggled,
  "chunks as one of several encodings":
    head(host, "transfer-encoding: identity, chunked", length(5)) + lastChunk + smuggled,
  "chunks before another encoding": head(host, "transfer-encoding: chunked, identity") + lastChunk + smuggled,
  "an unknown encoding": head(host, "transfer-encoding: xchunked", length(0)) + smuggled,
  "an encoding in quotes": head(host, 'transfer-encoding: "chunked"', length(0)) + smuggled,
  "two lines of encoding": head(host, chunked, "transfer-encoding: identity", length(0)) + lastChunk + smuggled,
  "a folded header": head(host, "transfer-encoding:\r\n chunked", length(0)) + lastChunk + smuggled,
  "a folded value": head(host, "x-a: b\r\n transfer-encoding: chunked", length(0)) + lastChunk + smuggled,
  "a bare line feed behind a header": `POST /v1/chat/completions HTTP/1.1\r\n${host}\n${length(0)}\r\n\r\n${smuggled}`,
  "bare line feeds only": `POST /v1/chat/completions HTTP/1.1\n${host}\n${length(0)}\n\n${smuggled}`,
  "a bare carriage return in a header": head(host, `x-a: b\r${length(size)}`, length(0)) + smuggled,
  "a chunk with a negative size": `${head(host, chunked)}-1\r\n${smuggled}`,
  "a chunk with an overflowing size": `${head(host, chunked)}ffffffffffffffff0\r\n${smuggled}`,
  "a chunk size with 0x": `${head(host, chunked)}0x0\r\n\r\n${smuggled}`,
  "a chunk size behind a space": `${head(host, chunked)} 0\r\n\r\n${smuggled}`,
  "a chunk that ends with a bare line feed": `${head(host, chunked)}1\r\na\n0\n\n${smuggled}`,
  "a chunk longer than its size": `${head(host, chunked)}1\r\nabc\r\n0\r\n\r\n${smuggled}`,
  "a chunk extension with a line feed": `${head(host, chunked)}0;a\nb\r\n\r\n${smuggled}`,
  "a body under HTTP/1.0 with chunks": `POST /v1/chat/completions HTTP/1.0\r\n${host}\r\n${chunked}\r\n\r\n${lastChunk}${smuggled}`,
  "HTTP/0.9": `POST /v1/chat/completions\r\n${smuggled}`,
  "HTTP/2.0 in the request line": `POST /v1/chat/completions HTTP/2.0\r\n${host}\r\n${length(0)}\r\n\r\n${smuggled}`,
};

const statuses = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.[01] (\d{3})/g)].map(([, status]) => Number(status));

test("a second request behind one that is framed well is answered", async () => {
  const { text } = await sendRaw(served.url, [head(host, length(0)) + smuggled], 300);
  expect(statuses(text)).toEqual([401, 200]);
  expect(text).toContain('"status":"ok"');
});

test.each(Object.entries(cases))("%s", async (_name, bytes) => {
  const { text } = await sendRaw(served.url, [bytes], 300);
  expect(text).not.toContain('"status":"ok"');
  // The key is looked at before the body, so that a fault within the body may follow a 401.
  expect([400, 505]).toContain(statuses(text).at(-1) ?? 0);
  expect(statuses(text).slice(0, -1)).toEqual(statuses(text).length > 1 ? [401] : []);
});
