// Span trees over OTLP: what a client did, what the gateway attempted, and how both ended; and that no content is in them.
import { afterAll, describe, expect, test } from "bun:test";
import { says } from "../support/fixtures.ts";
import { clientKey, gateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { upstream } from "../support/upstream.ts";
import { exportsTo, otlpReceiver } from "./otlp-receiver.ts";

const receiver = otlpReceiver();
const [up, failing] = [await upstream(), await upstream()];
const running = await gateway({
  yaml: `providers:
  far: { kind: compatible, base_url: "${up.url}/v1", credential: far-secret-credential, models: [m], trace_context: true }
  closed: { kind: compatible, base_url: "${up.url}/v1", credential: none, models: [c] }
  failing: { kind: compatible, base_url: "${failing.url}/v1", credential: none, models: [f] }
models:
  smart: { candidates: [{ provider: failing, model: f }, { provider: far, model: m }] }
limits: { breaker_failures: 1000000, breaker_min_requests: 1000000 }
`,
  environment: exportsTo(receiver, {
    OTEL_SERVICE_NAME: "gate",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test%20one",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20collector-secret",
  }),
});
afterAll(async () => {
  await running.stop();
  await Promise.all([up.stop(), failing.stop(), receiver.stop()]);
});

let requests = 0;

interface TracedResponse {
  id: string;
  response: Response;
}

async function ask(
  body: object,
  headers: Record<string, string> = {},
  path = "/v1/chat/completions",
): Promise<TracedResponse> {
  const id = `trace-test-${++requests}`;
  const response = await fetch(`${running.url}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${clientKey}`,
      "content-type": "application/json",
      "x-request-id": id,
      ...headers,
    },
    body: JSON.stringify({ messages: [{ role: "user", content: "the-secret-prompt" }], ...body }),
  });
  return { id, response };
}

const trace = "0af7651916cd43dd8448eb211c80319c";
const parent = "b7ad6b7169203331";
const traceparent = `00-${trace}-${parent}-01`;

test("a request is a server span with a client span below it, with the attributes of the conventions", async () => {
  up.on("*", says("openai-chat/text.json"));
  const { id, response } = await ask({ model: "far/m" });
  await response.text();
  const [server, client] = await receiver.tree(id, 2);
  expect(server).toMatchObject({
    kind: "server",
    name: "POST /v1/chat/completions",
    parent: null,
    isError: false,
    attributes: {
      "http.request.method": "POST",
      "http.route": "/v1/chat/completions",
      "http.response.status_code": 200,
      "turnpike.state": "completed",
      "turnpike.attempts": 1,
      "turnpike.provider": "far",
      "turnpike.time.authentication": expect.any(Number),
      "turnpike.time.limits": expect.any(Number),
      "turnpike.time.settlement": expect.any(Number),
    },
  });
  expect(client).toMatchObject({
    kind: "client",
    name: "chat m",
    parent: server?.spanId,
    traceId: server?.traceId,
    isError: false,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "compatible",
      "gen_ai.request.model": "m",
      "server.address": "127.0.0.1",
      "server.port": Number(new URL(up.url).port),
    },
  });
  expect(Number(client?.attributes["gen_ai.usage.input_tokens"])).toBeGreaterThan(0);
  expect(Number(client?.attributes["gen_ai.usage.output_tokens"])).toBeGreaterThan(0);
  expect(client?.startMs).toBeGreaterThanOrEqual(server?.startMs ?? Number.POSITIVE_INFINITY);
  expect(client?.endMs).toBeLessThanOrEqual(server?.endMs ?? 0);
  expect(receiver.resource).toMatchObject({ "service.name": "gate", "deployment.environment.name": "test one" });
  expect(receiver.headers[0]?.get("authorization")).toBe("Bearer collector-secret");
});

test("an attempt that failed and the next one are two client spans of one request", async () => {
  failing.on("*", { status: 500, json: {} });
  up.on("*", says("openai-chat/text.json"));
  const { id, response } = await ask({ model: "smart" });
  expect(response.status).toBe(200);
  await response.text();
  const [server, first, second, ...others] = await receiver.tree(id, 3);
  expect(others).toEqual([]);
  expect(server).toMatchObject({ kind: "server", isError: false, attributes: { "turnpike.attempts": 2 } });
  expect(first).toMatchObject({ kind: "client", name: "chat f", parent: server?.spanId, isError: true });
  expect(first?.attributes).toMatchObject({ "error.type": "upstream_failed", "turnpike.attempt": 1 });
  expect(second).toMatchObject({ kind: "client", name: "chat m", parent: server?.spanId, isError: false });
});

