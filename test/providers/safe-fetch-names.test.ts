// Names that nobody answers for: bounded in time and per key, told as something to try again, and no burden for other look-ups.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { createSocket, type Socket } from "node:dgram";
import { createResolver } from "../../src/providers/safe-fetch/resolver.ts";
import { at } from "../support/chat-stream-reader.ts";
import { gateway, type RunningGateway } from "../support/gateway.ts";

/** A name server that hears every question and answers none. */
let silent: Socket;
let running: RunningGateway;
const otherKey = "tp-other-key-of-names";
beforeAll(async () => {
  silent = createSocket("udp4");
  await new Promise<void>((resolve) => silent.bind(0, "127.0.0.1", resolve));
  running = await gateway({
    nameServers: [server()],
    yaml: `limits: { lookup_ms: 400, max_lookups_per_key: 2 }\nkeys: { other: { secret: ${otherKey} } }\n`,
  });
});
afterAll(async () => {
  await running.stop();
  silent.close();
});

const server = () => `127.0.0.1:${silent.address().port}`;
const receive = (): Promise<void> => new Promise((resolve) => silent.once("message", () => resolve()));

async function submit(name: string, key = running.key) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ model: "sandbox/video", prompt: "hi", callback_url: `https://${name}/hook` });
  const answer = await fetch(`${running.url}/v1/videos`, { method: "POST", headers, body });
  return { status: answer.status, retry: answer.headers.get("x-should-retry"), body: await answer.json() };
}

const late = { status: 504, retry: "true" };

test("a name server that does not answer is told as something to try again, after the bound", async () => {
  const startMs = performance.now();
  const result = await submit("one.test");
  expect(result).toMatchObject(late);
  expect(at(result.body, "error", "code")).toBe("upstream_timeout");
  expect(performance.now() - startMs).toBeGreaterThan(350);
});

test("one key has so many look-ups and no more; other keys have their own", async () => {
  const first = [submit("two.test"), submit("three.test")];
  await receive();
  await receive();
  const [third, other] = await Promise.all([submit("four.test"), submit("five.test", otherKey)]);
  expect({ status: third.status, code: at(third.body, "error", "code") }).toEqual({
    status: 429,
    code: "concurrency_limit_exceeded",
  });
  expect(other).toMatchObject(late);
  expect(await Promise.all(first)).toMatchObject([late, late]);
  expect(await submit("six.test")).toMatchObject(late);
});

test("many names that nobody answers for keep no other look-up waiting", async () => {
  const dns = createResolver({ limits: { lookupMs: 30_000, maxLookupsPerKey: 64 }, servers: [server()] })("");
  const names = Array.from({ length: 64 }, (_, index) => `name${index}.test`);
  let settled = 0;
  for (const name of names) void dns(name).catch(() => settled++);
  await receive();
  // The runtime's own look-ups, as fetch makes them.
  const target = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("here") });
  expect(await (await fetch(`http://localhost:${target.port}/`, { keepalive: false })).text()).toBe("here");
  expect((await Bun.dns.lookup("localhost", { backend: "libc" })).length).toBeGreaterThan(0);
  expect(settled).toBe(0);
  await target.stop(true);
});

test("names of the machine need no name server", async () => {
  const dns = createResolver({ limits: { lookupMs: 400, maxLookupsPerKey: 1 }, servers: [server()] })("");
  expect(await dns("localhost")).toContain("127.0.0.1");
  expect(await dns("LOCALHOST")).toContain("127.0.0.1");
});
