// Fetching: redirects hop by hop, bounds in bytes and time, what is sent and taken, and who is blamed.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { safeOpen } from "../../src/providers/safe-fetch/index.ts";
import { type Reply, type Upstream, upstream } from "../support/upstream.ts";
import { faultOf, fetchWith, options, scriptedDns, textOf, to } from "./safe-fetch-support.ts";

let store: Upstream;
beforeAll(async () => {
  store = await upstream();
});
afterEach(() => store.clear());
afterAll(async () => {
  await store.stop();
});

const allow = () => [new URL(store.url).host];
const go = (own: object = {}) => fetchWith(`${store.url}/start`, { allow: allow(), ...own });
const openIt = (own: object = {}) => safeOpen(`${store.url}/start`, options({ allow: allow(), ...own }));
const faulty = (own: object = {}) => faultOf(go(own));

describe("what is sent and taken", () => {
  test("bytes and type; nothing of ours goes along", async () => {
    store.next({ bytes: [new Uint8Array([1, 2]), new Uint8Array([3])], headers: { "content-type": "Image/PNG; a=b" } });
    expect(await go()).toEqual({ bytes: new Uint8Array([1, 2, 3]), type: "image/png" });
    const sent = [...(store.requests[0]?.headers.keys() ?? [])].sort();
    expect(sent).toEqual(["accept", "accept-encoding", "connection", "host", "user-agent", "x-turnpike-hops"]);
    expect(store.requests[0]?.headers.get("accept-encoding")).toBe("identity");
  });

  test("no type: octets", async () => {
    store.next({ head: "HTTP/1.1 200 OK\r\n\r\n", bytes: [new Uint8Array([7])], framing: "close" });
    expect(await go()).toEqual({ bytes: new Uint8Array([7]), type: "application/octet-stream" });
  });

  test("types: of a kind, by name, or not at all", async () => {
    const png: Reply = { text: "x", headers: { "content-type": "image/png" } };
    store.on("*", png);
    for (const types of [["image/*"], ["audio/mpeg", "image/png"]]) expect(await textOf(go({ types }))).toBe("x");
    for (const types of [[], ["image/"], ["image/jpeg"], ["ima/*"]])
      expect(await faulty({ types })).toMatchObject({
        status: 400,
        message: expect.stringMatching(/content type that is not supported/),
      });
  });

  test.each([201, 204, 206, 300, 304, 400, 401, 404, 500])("status %i is no content", async (status) => {
    store.next({ status, text: "" });
    const message = `The URL could not be fetched: the server returned status ${status}.`;
    expect(await faulty()).toMatchObject({ status: 400, param: "image_url", message });
  });

  test("open: any status, the part that was asked for, and no header but those of the content", async () => {
    const headers = {
      "content-type": "video/mp4",
      "content-range": "bytes 1-2/9",
      etag: '"e"',
      "accept-ranges": "bytes",
    };
    const strange = { "set-cookie": "a=b", "strict-transport-security": "max-age=1", server: "inner-7.test", via: "x" };
    store.next({ status: 206, headers: { ...headers, ...strange }, text: "ab" });
    const answer = await openIt({ range: "bytes=1-2" });
    expect([answer.status, answer.type, await new Response(answer.body).text()]).toEqual([206, "video/mp4", "ab"]);
    expect([...answer.headers.keys()].sort()).toEqual([...Object.keys(headers), "content-length"].sort());
    expect(store.requests[0]?.headers.get("range")).toBe("bytes=1-2");
    store.next({ status: 404, text: "gone" });
    expect(await openIt()).toMatchObject({ status: 404 });
  });

  test.each([
    ["bytes=0-", true],
    ["bytes=-5", true],
    ["bytes=0-1,4-5", false],
    ["bytes=-", false],
    ["lines=1-2", false],
    ["bytes=0-1\r\nx-injected: 1", false],
  ])("range %j is sent: %p", async (range, isSent) => {
    store.next({ text: "x" });
    const { body } = await openIt({ range });
    await body.cancel();
    expect(store.requests[0]?.headers.get("range")).toBe(isSent ? range : null);
    expect(store.requests[0]?.headers.get("x-injected")).toBeNull();
  });
});