test("the spans of a stream end with the stream", async () => {
  const { id, response } = await ask({
    model: "sandbox/chat",
    stream: true,
    messages: [{ role: "user", content: "[sandbox pace=30] one two three" }],
  });
  const reader = response.body?.getReader();
  await reader?.read();
  await Bun.sleep(60);
  expect(receiver.spans.some(({ attributes }) => attributes["turnpike.request.id"] === id)).toBe(false);
  const readUntilMs = performance.timeOrigin + performance.now();
  while (!(await reader?.read())?.done);
  const [server, client] = await receiver.tree(id, 2);
  expect(server?.endMs).toBeGreaterThan(readUntilMs - 1);
  expect(client).toMatchObject({ kind: "client", isError: false, attributes: { "gen_ai.request.stream": true } });
  expect(client?.endMs).toBeGreaterThan(readUntilMs - 1);
  const first = Number(client?.attributes["gen_ai.response.time_to_first_chunk"]);
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThan(((client?.endMs ?? 0) - (client?.startMs ?? 0)) / 1_000);
});

test("a client that leaves ends its spans as cancelled", async () => {
  const abort = new AbortController();
  const id = `trace-test-${++requests}`;
  const response = await fetch(`${running.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${clientKey}`, "content-type": "application/json", "x-request-id": id },
    body: JSON.stringify({
      model: "sandbox/chat",
      stream: true,
      messages: [{ role: "user", content: "[sandbox pace=200] a long reply with many words in it" }],
    }),
    signal: abort.signal,
  });
  await response.body?.getReader().read();
  abort.abort();
  const [server, client] = await receiver.tree(id, 2);
  const attributes = { "error.type": "client_closed" };
  expect(server).toMatchObject({ isError: true, attributes: { ...attributes, "turnpike.state": "cancelled" } });
  expect(client).toMatchObject({ isError: true, attributes });
});

test("a refused request has a server span only, and is no error of the server", async () => {
  const { id, response } = await ask({ model: "far/m" }, { authorization: "Bearer wrong-client-key" });
  expect(response.status).toBe(401);
  const [server, ...others] = await receiver.tree(id, 1);
  expect(others).toEqual([]);
  expect(server).toMatchObject({ isError: false, attributes: { "http.response.status_code": 401 } });
});

test("a replay of an idempotent request has no attempt", async () => {
  up.on("*", says("openai-chat/text.json"));
  const key = { "idempotency-key": "trace-once" };
  await (await ask({ model: "far/m" }, key)).response.text();
  const { id, response } = await ask({ model: "far/m" }, key);
  expect(response.headers.get("idempotency-replayed")).toBe("true");
  const [server, ...others] = await receiver.tree(id, 1);
  expect(others).toEqual([]);
  expect(server?.attributes).toMatchObject({ "turnpike.replayed": true, "http.response.status_code": 200 });
});

test("a background response has a trace of its own with a link to its request", async () => {
  const body = { model: "sandbox/chat", input: "hello", background: true, store: true, messages: undefined };
  const { id, response } = await ask(body, {}, "/v1/responses");
  expect(response.status).toBe(200);
  const spans = await receiver.tree(id, 3);
  const server = spans.find(({ kind }) => kind === "server");
  const work = spans.find(({ kind }) => kind === "internal");
  expect(work).toMatchObject({ parent: null, links: [`${server?.traceId}-${server?.spanId}`], isError: false });
  expect(work?.traceId).not.toBe(server?.traceId);
  expect(spans.find(({ kind }) => kind === "client")?.parent).toBe(work?.spanId ?? "");
});

test("the end of a video is a span with a link to the request that has submitted it", async () => {
  const { id, response } = await ask(
    { model: "sandbox/video", prompt: "a square", messages: undefined },
    {},
    "/v1/videos",
  );
  expect(response.status).toBe(200);
  const spans = await receiver.tree(id, 3);
  const server = spans.find(({ kind }) => kind === "server");
  const client = spans.find(({ kind }) => kind === "client");
  const end = spans.find(({ kind }) => kind === "internal");
  expect(client).toMatchObject({ parent: server?.spanId, attributes: { "gen_ai.operation.name": "video" } });
  expect(end).toMatchObject({ parent: null, attributes: { "turnpike.state": "completed" } });
  expect(end?.links[0]).toStartWith(`${server?.traceId}-`);
});

