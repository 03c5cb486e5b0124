// A real Prometheus reads the gateway: it scrapes, stores and answers, and its own tool checks text and rules. Skipped where it is missing.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { metricFamilies } from "../../src/telemetry/metric-families.ts";
import { chatBody } from "../http/setting.ts";
import { says } from "../support/fixtures.ts";
import { adminKey, clientKey, gateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { closedAddress, upstream } from "../support/upstream.ts";
import { metricsText } from "./scrape.ts";

const prometheus = Bun.which("prometheus");
const promtool = Bun.which("promtool");
const deploy = join(import.meta.dir, "..", "..", "deploy");
const alerts = join(deploy, "prometheus-alerts.yaml");
const dashboard = (await Bun.file(join(deploy, "grafana-dashboard.json")).json()) as {
  panels: { title: string; targets: { expr: string }[] }[];
};
/** The queries of the dashboard, with its variables filled in. */
const queries = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => ({
    title,
    expr: expr.replaceAll("$__rate_interval", "1m").replaceAll("$instance", ".*"),
  })),
);

const folder = mkdtempSync(join(tmpdir(), "turnpike-prometheus-"));
const up = await upstream();
const running = await gateway({
  yaml: `providers:
  far: { kind: compatible, base_url: "${up.url}/v1", credential: none, models: [m] }
  dead: { kind: compatible, base_url: "${closedAddress()}/v1", credential: none, models: [gone] }
`,
});
afterAll(async () => {
  await Promise.all([running.stop(), up.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

const ask = async (body: object, path = "chat/completions"): Promise<void> => {
  const authorization = `Bearer ${clientKey}`;
  const headers = { authorization, "content-type": "application/json", "anthropic-version": "2023-06-01" };
  const answer = await fetch(`${running.url}/v1/${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify({ ...chatBody, ...body }),
  });
  await answer.text();
};

/** At least one series of every metric that requests can have. */
async function makeTraffic(): Promise<void> {
  await ask({ model: "sandbox/chat" });
  await ask({ model: "sandbox/chat", stream: true });
  up.on("*", says("openai-chat/text.json"));
  await ask({ model: "far/m", max_tokens: 9, top_k: 4 }, "messages");
  // As many failures as open the circuit breaker of its provider.
  for (let failures = 0; failures < 5; failures++) await ask({ model: "dead/gone" });
  await ask({ model: "nobody" });
}

async function check(words: string[], input = ""): Promise<{ code: number; output: string }> {
  const child = Bun.spawn([promtool ?? "", ...words], { stdin: Buffer.from(input), stdout: "pipe", stderr: "pipe" });
  const [output, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, output: output + errors };
}

describe.skipIf(promtool === null)("promtool (skipped: there is none)", () => {
  test("accepts the text, with every name and its help", async () => {
    await makeTraffic();
    const text = await metricsText(running);
    expect(await check(["check", "metrics"], text)).toEqual({ code: 0, output: "" });
    // It does find faults.
    expect((await check(["check", "metrics"], text.replaceAll("_seconds", "_milliseconds"))).code).not.toBe(0);
  });

  test("accepts the example rules, and their tests pass", async () => {
    expect(await check(["check", "rules", alerts])).toMatchObject({ code: 0 });
    expect(await check(["test", "rules", join(deploy, "prometheus-alerts-test.yaml")])).toMatchObject({ code: 0 });
  });
});

test("the example rules use metrics that there are", async () => {
  const { groups } = parse(await Bun.file(alerts).text()) as { groups: { rules: { alert: string; expr: string }[] }[] };
  const known = new Set<string>(Object.values(metricFamilies).map(({ name }) => name));
  const rules = groups.flatMap((group) => group.rules);
  expect(rules.length).toBeGreaterThan(4);
  for (const { alert, expr } of rules) {
    const used = expr.match(/\b(?:turnpike|process)_\w+/g) ?? [];
    expect({ alert, uses: used.length > 0 }).toEqual({ alert, uses: true });
    for (const name of used) expect(known).toContain(name.replace(/_(?:bucket|sum|count)$/, ""));
  }
});

test("the dashboard uses metrics that there are", () => {
  const known = new Set<string>(Object.values(metricFamilies).map(({ name }) => name));
  expect(queries.length).toBeGreaterThan(10);
  for (const { title, expr } of queries) {
    const used = expr.match(/\b(?:turnpike|process)_\w+/g) ?? [];
    expect({ title, uses: used.length > 0 }).toEqual({ title, uses: true });
    for (const name of used) expect(known).toContain(name.replace(/_(?:bucket|sum|count)$/, ""));
  }
});

interface Sample {
  metric: Record<string, string>;
  value: [number, string];
}

/** A port that was free a moment ago. */
function freePort(): number {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
  server.stop(true);
  return server.port;
}

function startPrometheus(port: number, token: string): Bun.Subprocess {
  const file = join(folder, `prometheus-${port}.yml`);
  writeFileSync(
    file,
    `global: { scrape_interval: 1s, scrape_timeout: 1s }
rule_files: ["${alerts}"]
scrape_configs:
  - job_name: turnpike
    authorization: { credentials: "${token}" }
    static_configs: [{ targets: ["${new URL(running.url).host}"] }]
`,
  );
  const data = join(folder, `data-${port}`);
  const options = [`--config.file=${file}`, `--storage.tsdb.path=${data}`, `--web.listen-address=127.0.0.1:${port}`];
  return Bun.spawn([prometheus ?? "", ...options], { stdout: "ignore", stderr: "ignore" });
}

describe.skipIf(prometheus === null)("Prometheus (skipped: there is none)", () => {
  test("scrapes the gateway with the admin key, and answers for every metric", async () => {
    await makeTraffic();
    const port = freePort();
    const child = startPrometheus(port, adminKey);
    const query = async (expr: string): Promise<Sample[]> => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expr)}`);
      return ((await answer.json()) as { data: { result: Sample[] } }).data.result;
    };
    try {
      const scraped = () => query('up{job="turnpike"}').catch(() => []);
      await until("it was scraped", async () => (await scraped()).some(({ value }) => value[1] === "1"));
      const sum = async (expr: string) => Number((await query(`sum(${expr})`))[0]?.value[1] ?? 0);
      expect(await sum('turnpike_requests_total{provider="sandbox",state="completed"}')).toBeGreaterThanOrEqual(3);
      expect(await sum('turnpike_attempts_total{provider="dead",reason="upstream_unreachable"}')).toBeGreaterThan(0);
      expect(await sum('turnpike_tokens_total{bucket="output"}')).toBeGreaterThan(0);
      const [p99] = await query("histogram_quantile(0.99, sum by (le) (turnpike_overhead_duration_seconds_bucket))");
      expect(Number(p99?.value[1])).toBeGreaterThan(0);
      const names = await query('count by (__name__) ({job="turnpike"})');
      const stored = new Set(names.map(({ metric }) => metric["__name__"]?.replace(/_(?:bucket|sum|count)$/, "")));
      const rare = new Set<string>([metricFamilies.modelListFailures.name]);
      const missing = Object.values(metricFamilies).filter(({ name }) => !stored.has(name) && !rare.has(name));
      expect(missing.map(({ name }) => name)).toEqual([]);
      for (const { title, expr } of queries) {
        const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expr)}`);
        expect({ title, status: answer.status }).toEqual({ title, status: 200 });
      }
      const rules = await fetch(`http://127.0.0.1:${port}/api/v1/rules`);
      expect(JSON.stringify(await rules.json())).not.toContain('"health":"err"');
    } finally {
      child.kill();
      await child.exited;
    }
  });

  test("gets nothing with a client's key", async () => {
    const port = freePort();
    const child = startPrometheus(port, clientKey);
    try {
      const lastError = async (): Promise<string | undefined> => {
        const answer = await fetch(`http://127.0.0.1:${port}/api/v1/targets`);
        const { data } = (await answer.json()) as { data: { activeTargets: { lastError: string }[] } };
        return data.activeTargets[0]?.lastError;
      };
      const error = await until("it was refused", () =>
        lastError()
          .catch(() => undefined)
          .then((text) => text || null),
      );
      expect(error).toContain("401");
    } finally {
      child.kill();
      await child.exited;
    }
  });
});
