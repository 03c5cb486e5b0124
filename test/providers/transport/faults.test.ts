// What happened to the transport when it was attacked: renegotiated TLS, replaced connections, certificates that cannot be used, bodies whose end is a failure.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { createTransport } from "../../../src/providers/transport/pool.ts";
import type { OutgoingRequest } from "../../../src/providers/transport/request.ts";
import { createTargetReader } from "../../../src/providers/transport/request-head.ts";
import { readerOf } from "../../../src/providers/transport/response.ts";
import { createSend, readBounded } from "../../../src/providers/upstream.ts";
import { until } from "../../support/until.ts";
import { type Line, type Script, upstream } from "../../support/upstream.ts";
import { certificateFor } from "../safe-fetch-certificate.ts";

const up = await upstream();
const folder = mkdtempSync(join(tmpdir(), "turnpike-transport-"));
afterAll(async () => {
  await up.stop();
  rmSync(folder, { recursive: true });
});
const never = new AbortController().signal;
const request = (url: string, more: Partial<OutgoingRequest> = {}): OutgoingRequest => ({
  ...{ method: "POST", url, headers: {}, body: "{}", signal: never },
  ...more,
});
const outcome = (read: Promise<unknown>): Promise<string> =>
  read.then(
    () => "complete",
    (thrown) => String(Object(thrown).code),
  );
const raw =
  (head: string, body: string | Uint8Array, more: (line: Line) => void = () => undefined): Script =>
  async (line) => {
    await line.write(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${head}\r\n`), Buffer.from(body as string)]));
    more(line);
  };

const openssl = Bun.which("openssl");
test.skipIf(openssl === null)("a renegotiation of TLS 1.2 does not send the request again", async () => {
  const { key, cert } = certificateFor({ name: "localhost" });
  const [keyFile, certFile] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  writeFileSync(keyFile, key);
  writeFileSync(certFile, cert);
  const port = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
  port.stop(true);
  const words = ["s_server", "-accept", String(port.port), "-cert", certFile, "-key", keyFile, "-tls1_2"];
  const server = Bun.spawn([openssl ?? "", ...words], { stdin: "pipe", stdout: "pipe", stderr: "ignore" });
  let printed = "";
  const reading = (async () => {
    for await (const part of server.stdout) printed += Buffer.from(part).toString();
  })();
  const say = (text: string) => {
    server.stdin.write(text);
    void server.stdin.flush();
  };
  const seen = () => printed.match(/POST \/x/g)?.length ?? 0;
  const handshakes = () => printed.match(/BEGIN SSL SESSION/g)?.length ?? 0;
  await until("the server is there", () => printed.includes("ACCEPT"));
  const answered = createTransport()(request(`https://localhost:${port.port}/x`, { tls: { ca: cert } }));
  await until("the request has arrived", () => seen() === 1);
  say("R\n");
  await until("it was renegotiated", () => handshakes() > 1 || printed.includes("SSL_do_handshake"));
  say("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi\n");
  expect(await (await answered).text()).toBe("hi");
  server.kill();
  await reading;
  expect(seen()).toBe(1);
});

test("a stale connection that cannot be replaced fails at once", async () => {
  const first = await upstream();
  first.on("*", raw("Content-Length: 2\r\n", "ok"));
  const send = createTransport();
  await (await send(request(`${first.url}/x`))).bytes();
  first.on("*", async (line) => {
    await first.stop();
    line.reset();
  });
  const startMs = performance.now();
  expect(await outcome(send(request(`${first.url}/x`)))).toBe("ECONNREFUSED");
  expect(performance.now() - startMs).toBeLessThan(1_900);
});

test("certificates that the runtime cannot use are an error of the request only", async () => {
  const [one, other] = [certificateFor({ name: "localhost" }), certificateFor({ name: "localhost" })];
  const tls = { cert: one.cert, key: other.key };
  const controller = new AbortController();
  const sent = createTransport()(request("https://localhost:1/", { tls, connectMs: 50, signal: controller.signal }));
  expect(await outcome(sent)).toBe("EPROTO");
  // Neither the timer of the connection nor the abort rejects anything that is not handled.
  controller.abort();
  await Bun.sleep(60);
});

