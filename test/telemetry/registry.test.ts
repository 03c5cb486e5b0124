// The text of the registry: what Prometheus requires of names, labels and numbers, and that it stays cheap.
import { describe, expect, test } from "bun:test";
import { metricFamilies } from "../../src/telemetry/metric-families.ts";
import { createMetrics, maxNamedModels } from "../../src/telemetry/metrics.ts";
import { createRegistry, type MetricFamily, type Registry } from "../../src/telemetry/registry.ts";
import { samplesOf, sampleValue } from "./scrape.ts";

const family = (members: Partial<MetricFamily>): MetricFamily => ({
  name: "turnpike_things_total",
  type: "counter",
  help: "Things.",
  labels: [],
  ...members,
});

const textOf = (registry: Registry, format: "text" | "openmetrics" = "text"): string => {
  const steps = registry.text(format);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
};

test("a label's value is escaped, and one combination of labels is one series", () => {
  const registry = createRegistry();
  const things = family({ labels: ["model"] });
  for (const value of ['a"b\\c\nd', 'a"b\\c\nd']) registry.counter(things, [value]).add(2);
  expect(textOf(registry)).toBe(
    '# HELP turnpike_things_total Things.\n# TYPE turnpike_things_total counter\nturnpike_things_total{model="a\\"b\\\\c\\nd"} 4\n',
  );
});

test("long values that begin alike are one series, because a series must not come twice", () => {
  const registry = createRegistry();
  const things = family({ labels: ["model"] });
  for (const end of ["x", "y"]) registry.counter(things, ["m".repeat(300) + end]).add(1);
  expect(samplesOf(textOf(registry))).toHaveLength(1);
});

test("OpenMetrics names a counter without its ending, and has an end", () => {
  const registry = createRegistry();
  registry.counter(family({})).add(1);
  expect(textOf(registry, "openmetrics")).toBe(
    "# HELP turnpike_things Things.\n# TYPE turnpike_things counter\nturnpike_things_total 1\n# EOF\n",
  );
});

test("buckets are cumulative, and a value at a bound belongs to it", () => {
  const registry = createRegistry();
  const times = registry.histogram(family({ name: "turnpike_x_seconds", type: "histogram", bounds: [0.1, 1] }));
  for (const value of [0.05, 0.1, 0.5, 3]) times.observe(value);
  expect(samplesOf(textOf(registry)).map(({ labels, value }) => [labels["le"], value])).toEqual([
    ["0.1", "2"],
    ["1", "3"],
    ["+Inf", "4"],
    [undefined, "3.65"],
    [undefined, "4"],
  ]);
});

test("dollars are the exact sum of nano-dollars, beyond what a float holds", () => {
  const registry = createRegistry();
  const dollars = registry.dollars(family({ name: "turnpike_cost_dollars_total" }));
  dollars.add(9_007_199_254_740_993_000_000_000n);
  dollars.add(1n);
  expect(textOf(registry)).toContain("turnpike_cost_dollars_total 9007199254740993.000000001\n");
});

describe("the table of metrics", () => {
  const families: MetricFamily[] = Object.values(metricFamilies);

  test("names are in base units, have a prefix, and say what they are", () => {
    for (const { name, type, help, labels } of families) {
      expect(name).toMatch(/^(?:turnpike|process)_[a-z_]+$/);
      expect({ name, endsInTotal: name.endsWith("_total") }).toEqual({ name, endsInTotal: type === "counter" });
      if (type === "histogram" || type === "summary") expect(name).toEndWith("_seconds");
      expect(name).not.toMatch(/_(?:ms|milliseconds|kb|mb)(?:_|$)/);
      expect(help).toMatch(/\.$/);
      for (const label of labels) expect(label).toMatch(/^[a-z_]+$/);
    }
    expect(new Set(families.map(({ name }) => name)).size).toBe(families.length);
  });

  test("no label names a key, an end user or an address", () => {
    const labels = new Set(families.flatMap((each) => each.labels));
    for (const label of labels) expect(label).not.toMatch(/key|user|address|ip$|session|project|request|path/);
  });
});

const usage = { inputTokens: 9, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 5, reasoningTokens: 0 };
const settlement = {
  state: "completed",
  httpStatus: 200,
  provider: "alpha",
  upstreamModel: "m",
  usage,
  charged: true,
  costNanoDollars: 5n,
  priceNanoDollars: 6n,
  firstByteMs: 120,
  durationMs: 900,
};
const exchange = { operation: "chat", settlement, warnings: [], isStream: true, overheadMs: 0.7 };
const named = (text: string): Set<string> =>
  new Set(samplesOf(text).flatMap(({ labels: { model } }) => (model === undefined ? [] : [model])));

describe("models as labels", () => {
  test("a name that nobody configured is `other` until the model has answered", () => {
    const registry = createRegistry();
    const metrics = createMetrics(registry, (_provider, model) => model === "configured");
    const failed = (upstreamModel: string) =>
      metrics.exchangeSettled({ ...exchange, settlement: { ...settlement, upstreamModel, state: "failed" } });
    failed("invented");
    failed("configured");
    expect(named(textOf(registry))).toEqual(new Set(["other", "configured"]));
    metrics.exchangeSettled({ ...exchange, settlement: { ...settlement, upstreamModel: "invented" } });
    failed("invented");
    const text = textOf(registry);
    expect(sampleValue(text, "turnpike_requests_total", { model: "invented", state: "failed" })).toBe(1);
    expect(sampleValue(text, "turnpike_requests_total", { model: "other", state: "failed" })).toBe(1);
  });

  test("there are at most so many, whatever answers", () => {
    const registry = createRegistry();
    const metrics = createMetrics(registry, () => true);
    for (let at = 0; at < maxNamedModels + 500; at++) {
      metrics.exchangeSettled({ ...exchange, settlement: { ...settlement, upstreamModel: `model-${at}` } });
      metrics.attempt("alpha", `model-${at}`, "answered");
    }
    const text = textOf(registry);
    expect(named(text).size).toBe(maxNamedModels + 1);
    expect(sampleValue(text, "turnpike_requests_total", { model: "other" })).toBe(500);
  });
});

/** Processor time of this thread, so that other work on the machine does not count. */
function nanosecondsEach(times: number, work: () => void): number {
  const before = process.threadCpuUsage();
  for (let at = 0; at < times; at++) work();
  const { user, system } = process.threadCpuUsage(before);
  return ((user + system) * 1_000) / times;
}

test("to record a settled exchange takes less than 2 µs", () => {
  const metrics = createMetrics(createRegistry(), () => true);
  const record = () => metrics.exchangeSettled(exchange);
  nanosecondsEach(50_000, record);
  // The least of many short rounds: other work empties the caches of the processor.
  const rounds = Array.from({ length: 50 }, () => nanosecondsEach(10_000, record));
  expect(Math.min(...rounds)).toBeLessThan(2_000);
});