describe("trace context", () => {
  const sent = (): Record<string, string> => Object.fromEntries(up.requests.at(-1)?.headers ?? []);

  test("continues the trace of the client, to a provider that may have it", async () => {
    up.on("*", says("openai-chat/text.json"));
    const headers = { traceparent, tracestate: "vendor=a1", baggage: "user=secret" };
    const { id, response } = await ask({ model: "far/m" }, headers);
    await response.text();
    const [server, client] = await receiver.tree(id, 2);
    expect(server).toMatchObject({ traceId: trace, parent, traceState: "vendor=a1" });
    const headersSent = sent();
    expect(headersSent["traceparent"]).toBe(`00-${trace}-${client?.spanId}-01`);
    expect(headersSent["tracestate"]).toBe("vendor=a1");
    expect(headersSent["baggage"]).toBeUndefined();
  });

  test("is not sent to others", async () => {
    up.on("*", says("openai-chat/text.json"));
    await (await ask({ model: "closed/c" }, { traceparent, tracestate: "vendor=a1", baggage: "a=b" })).response.text();
    expect(Object.keys(sent()).filter((name) => /^trace|baggage/.test(name))).toEqual([]);
  });

  test.each([
    ["a zero trace", `00-${"0".repeat(32)}-${parent}-01`],
    ["a zero span", `00-${trace}-${"0".repeat(16)}-01`],
    ["capitals", `00-${trace.toUpperCase()}-${parent}-01`],
    ["the version ff", `ff-${trace}-${parent}-01`],
    ["more than version 00 has", `${traceparent}-00`],
    ["two of them", `${traceparent}, ${traceparent}`],
    ["something else", "hello"],
  ])("ignores %s", async (_, invalid) => {
    const { id, response } = await ask({ model: "sandbox/chat" }, { traceparent: invalid });
    expect(response.status).toBe(200);
    const [server] = await receiver.tree(id, 2);
    expect(server).toMatchObject({ parent: null });
    expect(server?.traceId).not.toBe(trace);
  });

  test("a parent that is not sampled is followed", async () => {
    up.on("*", says("openai-chat/text.json"));
    const { id, response } = await ask({ model: "far/m" }, { traceparent: `00-${trace}-${parent}-00` });
    await response.text();
    expect(String(sent()["traceparent"])).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-00$`));
    const later = await ask({ model: "sandbox/chat" });
    await receiver.tree(later.id, 2);
    expect(receiver.spans.some(({ attributes }) => attributes["turnpike.request.id"] === id)).toBe(false);
  });
});

test("metrics are those of the conventions", async () => {
  const names = ["gen_ai.client.operation.duration", "gen_ai.client.token.usage", "http.server.request.duration"];
  names.push("gen_ai.client.operation.time_to_first_chunk");
  await until("all metrics", () => names.every((name) => receiver.metrics.has(name)));
  const durations = receiver.metrics.get("gen_ai.client.operation.duration") ?? [];
  const failed = durations.find(({ attributes }) => attributes["error.type"] === "upstream_failed");
  expect(failed).toMatchObject({ count: 1, attributes: { "turnpike.provider": "failing" } });
  const tokens = receiver.metrics.get("gen_ai.client.token.usage") ?? [];
  expect(new Set(tokens.map(({ attributes }) => attributes["gen_ai.token.type"]))).toEqual(
    new Set(["input", "output"]),
  );
  const requests = receiver.metrics.get("http.server.request.duration") ?? [];
  expect(requests.some(({ attributes }) => attributes["http.response.status_code"] === 401)).toBe(true);
});

test("probes are not traced, and nothing exported holds a prompt or a secret", async () => {
  await fetch(`${running.url}/livez`);
  await (await ask({ model: "sandbox/chat" }, { "user-agent": "u" })).response.text();
  await receiver.tree(`trace-test-${requests}`, 2);
  const all = receiver.bodies.join("\n");
  expect(receiver.spans.some(({ attributes }) => attributes["http.route"] === "/livez")).toBe(false);
  for (const secret of [
    "the-secret-prompt",
    clientKey,
    "far-secret-credential",
    "wrong-client-key",
    "collector-secret",
  ])
    expect(all).not.toContain(secret);
});
