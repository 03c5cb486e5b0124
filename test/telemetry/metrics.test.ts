// The metrics of a running gateway: who may read them, and that they say what its ledger says.
import { expect, test } from "bun:test";
import { readUsage } from "../../src/gateway/ledger/usage-report.ts";
import { chatBody, errorOf, setting } from "../http/setting.ts";
import { says } from "../support/fixtures.ts";
import { adminKey } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { metricsText, samplesOf, sampleValue } from "./scrape.ts";

const { world, bearer, send, post } = await setting();
const { gateway, upstreams } = world;
const { alpha } = upstreams;
const chat = "POST /v1/chat/completions";
const requests = "turnpike_requests_total";

test.each([
  ["no credential", {}, "missing_api_key"],
  ["a client key", bearer, "invalid_api_key"],
  ["another admin key", { authorization: `Bearer ${adminKey}x` }, "invalid_api_key"],
  ["the admin key where only a client's may be", { "x-api-key": adminKey }, "missing_api_key"],
])("%s is refused", async (_name, headers, code) => {
  const answer = await send("/metrics", { headers });
  expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  expect(await errorOf(answer, 401)).toMatchObject({ type: "authentication_error", code, param: null });
});

test("the admin key gets the text of Prometheus, or OpenMetrics where it is asked for", async () => {
  const headers = { authorization: `Bearer ${adminKey}` };
  const plain = await send("/metrics", { headers });
  expect(plain.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const accept = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";
  const open = await send("/metrics", { headers: { ...headers, accept } });
  expect(open.headers.get("content-type")).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
  expect(await open.text()).toEndWith("\n# EOF\n");
});

test.each([
  ["metrics:read", 200],
  ["usage:read", 403],
])("a service token with the scope %s gets %i", async (scope, status) => {
  const headers = { authorization: `Bearer ${adminKey}`, "content-type": "application/json" };
  const body = JSON.stringify({ name: scope, scopes: [scope] });
  const made = await send("/admin/api/service-tokens", { method: "POST", headers, body });
  const { secret } = (await made.json()) as { secret: string };
  const answer = await send("/metrics", { headers: { authorization: `Bearer ${secret}` } });
  expect(answer.status).toBe(status);
  expect(await metricsText(gateway)).not.toContain(secret);
});

test("the process reports its version, memory, event loop and age", async () => {
  const text = await until("the event loop was looked at", async () => {
    const now = await metricsText(gateway);
    return sampleValue(now, "turnpike_event_loop_delay_seconds_count") > 0 && now;
  });
  for (const name of ["process_resident_memory_bytes", "turnpike_heap_bytes", "process_cpu_seconds_total"])
    expect(sampleValue(text, name)).toBeGreaterThan(0);
  expect(sampleValue(text, "turnpike_build_info")).toBe(1);
  expect(sampleValue(text, "turnpike_uptime_seconds")).toBeLessThan(3_600);
  expect(Math.abs(sampleValue(text, "process_start_time_seconds") - Date.now() / 1_000)).toBeLessThan(3_600);
  const [median, tail, longest] = ["0.5", "0.99", "1"].map((quantile) =>
    sampleValue(text, "turnpike_event_loop_delay_seconds", { quantile }),
  );
  expect(median).toBeLessThanOrEqual(tail ?? -1);
  expect(tail).toBeLessThanOrEqual(longest ?? -1);
});

test("requests, attempts and tokens are those of the ledger", async () => {
  alpha.on(chat, says("openai-chat/text.json"));
  for (const stream of [false, true]) {
    if (stream) alpha.on(chat, says("openai-chat/text.sse"));
    const answer = await post({ ...chatBody, model: "gpt-x", stream });
    expect(answer.status).toBe(200);
    await answer.text();
  }
  for (const each of Object.values(upstreams)) each.on(chat, { status: 500, json: { error: { message: "no" } } });
  expect((await post({ ...chatBody, model: "chain" })).status).toBe(502);

  const text = await metricsText(gateway);
  const labels = { operation: "chat", provider: "alpha", model: "gpt-x", status: "2xx", state: "completed" };
  expect(sampleValue(text, requests, labels)).toBe(2);
  expect(sampleValue(text, requests, { provider: "gamma", status: "5xx", state: "failed" })).toBe(1);
  expect(sampleValue(text, "turnpike_attempts_total", { provider: "alpha", reason: "answered" })).toBe(2);
  for (const provider of ["alpha", "beta", "gamma"])
    expect(sampleValue(text, "turnpike_attempts_total", { provider, reason: "upstream_failed" })).toBe(1);
  expect(sampleValue(text, "turnpike_error_responses_total", { kind: "upstream_failed" })).toBe(1);
  expect(sampleValue(text, "turnpike_streams_total", { state: "completed" })).toBe(1);
  expect(sampleValue(text, "turnpike_request_duration_seconds_count", { provider: "alpha" })).toBe(2);
  expect(sampleValue(text, "turnpike_time_to_first_token_seconds_count", { provider: "alpha" })).toBe(1);

  const usage = readUsage(gateway.dataFolder, { groupBy: ["provider"] });
  const sumOf = (name: string) =>
    samplesOf(text).reduce((sum, sample) => (sample.name === name ? sum + Number(sample.value) : sum), 0);
  expect(sumOf(requests)).toBe(usage.reduce((sum, row) => sum + row.requests, 0));
  expect(sumOf("turnpike_unpriced_requests_total")).toBe(usage.reduce((sum, row) => sum + row.unpriced, 0));
  for (const [bucket, column] of [["input", "inputTokens"] as const, ["output", "outputTokens"] as const]) {
    const row = usage.find(({ group }) => group.provider === "alpha");
    expect(row?.[column]).toBeGreaterThan(0);
    expect(sampleValue(text, "turnpike_tokens_total", { provider: "alpha", bucket })).toBe(row?.[column] ?? -1);
  }
});

test("streams and requests in progress are gauges that come down again", async () => {
  const gate = Promise.withResolvers<void>();
  alpha.on(chat, { ...says("openai-chat/text.sse"), gate: gate.promise });
  const answer = await post({ ...chatBody, model: "gpt-x", stream: true });
  const during = await metricsText(gateway);
  expect(sampleValue(during, "turnpike_open_streams")).toBe(1);
  expect(sampleValue(during, "turnpike_requests_in_flight")).toBe(1);
  gate.resolve();
  await answer.text();
  const after = await metricsText(gateway);
  expect(sampleValue(after, "turnpike_open_streams")).toBe(0);
  expect(sampleValue(after, "turnpike_requests_in_flight")).toBe(0);
  expect(sampleValue(after, "turnpike_ledger_queue_rows")).toBe(0);
});

test("the gateway's own time has no part of what a provider or a client takes", async () => {
  const delayMs = 1_500;
  const own = async () => {
    const text = await metricsText(gateway);
    const sum = sampleValue(text, "turnpike_overhead_duration_seconds_sum", { operation: "chat" });
    return { sum, count: sampleValue(text, "turnpike_overhead_duration_seconds_count", { operation: "chat" }) };
  };
  const before = await own();
  alpha.on(chat, { ...says("openai-chat/text.json"), delayMs });
  await (await post({ ...chatBody, model: "gpt-x" })).text();
  alpha.on(chat, { ...says("openai-chat/text.sse"), delayMs });
  await (await post({ ...chatBody, model: "gpt-x", stream: true })).text();
  alpha.on(chat, says("openai-chat/text.json"));
  const body = Buffer.from(JSON.stringify({ ...chatBody, model: "gpt-x" }));
  const slow = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(body.subarray(0, 10));
      await Bun.sleep(delayMs);
      controller.enqueue(body.subarray(10));
      controller.close();
    },
  });
  const headers = { ...bearer, "content-type": "application/json" };
  const answer = await send("/v1/chat/completions", { method: "POST", headers, body: slow });
  expect(answer.status).toBe(200);
  const after = await own();
  expect(after.count - before.count).toBe(3);
  expect(after.sum - before.sum).toBeGreaterThan(0);
  expect(after.sum - before.sum).toBeLessThan(delayMs / 1_000);
});

test("a refusal before admission is counted by its kind only", async () => {
  const count = async () => {
    const text = await metricsText(gateway);
    return sampleValue(text, "turnpike_error_responses_total", { kind: "model_not_found" });
  };
  const before = await count();
  expect((await post({ ...chatBody, model: "nobody-has-this-model" })).status).toBe(404);
  expect(await count()).toBe(before + 1);
  expect(await metricsText(gateway)).not.toContain("nobody-has-this-model");
});
