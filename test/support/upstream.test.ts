// The scripted upstream misbehaves exactly as it is told: proved with a real client.
import { afterAll, beforeEach, expect, test } from "bun:test";
import { allowedMs, timed } from "./until.ts";
import { closedAddress, type Reply, upstream } from "./upstream.ts";

const up = await upstream();
beforeEach(() => up.clear());
afterAll(() => up.stop());

const ask = (init?: RequestInit) => fetch(`${up.url}/v1/thing?x=1`, { method: "POST", body: '{"a":1}', ...init });
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => "no failure",
    (error: { code?: string }) => error.code ?? String(error),
  );

test("it records what it was asked", async () => {
  up.on("POST /v1/thing", { json: { ok: true } });
  await (await ask({ headers: { "x-one": "1" } })).json();
  expect(up.requests).toMatchObject([{ method: "POST", path: "/v1/thing", json: { a: 1 }, text: '{"a":1}' }]);
  expect(up.requests[0]?.headers.get("x-one")).toBe("1");
  expect(up.requests[0]?.query.get("x")).toBe("1");
});

test("it reads a chunked request body", async () => {
  up.on("*", { json: {} });
  const body = new ReadableStream({
    start(controller) {
      for (const part of ['{"a"', ":[1,", "2]}"]) controller.enqueue(new TextEncoder().encode(part));
      controller.close();
    },
  });
  await ask({ body });
  expect(up.requests[0]?.headers.get("transfer-encoding")).toBe("chunked");
  expect(up.requests[0]?.json).toEqual({ a: [1, 2] });
});

test("scripts answer in turn, a queued one first, the last one repeats", async () => {
  up.on("POST /v1/thing", { status: 500 }, { status: 503 });
  up.next({ status: 429, headers: { "retry-after": "7" } });
  const statuses: number[] = [];
  for (let count = 0; count < 4; count++) statuses.push((await ask()).status);
  expect(statuses).toEqual([429, 500, 503, 503]);
});

test("what is not scripted is a 404", async () => {
  expect((await ask()).status).toBe(404);
});

test("frames leave one by one, and a gate holds the rest", async () => {
  const gate = Promise.withResolvers<void>();
  up.on("*", { frames: ["data: 1\n\n", "data: 2\n\n"], gate: gate.promise });
  const reader = (await ask()).body!.getReader();
  const first = await reader.read();
  expect(new TextDecoder().decode(first.value)).toBe("data: 1\n\n");
  gate.resolve();
  expect(new TextDecoder().decode((await reader.read()).value)).toBe("data: 2\n\n");
  expect((await reader.read()).done).toBe(true);
});

const cuts: NonNullable<Reply["cutAt"]>[] = ["byte", "nowhere", [3, 4, 9]];
test.each(cuts.map((cutAt) => ({ cutAt })))("cut at $cutAt, the bytes are the same", async ({ cutAt }) => {
  up.on("*", { frames: ["data: h\u00e9\n\n", "data: \u{1f600}\n\n"], cutAt });
  expect(await (await ask()).text()).toBe("data: h\u00e9\n\ndata: \u{1f600}\n\n");
});

test("a reset is a reset, before the head and in the body", async () => {
  up.next((line) => line.reset());
  expect(await failure(ask())).toBe("ECONNRESET");
  up.next({ frames: ["data: 1\n\n"], ending: "reset" });
  expect(await failure(ask().then((answer) => answer.text()))).toBe("ECONNRESET");
});

test("a cut body ends without its terminator", async () => {
  up.next({ frames: ["data: 1\n\n"], ending: "cut" });
  expect(await failure(ask().then((answer) => answer.text()))).toBe("ECONNRESET");
});

test("a body may end with the connection", async () => {
  up.next({ frames: ["data: 1\n\n"], framing: "close" });
  expect(await (await ask()).text()).toBe("data: 1\n\n");
});

test("a content length may lie", async () => {
  up.next({ json: {}, contentLength: 50 });
  expect(await failure(ask().then((answer) => answer.text()))).toBe("ECONNRESET");
});

test("a head may be nonsense", async () => {
  up.next({ head: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", text: "no chunk at all", framing: "close" });
  expect(await failure(ask().then((answer) => answer.text()))).toMatch(/Invalid/);
});

test("an abort of the client is seen within 100 ms, with its time", async () => {
  up.next({ frames: ["data: 1\n\n"], ending: "hang" });
  const leaving = new AbortController();
  const reader = (await ask({ signal: leaving.signal })).body!.getReader();
  await reader.read();
  const seen = await timed(() => {
    leaving.abort();
    return up.requests[0]!.aborted;
  });
  expect(seen.ms).toBeLessThan(allowedMs(100, seen));
});

test("an answer that was read whole is no abort", async () => {
  up.next({ json: { ok: true } });
  await (await ask({ headers: { connection: "close" } })).text();
  await up.requests[0]!.finished;
  expect(await Promise.race([up.requests[0]!.aborted, Bun.sleep(20).then(() => "none")])).toBe("none");
});

test("a slow reader holds the script back", async () => {
  const piece = new Uint8Array(1_000_000);
  up.next({ bytes: Array.from({ length: 30 }, () => piece), ending: "end" });
  const reader = (await ask()).body!.getReader();
  await reader.read();
  await Bun.sleep(100);
  expect(up.requests[0]!.sentBytes).toBeLessThan(20_000_000);
  await reader.cancel();
});

test("nobody listens where nobody listens", async () => {
  expect(await failure(fetch(closedAddress()))).toBe("ECONNREFUSED");
});
