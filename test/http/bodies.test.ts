// Bodies at their edges: encodings, compressions, lengths that lie, JSON that is almost right, and how much of it.
import { describe, expect, test } from "bun:test";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { says } from "../support/fixtures.ts";
import { sendRaw } from "../support/raw-http.ts";
import { errorOf, setting } from "./setting.ts";

const { world, bearer, post } = await setting();
const { alpha } = world.upstreams;
const smallest = '"model":"gpt-x","messages":[{"role":"user","content":"hi"}]';
/** A body of more than 16 KB is read in another way than a small one. */
const sizes = { small: smallest, large: `${smallest},"pad":"${"x".repeat(20_000)}"` };
const whole = `{${smallest}}`;
const nested = (members: string, depth: number) =>
  `{${members},"more":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
const megabytes = 1024 * 1024;
const answers = () => alpha.on("*", says("openai-chat/text.json"));
const sent = () => alpha.requests[0]?.json as Record<string, unknown>;

type Case = [string, string | Uint8Array, Record<string, string>?];
const acceptedWith = (members: string, whole = `{${members}}`): Case[] => [
  ["JSON 128 deep", nested(members, 128)],
  ["white space around it", ` \r\n\t${whole}\n\n`],
  ["escapes and every plane of Unicode", `{${members},"user":"\\u0000\\ud83d\\ude00é\u2028"}`],
  ["the mark of a replaced character, and Latin-1", `{${members},"user":"\uFFFD é"}`],
  ["a lone half of a surrogate pair, escaped", `{${members},"user":"\\ud83d"}`],
  ["the largest numbers that are numbers", `{${members},"more":[1e308,-1e308,5e-324,12345678901234567890]}`],
  ["a content type with a charset", whole, { "content-type": "application/json; charset=utf-8" }],
  ["a content type of the family", whole, { "content-type": "application/vnd.api+json" }],
  ["a content type in capitals", whole, { "content-type": "APPLICATION/JSON" }],
  ["an encoding that is none", whole, { "content-encoding": "identity" }],
  ["gzip", gzipSync(whole), { "content-encoding": "gzip" }],
  ["gzip by its old name, in capitals", gzipSync(whole), { "content-encoding": "X-GZIP" }],
  ["deflate", deflateSync(whole), { "content-encoding": "deflate" }],
  ["brotli", brotliCompressSync(whole), { "content-encoding": "br" }],
  ["zstd", zstdCompressSync(whole), { "content-encoding": "zstd" }],
];

const named = ([what, body, headers]: Case) => ({ what, body, headers });

describe.each(Object.entries(sizes))("%s", (_size, members) => {
  test.each(acceptedWith(members).map(named))("$what is read", async ({ body, headers }) => {
    answers();
    expect((await post(body, headers)).status).toBe(200);
    expect(sent()).toMatchObject({ model: "gpt-x" });
  });
});

const utf16 = (text: string, mark: boolean) => Buffer.from(`${mark ? "\uFEFF" : ""}${text}`, "utf16le");

const refusedWith = (members: string, whole = `{${members}}`): Case[] => [
  ["JSON 129 deep", nested(members, 129)],
  ["objects 129 deep", `${'{"a":'.repeat(129)}1${"}".repeat(129)}`],
  ["a byte order mark", `\uFEFF${whole}`],
  ["UTF-16 with a mark", utf16(whole, true)],
  ["UTF-16 without one", utf16(whole, false)],
  ["Latin-1", Buffer.from(`{${members},"user":"é"}`, "latin1")],
  ["an overlong slash", Buffer.concat([Buffer.from(`{${members},"user":"`), Buffer.of(0xc0, 0xaf), Buffer.from('"}')])],
  [
    "a character that is cut off",
    Buffer.concat([Buffer.from(`{${members},"user":"`), Buffer.of(0xf0, 0x9f, 0x98), Buffer.from('"}')]),
  ],
  ["a byte that no text has", Buffer.concat([Buffer.from(`{${members},"user":"`), Buffer.of(0xff), Buffer.from('"}')])],
  [
    "a surrogate in UTF-8",
    Buffer.concat([Buffer.from(`{${members},"user":"`), Buffer.of(0xed, 0xa0, 0x80), Buffer.from('"}')]),
  ],
  ["something behind it", `${whole}x`],
  ["two of them", `${whole}${whole}`],
  ["a comma too many", `{${members},}`],
  ["single quotes", whole.replaceAll('"', "'")],
  ["a comment", `/* hello */${whole}`],
  ["NaN", `{${members},"seed":NaN}`],
  ["1e999", `{${members},"seed":1e999}`],
  ["-1e999 deep inside", `{${members},"more":{"a":[[-1e999]]}}`],
  ["a raw line end in a string", `{${members},"user":"a\nb"}`],
  ["half of it", whole.slice(0, 30)],
  ["nothing", ""],
  ["a list", "[]"],
  ["null", "null"],
  ["a string", '"hello"'],
  ["a number", "42"],
  ["more values than a gateway counts", `{${members},"more":[${"1,".repeat(1_000_001)}1]}`],
  ["a form", "model=gpt-x&messages=hi"],
];