test("reading an old response does not resume the connection of the next one", async () => {
  const send = createTransport();
  // More than is held for a reader, and all of it in one write.
  const size = 70_000;
  up.clear();
  up.next(raw(`Content-Length: ${size}\r\n`, Buffer.alloc(size)));
  const old = await send(request(`${up.url}/old`));
  await (await up.seen(0)).finished;
  await Bun.sleep(20);
  up.on("*", async (line) => {
    let isOpen = true;
    void line.closed.then(() => {
      isOpen = false;
    });
    await line.write("HTTP/1.1 200 OK\r\n\r\n");
    while (isOpen) await line.write(Buffer.alloc(65_536));
  });
  const next = await send(request(`${up.url}/next`));
  const seen = await up.seen(1);
  expect(seen.earlier).toBe(1);
  const waits = async (): Promise<void> => {
    let before = -1;
    await until("the sender waits", async () => {
      const isSame = seen.sentBytes === before && before > 0;
      before = seen.sentBytes;
      await Bun.sleep(100);
      return isSame;
    });
  };
  await waits();
  expect((await old.bytes()).length).toBe(size);
  const sentBytes = seen.sentBytes;
  await waits();
  expect(seen.sentBytes).toBe(sentBytes);
  await next.body?.cancel();
});

describe("a body", () => {
  const send = createSend();
  const bounded = async (maxBytes: number) => readBounded(await send(request(`${up.url}/x`)), maxBytes, never);

  test("in chunks is bounded, whatever length its head names", async () => {
    const chunk = `1000\r\n${"x".repeat(0x1000)}\r\n`;
    up.on("*", raw("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", chunk.repeat(50)));
    expect(await bounded(1_000)).toBeNull();
  });

  test("up to the end of the connection is complete where that ends in order, and not where it is reset", async () => {
    const read = async () => (await createTransport()(request(`${up.url}/x`))).bytes();
    up.on(
      "*",
      raw("X: 1\r\n", "whole", (line) => line.end()),
    );
    expect(await outcome(read())).toBe("complete");
    up.on("*", async (line) => {
      await line.write("HTTP/1.1 200 OK\r\n\r\nhalf");
      await Bun.sleep(20);
      line.reset();
    });
    expect(await outcome(read())).toBe("ECONNRESET");
  });

  test("that is not read any more ends a read that waits", async () => {
    up.on("*", async (line) => {
      await line.write("HTTP/1.1 200 OK\r\n\r\n");
      await line.closed;
    });
    const reader = readerOf(await createTransport()(request(`${up.url}/x`)));
    const waiting = reader.read();
    await reader.cancel();
    expect(await waiting).toEqual({ done: true });
  });

  test("has one reader at a time", async () => {
    up.on("*", raw("Content-Length: 9\r\n", "ok"));
    const response = await createTransport()(request(`${up.url}/x`));
    const reader = readerOf(response);
    await reader.read();
    const waiting = outcome(reader.read());
    expect(response.bytes()).rejects.toThrow("is being read");
    await reader.cancel();
    await waiting;
  });

  const text = "hello".repeat(1_000);
  const coded: readonly [string, string, Uint8Array, string][] = [
    ["gzip", "gzip", gzipSync(text), text],
    ["gzip beside identity", "gzip, identity", gzipSync(text), text],
    ["deflate with the header of zlib", "deflate", deflateSync(text), text],
    ["deflate without one", "deflate", deflateRawSync(text), text],
    ["nothing, announced as gzip", "gzip", new Uint8Array(), ""],
    ["an unknown coding, as it is", "x-own", Buffer.from("abc"), "abc"],
  ];
  test.each(coded)("of %s is decoded", async (_, encoding, bytes, expected) => {
    up.on("*", raw(`Content-Encoding: ${encoding}\r\nContent-Length: ${bytes.length}\r\n`, bytes));
    expect(Buffer.from((await bounded(100_000)) ?? "too large").toString()).toBe(expected);
  });

  test("that explodes when it is decoded is bounded", async () => {
    const bytes = gzipSync(Buffer.alloc(50_000_000));
    up.on("*", raw(`Content-Encoding: gzip\r\nContent-Length: ${bytes.length}\r\n`, bytes));
    expect(await bounded(1_000_000)).toBeNull();
  });
});

test("a path is the same at each request", () => {
  const targetOf = createTargetReader();
  const urls = ["/v1/%2e%2e/admin", "/../x", "/.hidden", "/a/./b", "/a b", "/%2E/x", "//x", "/ü", "", "?q=1"];
  const pathOf = (path: string): string => targetOf(`http://localhost${path}`).path;
  const parsed = (path: string): string => {
    const { pathname, search } = new URL(`http://localhost${path}`);
    return pathname + search;
  };
  for (const path of urls) expect([pathOf(path), pathOf(path)]).toEqual([parsed(path), parsed(path)]);
});
