// Collectors: a real one decodes what is sent; one that is down, slow or broken delays nothing; sampling decides what is sent.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { clientKey, type GatewayOptions, gateway, type RunningGateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { closedAddress } from "../support/upstream.ts";
import { exportsTo, otlpReceiver } from "./otlp-receiver.ts";

const built = join(import.meta.dir, "..", "..", "node_modules", ".cache", "otelcol");
const otelcol = Bun.which("otelcol") ?? (existsSync(built) ? built : null);

async function ask({ url }: RunningGateway, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${clientKey}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "sandbox/chat", messages: [{ role: "user", content: "hello" }] }),
  });
  await response.text();
  return response.status;
}

/** Runs work with a gateway, and stops it. */
async function withGateway(
  environment: GatewayOptions["environment"],
  work: (running: RunningGateway) => Promise<void>,
) {
  const running = await gateway({ environment: environment ?? {} });
  try {
    await work(running);
  } finally {
    await running.stop();
  }
}

const failuresIn = ({ log }: RunningGateway): string[] =>
  log.filter((line) => line.includes('"telemetry_export_failed"') && line.includes('"traces"'));

test("a collector that fails is logged once, and once more when it answers again", async () => {
  const receiver = otlpReceiver();
  receiver.fails = 500;
  await withGateway(exportsTo(receiver, { OTEL_METRICS_EXPORTER: "none" }), async (running) => {
    expect(await ask(running)).toBe(200);
    await until("the failure", () => failuresIn(running).length > 0);
    const seen = receiver.bodies.length;
    expect(await ask(running)).toBe(200);
    await until("another export", () => receiver.bodies.length > seen);
    receiver.fails = null;
    expect(await ask(running)).toBe(200);
    await until("the recovery", () => running.log.some((line) => line.includes('"telemetry_export_recovered"')));
    expect(failuresIn(running)).toHaveLength(1);
  });
  await receiver.stop();
});

test("a collector that is down or never answers delays neither requests nor the stop", async () => {
  const receiver = otlpReceiver();
  receiver.fails = "never";
  for (const url of [closedAddress(), receiver.url]) {
    const limits = {
      OTEL_EXPORTER_OTLP_TIMEOUT: "60000",
      OTEL_BSP_MAX_QUEUE_SIZE: "4",
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "2",
    };
    const running = await gateway({ environment: exportsTo({ url }, limits) });
    const statuses = await Promise.all(Array.from({ length: 20 }, () => ask(running)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    const startedMs = performance.now();
    await running.stop();
    // The time limit of the exporter is 60 s, and the stop waits 5 s of it.
    expect(performance.now() - startedMs).toBeLessThan(40_000);
  }
  await receiver.stop();
}, 120_000);

test("the stop sends what has waited", async () => {
  const receiver = otlpReceiver();
  const later = { OTEL_BSP_SCHEDULE_DELAY: "600000", OTEL_METRIC_EXPORT_INTERVAL: "600000" };
  await withGateway(exportsTo(receiver, later), async (running) => {
    expect(await ask(running)).toBe(200);
    expect(receiver.spans).toEqual([]);
  });
  expect(receiver.spans.map(({ kind }) => kind).sort()).toEqual(["client", "server"]);
  expect(receiver.metrics.has("http.server.request.duration")).toBe(true);
  await receiver.stop();
});

const traceId = "0af7651916cd43dd8448eb211c80319c";
const parent = (flags: string) => ({ traceparent: `00-${traceId}-b7ad6b7169203331-${flags}` });

/** The sampler, its argument, the client's flags; and whether there are spans. */
test.each([
  ["always_off", "1", "01", 0],
  ["always_on", "1", "00", 2],
  ["traceidratio", "0", "01", 0],
  ["traceidratio", "1", "00", 2],
  ["parentbased_always_off", "1", "01", 2],
  ["parentbased_always_on", "1", "00", 0],
])("sampler %s with %s and a parent of flags %s: %d spans", async (sampler, share, flags, count) => {
  const receiver = otlpReceiver();
  const environment = exportsTo(receiver, { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: share });
  await withGateway(environment, async (running) => {
    expect(await ask(running, parent(flags))).toBe(200);
  });
  expect(receiver.spans).toHaveLength(count);
  // Metrics count all requests.
  expect(receiver.metrics.get("http.server.request.duration")?.[0]?.count).toBe(1);
  await receiver.stop();
});

test("without an endpoint, or disabled, nothing is sent", async () => {
  const receiver = otlpReceiver();
  await withGateway(exportsTo(receiver, { OTEL_SDK_DISABLED: "true" }), async (running) => {
    expect(await ask(running, parent("01"))).toBe(200);
  });
  expect(receiver.bodies).toEqual([]);
  await receiver.stop();
});

test.skipIf(otelcol === null).each(["http/protobuf", "http/json"])(
  "a real collector accepts %s (skipped: there is none)",
  async (protocol) => {
    const free = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
    const { port } = free;
    free.stop(true);
    const config = `yaml:{receivers: {otlp: {protocols: {http: {endpoint: "127.0.0.1:${port}"}}}}, exporters: {debug: {verbosity: detailed}}, service: {telemetry: {metrics: {level: none}}, pipelines: {traces: {receivers: [otlp], exporters: [debug]}, metrics: {receivers: [otlp], exporters: [debug]}}}}`;
    const child = Bun.spawn([otelcol ?? "", "--config", config], { stdout: "ignore", stderr: "pipe" });
    let text = "";
    const reading = (async () => {
      for await (const chunk of child.stderr) text += Buffer.from(chunk).toString();
    })();
    try {
      await until("the collector listens", () => text.includes("Everything is ready"));
      const url = `http://127.0.0.1:${port}`;
      const environment = exportsTo({ url }, { OTEL_EXPORTER_OTLP_PROTOCOL: protocol, OTEL_SERVICE_NAME: "gate" });
      await withGateway(environment, async (running) => {
        expect(await ask(running, parent("01"))).toBe(200);
      });
      await until("spans and metrics", () => text.includes("gen_ai.client.token.usage") && text.includes("chat chat"));
      for (const part of [
        traceId,
        "service.name: Str(gate)",
        "gen_ai.usage.output_tokens: Int(",
        "POST /v1/chat/completions",
      ])
        expect(text).toContain(part);
    } finally {
      child.kill();
      await Promise.all([child.exited, reading]);
    }
  },
);