describe.each(Object.entries(sizes))("%s", (_size, members) => {
  test.each(refusedWith(members).map(named))("$what is 400 invalid_json", async ({ body }) => {
    const error = await errorOf(await post(body), 400);
    expect(error).toMatchObject({ code: "invalid_json", type: "invalid_request_error", param: null });
    expect(alpha.requests).toHaveLength(0);
  });
});

test("a refusal of JSON does not repeat what was in it", async () => {
  const { message } = await errorOf(await post(`{${smallest},"password":"hunter2",}`), 400);
  expect(message).not.toContain("hunter2");
});

const kilobytes = 1024;
const passed = { ASCII: "a", "Latin-1": "é", Chinese: "界", emoji: "😀", escapes: "\\n\\u0001" };

describe.each(Object.entries(passed))("%s", (_name, text) => {
  test.each([1, 15, 17, 127, 129, 900, 1_100])("%d KB reach the provider as they came", async (size) => {
    answers();
    const body = `{${smallest}, "user" : "${text.repeat((size * kilobytes) / Buffer.byteLength(text))}" }`;
    expect((await post(body)).status).toBe(200);
    expect(alpha.requests[0]?.text === body).toBe(true);
    expect(alpha.requests[0]?.headers.get("content-length")).toBe(String(Buffer.byteLength(body)));
  });
});

describe("keys that are special", () => {
  test("the last of two equal keys counts, here and upstream", async () => {
    answers();
    expect((await post(`{${smallest},"temperature":9,"temperature":0.5}`)).status).toBe(200);
    expect(sent()["temperature"]).toBe(0.5);
    expect((await post(`{${smallest},"temperature":0.5,"temperature":9}`)).status).toBe(400);
  });

  test("__proto__ and constructor change nothing and travel on as fields", async () => {
    answers();
    await post(`{${smallest},"__proto__":{"stream":true,"polluted":1},"constructor":{"prototype":{"polluted":1}}}`);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(sent()["stream"]).toBeUndefined();
    expect(Object.keys(sent())).toContain("constructor");
  });

  test("a required field cannot come from __proto__", async () => {
    const error = await errorOf(
      await post(`{"__proto__":{"model":"gpt-x"},${smallest.slice(smallest.indexOf('"messages"'))}}`),
      400,
    );
    expect(error).toMatchObject({ code: "missing_required_parameter", param: "model" });
  });
});

