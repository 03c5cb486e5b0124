// The transport over real sockets: what arrives, which connections are used again, and the pace of the reader.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { createTransport } from "../../../src/providers/transport/pool.ts";
import type { OutgoingRequest } from "../../../src/providers/transport/request.ts";
import { type HttpResponse, readerOf } from "../../../src/providers/transport/response.ts";
import { until } from "../../support/until.ts";
import { type Script, upstream } from "../../support/upstream.ts";
import { invalidResponses, validResponses } from "./raw-responses.ts";

const up = await upstream();
afterAll(() => up.stop());
beforeEach(() => up.clear());

const never = new AbortController().signal;
const transport = createTransport();
const post = (more: Partial<OutgoingRequest> = {}, send = transport): Promise<HttpResponse> =>
  send({ method: "POST", url: `${up.url}/v1`, headers: {}, body: "{}", signal: never, ...more });

const latin1 = (text: string) => Buffer.from(text, "latin1");
/** Writes these bytes as the answer. */
const raw =
  (bytes: string, closes = false): Script =>
  async (line) => {
    await line.write(latin1(bytes));
    if (closes) line.end();
  };
/** Writes these bytes, and nothing more. */
const stuck =
  (bytes: string): Script =>
  async (line) => {
    await line.write(latin1(bytes));
    await line.closed;
  };
const ok = raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
const codeOf = (thrown: unknown): string => String(Object(thrown).code);
const failureOf = (promise: Promise<unknown>): Promise<string> => promise.then(() => "none", codeOf);

describe("a response is what the runtime's own client reads", () => {
  test.each(validResponses.filter(({ onlyHere }) => onlyHere === undefined))("$name", async ({ bytes, untilClose }) => {
    up.on("*", raw(bytes, untilClose));
    const response = await post({}, createTransport());
    const own = { status: response.status, body: Buffer.from(await response.bytes()).toString("latin1") };
    const other = await fetch(`${up.url}/v1`, { method: "POST", body: "{}", keepalive: false });
    expect(own).toEqual({ status: other.status, body: Buffer.from(await other.bytes()).toString("latin1") });
  });

  test.each(invalidResponses)("invalid: %s", async (_, bytes) => {
    up.on("*", raw(bytes, true));
    const read = post({}, createTransport()).then((response) => response.bytes());
    expect(await failureOf(read)).toBe("ERR_INVALID_HTTP_RESPONSE");
  });
});

describe("a request arrives as it was given", () => {
  const text = (characters: number, unit: string) => unit.repeat(characters / unit.length);
  test.each([
    ["no body", undefined],
    ["an empty body", ""],
    ["ASCII", "plain"],
    ["Unicode", "ü€𝄞"],
    ["1 MB of ASCII", text(1_000_000, "0123456789")],
    ["3 MB of Chinese", text(1_000_000, "漢字")],
    ["characters of two units at every border", `a${text(1_000_000, "𝄞")}`],
    ["half of a character", "a\ud800b"],
  ])("%s", async (_, body) => {
    up.on("*", ok);
    await (await post({ body: body as string })).bytes();
    expect(up.requests[0]?.text).toBe(Buffer.from(body ?? "").toString());
    expect(up.requests[0]?.headers.get("content-length")).toBe(String(Buffer.byteLength(body ?? "")));
  });

  test("bytes and pieces", async () => {
    up.on("*", ok);
    const bytes = Buffer.alloc(3_000_000, "abc");
    await (await post({ body: new Uint8Array(bytes) })).bytes();
    const { body: _, ...rest } = { method: "PUT" as const, url: `${up.url}/v1`, headers: {}, signal: never, body: "" };
    await (await transport({ ...rest, pieces: [Buffer.from("a"), new Uint8Array(), bytes, Buffer.from("b")] })).bytes();
    expect(up.requests.map(({ text }) => text.length)).toEqual([3_000_000, 3_000_002]);
  });

  test("headers, and its own where the caller has none", async () => {
    up.on("*", ok);
    await (
      await post({ url: `${up.url}/v1/a%20b?x=1&y=ü#z`, headers: { "X-A": "caf\xe9", accept: "text/plain" } })
    ).bytes();
    const [{ headers, path, query } = up.requests[0]!] = up.requests;
    expect([path, query.get("y")]).toEqual(["/v1/a%20b", "ü"]);
    expect(Object.fromEntries(headers)).toMatchObject({
      "x-a": "caf\xe9",
      accept: "text/plain",
      host: new URL(up.url).host,
    });
  });

  test.each([
    ["a line break", { "x-a": "1\r\nx-b: 2" }],
    ["a NUL", { "x-a": "\0" }],
    ["more than Latin-1", { "x-a": "€" }],
    ["a name with a space", { "x a": "1" }],
    ["a name that is empty", { "": "1" }],
  ])("a header with %s is refused, and nothing is sent", async (_, headers) => {
    await expect(post({ headers })).rejects.toThrow("invalid header");
    await expect(post({ url: "ftp://127.0.0.1/" })).rejects.toThrow("http or https");
    await expect(post({ url: "nowhere" })).rejects.toThrow("invalid URL");
    expect(up.requests.length).toBe(0);
  });

  test("a caller's framing does not contradict the transport's", async () => {
    up.on("*", ok);
    await (await post({ headers: { "Content-Length": "1", "transfer-encoding": "chunked" }, body: "four" })).bytes();
    expect(up.requests[0]?.text).toBe("four");
  });
});

