// Prices in the file: what is read, and the sentence for each fault.
import { expect, test } from "bun:test";
import { zeroUsage } from "../../src/canonical/usage.ts";
import { isTie } from "../../src/gateway/prices/price-match.ts";
import { presets } from "../../src/providers/presets.ts";
import { faultOf, load } from "../config/load.ts";

const cost = (...rows: string[]): string => ["prices:", "  cost:", ...rows.map((row) => `    - ${row}`)].join("\n");
const price = (...rows: string[]): string => ["prices:", "  price:", ...rows.map((row) => `    - ${row}`)].join("\n");

test("figures are exact, as numbers and as texts", () => {
  const yaml = cost('{ model: m, usd: { input: 0.1, output: "0.000000001", request: 12 } }');
  const { prices } = load(yaml).configuration;
  const own = prices.cost.rows.filter(({ model }) => model === "m");
  expect(own.map(({ of, per, nanoDollars }) => [of, per, nanoDollars])).toEqual([
    ["inputTokens", 1_000_000n, 100_000_000n],
    ["outputTokens", 1_000_000n, 1n],
    ["requests", 1n, 12_000_000_000n],
  ]);
});

test("a version changes with a figure, and with nothing else", () => {
  const version = (yaml: string): string => load(yaml).configuration.prices.costVersion;
  const [one, same, other] = [1, 1, 2].map((input) => version(cost(`{ model: m, usd: { input: ${input} } }`)));
  expect(one).toBe(same as string);
  expect(one).not.toBe(other as string);
});

test("the shipped prices can be left out", () => {
  expect(load("prices: { shipped: false }").configuration.prices.cost.rows).toEqual([]);
});

test.each<[string, string, string]>([
  ["a negative price", cost("{ model: m, usd: { input: -1 } }"), "prices.cost[0].usd.input"],
  ["a text that is no number", cost('{ model: m, usd: { input: "1e-7" } }'), "prices.cost[0].usd.input"],
  ["a number with too many digits", cost("{ model: m, usd: { input: 0.0000000001 } }"), "prices.cost[0].usd.input"],
  ["an unknown unit", cost("{ model: m, usd: { inputs: 1 } }"), "Did you mean 'input'"],
  ["no model", cost("{ usd: { input: 1 } }"), "missing required field 'model'"],
  ["no amounts", cost("{ model: m }"), "missing required field 'usd'"],
  ["an unknown operation", cost("{ model: m, operation: sing, usd: { input: 1 } }"), "prices.cost[0].operation"],
  ["a day that is none", cost("{ model: m, valid_from: soon, usd: { input: 1 } }"), "prices.cost[0].valid_from"],
  [
    "two rows for the same requests",
    cost("{ model: m, usd: { input: 1 } }", "{ model: m, usd: { input: 2 } }"),
    "prices.cost[1]: has the same matching fields as prices.cost.0",
  ],
  ["a price with both ways", price("{ model: m, factor: 2, usd: { input: 1 } }"), "must have either"],
  ["a price with neither", price("{ model: m }"), "must have either"],
  ["a factor with too many digits", price('{ model: m, factor: "1.0000001" }'), "at most 6 decimals"],
])("%s is refused", (_name, yaml, sentence) => {
  expect(faultOf(yaml)).toContain(sentence);
});

test("two rows that differ in their day, or of different amounts, are no fault", () => {
  load(cost("{ model: m, usd: { input: 1 } }", "{ model: m, valid_from: 2026-12-01, usd: { input: 2 } }"));
  load(cost("{ model: m, usd: { input: 1 } }", "{ model: m, usd: { output: 2 } }"));
});

test("the shipped prices have no tie, and each has a source", () => {
  const { prices } = load("").configuration;
  const { rows } = prices.cost;
  expect(rows.length).toBeGreaterThan(100);
  expect(rows.filter(({ source }) => source === undefined)).toEqual([]);
  const ties = rows.flatMap((row, at) => rows.slice(0, at).filter((other) => other.of === row.of && isTie(other, row)));
  expect(ties).toEqual([]);
});

test("a provider in the process, or found on this machine, costs nothing", () => {
  const { prices } = load("").configuration;
  const used = { ...zeroUsage, inputTokens: 5, units: [{ kind: "images", amount: 2 }] } as const;
  const local = presets.filter(({ localPort }) => localPort !== undefined).map(({ name }) => name);
  for (const kind of ["sandbox", ...local]) {
    const query = { provider: "mine", kind, model: "any", operation: "image", atMs: Date.now() } as const;
    expect(prices.of(query, "any", used)).toEqual({ costNanoDollars: 0n, priceNanoDollars: 0n });
  }
});