describe("bytes", () => {
  const bytes = (count: number) => new Uint8Array(count);

  test.each<Reply>([
    { bytes: [bytes(10)], framing: "length" },
    { bytes: [bytes(4), bytes(6)] },
    { bytes: [bytes(10)], framing: "close" },
  ])("as many as the bound: %j", async (reply) => {
    store.next(reply);
    expect((await go({ maxBytes: 10 })).bytes).toHaveLength(10);
  });

  test.each<Reply>([
    { bytes: [bytes(11)], framing: "length" },
    { bytes: [bytes(10), bytes(1)] },
    { bytes: [bytes(11)], framing: "close" },
    { bytes: [], contentLength: 11, ending: "hang" },
  ])("one more: %j", async (reply) => {
    store.next(reply);
    const message = "The URL returned more than 10 bytes, which is the limit.";
    expect(await faulty({ maxBytes: 10 })).toMatchObject({ status: 400, message });
  });

  test("twenty million where no bound is given", async () => {
    const own = { maxBytes: undefined };
    store.next({ text: "", contentLength: 20_000_001, ending: "hang" }, { text: "", contentLength: 20_000_000 });
    expect((await faulty(own)).message).toMatch(/more than 20000000 bytes/);
    expect((await faulty(own)).message).toMatch(/sent no valid response/);
  });

  test("an endless body is cut soon after the bound, and the connection with it", async () => {
    const endless = async (line: { write(piece: string | Uint8Array): Promise<void>; closed: Promise<void> }) => {
      let isOpen = true;
      void line.closed.then(() => {
        isOpen = false;
      });
      await line.write("HTTP/1.1 200 OK\r\n\r\n");
      while (isOpen) await line.write(bytes(65_536));
    };
    store.next(endless);
    expect((await faulty({ maxBytes: 100_000 })).message).toMatch(/more than 100000 bytes/);
    const seen = await store.seen(0);
    await seen.finished;
    expect(seen.sentBytes).toBeLessThan(20_000_000);
  });

  test.each(["gzip", "x-gzip", "deflate", "br", "zstd", "GZIP", "identity, gzip"])(
    "%s is not unpacked",
    async (encoding) => {
      const bomb = Bun.gzipSync(bytes(5_000_000));
      store.next({ bytes: [bomb], headers: { "content-encoding": encoding } });
      expect(await faulty()).toMatchObject({ status: 400, message: expect.stringMatching(/compressed content/) });
    },
  );

  test.each(["identity", "Identity", ""])("'%s' says nothing", async (encoding) => {
    store.next({ text: "x", headers: { "content-encoding": encoding } });
    expect(await textOf(go())).toBe("x");
  });

  test.each<[string, Reply]>([
    ["larger than announced", { text: "", contentLength: 2_000_000, ending: "hang" }],
    ["compressed", { text: "", contentLength: 9, headers: { "content-encoding": "br" }, ending: "hang" }],
    ["of another type", { text: "", contentLength: 9, headers: { "content-type": "text/html" }, ending: "hang" }],
    [
      "no content",
      { status: 404, text: "", contentLength: 9, headers: { "content-type": "image/png" }, ending: "hang" },
    ],
    ["elsewhere", { ...to("http://10.0.0.1/"), contentLength: 99, ending: "hang" }],
  ])("what is %s is not waited for: its connection closes", async (_, reply) => {
    store.next(reply);
    const setTimer = () => () => undefined;
    expect((await faulty({ types: ["image/*"], setTimer })).status).toBe(400);
    await (await store.seen(0)).aborted;
  });

  test.each<[string, Reply]>([
    ["cut before its length", { text: "abc", contentLength: 9, ending: "cut" }],
    ["cut between chunks", { bytes: [bytes(3)], ending: "cut" }],
    ["reset", { bytes: [bytes(3)], ending: "reset" }],
    ["no HTTP", { head: "SSH-2.0-OpenSSH_9\r\n", text: "" }],
    ["two framings", { head: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", text: "a" }],
    ["a head without end", { head: `HTTP/1.1 200 OK\r\nx: ${"a".repeat(100_000)}\r\n\r\n`, text: "a" }],
    ["another protocol", { head: "HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", text: "secret" }],
    ["nothing", { head: "", text: "" }],
  ])("%s", async (_, reply) => {
    store.next(reply);
    expect((await faulty()).message).toBe("The URL could not be fetched: the server sent no valid response.");
  });
});

test("a reset before anybody reads is told to who reads then", async () => {
  const torn = Promise.withResolvers<void>();
  store.next(async (line) => {
    await line.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
    await torn.promise;
    line.reset();
  });
  const { body } = await openIt();
  torn.resolve();
  await (await store.seen(0)).finished;
  expect((await faultOf(new Response(body).text())).message).toMatch(/sent no valid response/);
});

describe("blame", () => {
  const upstreams = { givenBy: "upstream", param: undefined } as const;

  test.each([
    ["http://10.0.0.1/", 502, "upstream_protocol_error"],
    ["file:///etc/hostname", 502, "upstream_protocol_error"],
    ["nonsense", 502, "upstream_protocol_error"],
  ])("a provider's URL %s: %i %s", async (url, status, code) => {
    const fault = await faultOf(fetchWith(url, upstreams));
    expect(fault).toMatchObject({
      status,
      code,
      param: null,
      message: expect.stringMatching(/^The provider's result URL /),
    });
  });

  test("a provider's store that fails, and one that is slow", async () => {
    store.next({ status: 403, text: "" }, { text: "", head: "", ending: "hang" });
    expect(await faulty(upstreams)).toMatchObject({ status: 502, code: "upstream_failed" });
    const setTimer = (call: () => void) => {
      void store.seen(1).then(call);
      return () => undefined;
    };
    expect(await faulty({ ...upstreams, setTimer })).toMatchObject({ status: 504, code: "upstream_timeout" });
  });

  test("a provider's signed URL may be longer than a client's", async () => {
    store.on("*", { text: "x" });
    const url = `${store.url}/${"a".repeat(4_000)}`;
    expect(await textOf(fetchWith(url, { ...upstreams, allow: allow() }))).toBe("x");
    expect((await faultOf(fetchWith(url, { allow: allow() }))).message).toMatch(/too long/);
  });

  test("no message says an address, a host or a URL", async () => {
    const secrets = ["10.0.0.77", "127.0.0.1", "inner.test", "signature"];
    store.on("*", to("http://10.0.0.77/?signature=1"));
    const dns = scriptedDns({ "inner.test": [["10.0.0.77"]] });
    const faults = [
      await faulty(),
      await faulty(upstreams),
      await faultOf(fetchWith("http://inner.test/?signature=1", { dns })),
      await faultOf(fetchWith("http://inner.test:1/?signature=1", { dns })),
      await faultOf(fetchWith("http://127.0.0.1/?signature=1", upstreams)),
    ];
    for (const { message } of faults) for (const secret of secrets) expect(message).not.toContain(secret);
  });
});