describe("a connection", () => {
  const earlier = () => up.requests.map((seen) => seen.earlier);
  const twice = async (first: Script, more: Partial<OutgoingRequest> = {}, closes = true): Promise<number[]> => {
    const send = createTransport();
    up.next(first);
    up.on("*", ok);
    const body = await post(more, send).then((response) => response.bytes());
    expect(Buffer.from(body).toString()).toBe("ok");
    if (closes) await Bun.sleep(1);
    await (await post({}, send)).bytes();
    return earlier();
  };

  test("is used again", async () => expect(await twice(ok)).toEqual([0, 1]));
  test.each([
    ["the server closes it", raw("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")],
    ["the end shows the length", raw("HTTP/1.1 200 OK\r\n\r\nok", true)],
    [
      "bytes follow that belong to no request",
      raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n"),
    ],
    [
      "a length contradicts the chunks",
      raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"),
    ],
  ])("is not used again where %s", async (_, script) => expect(await twice(script)).toEqual([0, 0]));

  test("is not used again where the response came before the request was sent", async () => {
    const server = Bun.listen({
      ...{ hostname: "127.0.0.1", port: 0 },
      socket: {
        open: (socket) => void socket.write("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n"),
        data: (socket) => void socket.pause(),
      },
    });
    const url = `http://127.0.0.1:${server.port}/`;
    const response = await post({ url, body: new Uint8Array(64 * 1024 * 1024) });
    expect(response.status).toBe(413);
    server.stop(true);
  });

  test("bytes before any request close it", async () => {
    let opened = 0;
    const server = Bun.listen({
      ...{ hostname: "127.0.0.1", port: 0 },
      socket: {
        open: () => void opened++,
        data: (socket) => void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
      },
    });
    const url = `http://127.0.0.1:${server.port}/`;
    const send = createTransport();
    await (await post({ url }, send)).bytes();
    await (await post({ url }, send)).bytes();
    expect(opened).toBe(1);
    server.stop(true);
  });

  test("of its own is opened where the request must not be sent twice, and closed behind it", async () => {
    expect(await twice(ok, { freshConnection: true })).toEqual([0, 0]);
  });

  test("is closed when its request is aborted, before and inside the response", async () => {
    for (const script of [stuck(""), stuck("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok")]) {
      up.clear();
      up.on("*", script);
      const controller = new AbortController();
      const read = post({ signal: controller.signal }).then((response) => response.bytes());
      const seen = await up.seen(0);
      controller.abort(new Error("no longer"));
      await expect(read).rejects.toThrow("no longer");
      await seen.aborted;
    }
  });

  test("is not opened for a request that is aborted already", async () => {
    await expect(post({ signal: AbortSignal.abort(new Error("early")) })).rejects.toThrow("early");
    expect(up.requests.length).toBe(0);
  });

  test("is closed when the body is not wanted", async () => {
    up.on("*", stuck("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok"));
    const response = await post();
    await response.body?.cancel();
    await (await up.seen(0)).aborted;
  });
});

describe("a body", () => {
  const cut = raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", true);
  test("that is cut fails behind the bytes that arrived, read in each way", async () => {
    up.on("*", cut);
    const reader = readerOf(await post());
    expect(Buffer.from((await reader.read()).value ?? "").toString()).toBe("ok");
    expect(await failureOf(reader.read())).toBe("ECONNRESET");
    expect(await failureOf(post().then((response) => response.text()))).toBe("ECONNRESET");
    expect(await failureOf(post().then(async (response) => Bun.readableStreamToText(response.body!)))).toBe(
      "ECONNRESET",
    );
  });

  test("that is not read holds its sender up, and goes on with its reader", async () => {
    const size = 64 * 1024 * 1024;
    up.on("*", async (line) => {
      await line.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`);
      for (let sent = 0; sent < size; sent += 65_536) await line.write(Buffer.alloc(65_536, "x"));
    });
    const response = await post();
    const seen = await up.seen(0);
    let before = -1;
    // The system's own buffers are full.
    await until("the sender waits", async () => {
      const now = seen.sentBytes;
      const isSame = now === before && now > 0;
      before = now;
      await Bun.sleep(100);
      return isSame;
    });
    expect(seen.sentBytes).toBeLessThan(16 * 1024 * 1024);
    let total = 0;
    const reader = readerOf(response);
    for (let read = await reader.read(); !read.done; read = await reader.read()) total += read.value.length;
    expect(total).toBe(size);
  });

  test("that is small completes without a reader, and frees its connection", async () => {
    up.on("*", ok);
    const send = createTransport();
    await post({}, send);
    await until("the response has arrived", async () => {
      await (await post({}, send)).bytes();
      return up.requests.at(-1)?.earlier !== 0;
    });
  });
});
