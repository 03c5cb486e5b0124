// A provider that accepts no connections: the next candidate is tried when the time to connect is over, and a slow provider is not taken for one.
import { afterAll, beforeEach, expect, test } from "bun:test";
import { createConnectionWatch } from "../../src/providers/transport/connection-watch.ts";
import { createSend } from "../../src/providers/upstream.ts";
import { blackHole } from "../support/black-hole.ts";
import { says } from "../support/fixtures.ts";
import { gateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { upstream } from "../support/upstream.ts";

const [hole, far] = [await blackHole(), await upstream()];
const running = await gateway({
  yaml: `providers:
  gone: { kind: compatible, base_url: "${hole.url}/v1", models: [a] }
  far: { kind: compatible, base_url: "${far.url}/v1", models: [a], connect_timeout_ms: 200 }
models:
  smart: { candidates: [{ provider: gone, model: a }, { provider: far, model: a }], connect_timeout_ms: 600 }
  only: { candidates: [{ provider: gone, model: a }], operations: { embed: { connect_timeout_ms: 400 } } }
`,
});
afterAll(async () => {
  await running.stop();
  await far.stop();
  hole.close();
});
beforeEach(() => far.clear());

const ask = (path: string, body: object) =>
  fetch(`${running.url}/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${running.key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const messages = [{ role: "user", content: "hi" }];

test.each([false, true])("the next candidate is tried, stream: %s", async (stream) => {
  far.on("*", says(stream ? "openai-chat/text.sse" : "openai-chat/text.json"));
  const startMs = performance.now();
  const response = await ask("chat/completions", { model: "smart", messages, stream });
  expect([response.status, response.headers.get("x-turnpike-attempts")]).toEqual([200, "2"]);
  expect(await response.text()).toContain("traveller");
  expect(performance.now() - startMs).toBeGreaterThan(590);
});

test("without another candidate it is a 502 after the time of the operation, and nothing is charged", async () => {
  const response = await ask("embeddings", { model: "only", input: "hi" });
  expect([response.status, await response.json()]).toMatchObject([502, { error: { code: "upstream_unreachable" } }]);
});

test("a provider that accepts connections may take longer", async () => {
  far.on("*", says("openai-chat/text.json", { delayMs: 900 }));
  expect((await ask("chat/completions", { model: "far/a", messages })).status).toBe(200);
});

test("a request that may have gone out on an open connection is not called unsent", async () => {
  const server = Bun.serve({
    port: 0,
    fetch: (request) => (request.url.endsWith("/slow") ? new Promise<Response>(() => undefined) : new Response("ok")),
  });
  const send = createSend();
  const never = new AbortController();
  const to = (path: string, connectMs: number) =>
    send({
      method: "POST",
      url: `http://127.0.0.1:${server.port}${path}`,
      headers: {},
      signal: never.signal,
      connectMs,
    });
  expect(await (await to("/", 5_000)).text()).toBe("ok");
  const slow = to("/slow", 300).then(
    () => "answered",
    (thrown) => Object(thrown).kind,
  );
  // It accepts connections, and so it is waited for.
  expect(await Promise.race([slow, Bun.sleep(600).then(() => "waits")])).toBe("waits");
  never.abort(new Error("over"));
  await slow;
  await server.stop(true);
});

test("one try at a time proves a host for all of its requests", async () => {
  let connections = 0;
  const server = Bun.listen({
    ...{ hostname: "127.0.0.1", port: 0 },
    socket: {
      open: () => {
        connections++;
      },
      data: () => undefined,
    },
  });
  const watch = createConnectionWatch();
  const lost: number[] = [];
  const all = Array.from({ length: 20 }, (_, at) =>
    watch.begin(`http://127.0.0.1:${server.port}/x`, 400, () => lost.push(at)),
  );
  await until("the host was tried", () => connections > 0);
  await Bun.sleep(500);
  expect([connections, lost]).toEqual([1, []]);
  for (const each of all) watch.end(each, true);
  const gone = Array.from({ length: 3 }, (_, at) => watch.begin(`${hole.url}/x`, 400, () => lost.push(at)));
  await until("the requests are given up", () => lost.length === 3);
  for (const each of gone) watch.end(each, false);
  server.stop(true);
});