describe("sizes", () => {
  test("a large body passes, the first byte over the bound does not", async () => {
    answers();
    const spareBytes = 32 * megabytes - `{${smallest},"user":""}`.length;
    expect((await post(`{${smallest},"user":"${"x".repeat(spareBytes)}"}`)).status).toBe(200);
    const error = await errorOf(await post(`{${smallest},"user":"${"x".repeat(spareBytes + 1)}"}`), 413);
    expect(error).toMatchObject({ code: "request_too_large", type: "invalid_request_error" });
    expect(error["message"]).toContain("32 MiB");
  });

  const compressions = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync };

  test.each(Object.entries(compressions))("%s: a bomb is 413, damage is 400", async (encoding, compress) => {
    const headers = { "content-encoding": encoding };
    const bomb = compress(Buffer.alloc(64 * megabytes, 32));
    expect(bomb.length).toBeLessThan(megabytes);
    expect(await errorOf(await post(bomb, headers), 413)).toMatchObject({ code: "request_too_large" });
    const plain = Buffer.from(`{${smallest},"user":"${crypto.randomUUID().repeat(50)}"}`);
    const good = compress(plain);
    const damaged = [good.subarray(0, good.length - 10), Buffer.from(whole), Buffer.alloc(0)];
    for (const body of damaged) {
      const answer = await post(body, headers);
      expect({ length: body.length, status: answer.status }).toEqual({ length: body.length, status: 400 });
      await errorOf(answer, 400);
    }
    expect(alpha.requests).toHaveLength(0);
  });

  test("an encoding that nobody knows is 415 and says which are known", async () => {
    for (const encoding of ["lzma", "gzip, gzip", "deflate-raw", "utf-8"]) {
      const error = await errorOf(await post(deflateRawSync(whole), { "content-encoding": encoding }), 415);
      expect(error).toMatchObject({ code: "unsupported_media_type" });
    }
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonp",
    "",
  ])("content type '%s' is 415", async (type) => {
    expect(await errorOf(await post(Buffer.from(whole), { "content-type": type }), 415)).toMatchObject({
      code: "unsupported_media_type",
      message: expect.stringContaining("application/json"),
    });
  });
});

describe("what the head says of the body", () => {
  const head = (...lines: string[]) =>
    [
      "POST /v1/chat/completions HTTP/1.1",
      "host: turnpike",
      "content-type: application/json",
      `authorization: ${bearer.authorization}`,
      ...lines,
      "",
      "",
    ].join("\r\n");

  const raw = async (...pieces: (string | Uint8Array)[]) => (await sendRaw(world.gateway.url, pieces, 30)).status;

  test("a true length is read", async () => {
    answers();
    expect(await raw(head(`content-length: ${whole.length}`), whole)).toBe(200);
    expect(await raw(head("transfer-encoding: chunked"), `${whole.length.toString(16)}\r\n${whole}\r\n0\r\n\r\n`)).toBe(
      200,
    );
  });

  test("a length too short leaves broken JSON, and the rest is no request", async () => {
    const text = (await sendRaw(world.gateway.url, [head("content-length: 10"), whole], 30)).text;
    expect(text).toStartWith("HTTP/1.1 400");
    expect(text.match(/HTTP\/1\.1 200/g)).toBeNull();
  });

  test.each(["-1", "abc", "1e3", "+5", "99999999999999999999"])("content-length %s is refused", async (length) => {
    expect([400, 413]).toContain(await raw(head(`content-length: ${length}`), whole));
    expect(alpha.requests).toHaveLength(0);
  });

  test("two lengths, or a length beside chunks, are refused or read as chunks alone", async () => {
    expect(await raw(head("content-length: 5", "content-length: 6"), whole)).toBe(400);
    const both = head(`content-length: ${whole.length}`, "transfer-encoding: chunked");
    expect([400, 200, 404]).toContain(await raw(both, "0\r\n\r\n", whole));
    expect(alpha.requests).toHaveLength(0);
  });

  test("128 headers are fine, one more is 431, and at many more the key is not looked at", async () => {
    answers();
    const own = head(`content-length: ${whole.length}`).split("\r\n").length - 3;
    const extra = (count: number) => Array.from({ length: count - own }, (_, index) => `x-more-${index}: 1`);
    const withHeaders = (count: number) => raw(head(`content-length: ${whole.length}`, ...extra(count)), whole);
    expect([await withHeaders(128), await withHeaders(129)]).toEqual([200, 431]);
    const many = Object.fromEntries(Array.from({ length: 140 }, (_, index) => [`x-more-${index}`, "1"]));
    const error = await errorOf(await post(whole, { ...many, authorization: "Bearer wrong" }), 431);
    expect(error).toMatchObject({ code: "too_many_headers", type: "invalid_request_error" });
  });
});
