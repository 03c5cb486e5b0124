// Which price applies, and what it comes to: the order of specificity, buckets without a row, rules over cost.
import { describe, expect, test } from "bun:test";
import { type Usage, zeroUsage } from "../../src/canonical/usage.ts";
import { createPriceBook, findRow } from "../../src/gateway/prices/price-book.ts";
import type { PriceQuery, PriceRow } from "../../src/gateway/prices/price-row.ts";
import { createPrices } from "../../src/gateway/prices/prices.ts";

const row = (change: Partial<PriceRow>): PriceRow => ({
  model: "m",
  of: "inputTokens",
  per: 1_000_000n,
  nanoDollars: 1_000_000_000n,
  ...change,
});

const query: PriceQuery = {
  provider: "mine",
  kind: "openai",
  model: "m",
  operation: "chat",
  atMs: 1_000,
  inputTokens: 10,
};
const usage = (change: Partial<Usage>): Usage => ({ ...zeroUsage, ...change });
const empty = createPriceBook("none", []);

describe("the winner", () => {
  const winner = (rows: readonly Partial<PriceRow>[], change: Partial<PriceQuery> = {}) =>
    findRow(
      createPriceBook(
        "v",
        rows.map((each, index) => row({ ...each, nanoDollars: BigInt(index) })),
      ).at({ ...query, ...change }),
      { ...query, ...change },
      "inputTokens",
    )?.nanoDollars;

  test.each<[string, Partial<PriceRow>[], Partial<PriceQuery>]>([
    [
      "an exact model before a pattern, whatever else the pattern matches",
      [{ model: "*", provider: "mine", operation: "chat" }, {}],
      {},
    ],
    ["a longer pattern before a shorter one", [{ model: "gpt-*" }, { model: "gpt-5*" }], { model: "gpt-5-mini" }],
    ["a provider before any", [{ operation: "chat" }, { provider: "mine" }], {}],
    ["a kind counts as a provider", [{}, { provider: "openai" }], {}],
    ["an operation before a tier", [{ tier: "flex" }, { operation: "chat" }], { tier: "flex" }],
    ["the highest threshold that is reached", [{}, { fromInputTokens: 10 }, { fromInputTokens: 11 }].slice(0, 2), {}],
    ["the latest that is valid at admission", [{ validFromMs: 5 }, { validFromMs: 1_000 }], {}],
  ])("%s", (_name, rows, change) => {
    expect(winner(rows, change)).toBe(BigInt(rows.length - 1));
  });

  test.each<[string, Partial<PriceRow>, Partial<PriceQuery>]>([
    ["another model", { model: "n" }, {}],
    ["a pattern's dot is a dot", { model: "gpt.5*" }, { model: "gpt-5" }],
    ["another provider", { provider: "other" }, {}],
    ["another operation", { operation: "embed" }, {}],
    ["another region", { region: "eu" }, {}],
    ["another tier", { tier: "flex" }, {}],
    ["a threshold above the input", { fromInputTokens: 11 }, {}],
    ["a price of later", { validFromMs: 1_001 }, {}],
  ])("does not match: %s", (_name, only, change) => {
    expect(winner([only], change)).toBeUndefined();
  });
});

describe("what a usage costs", () => {
  const book = createPriceBook("v", [
    row({ nanoDollars: 3_000_000_000n }),
    row({ of: "outputTokens", nanoDollars: 15_000_000_000n }),
    row({ of: "cacheReadTokens", nanoDollars: 300_000_000n }),
    row({ of: "images", per: 1n, nanoDollars: 40_000_000n }),
    row({ of: "images", per: 1n, nanoDollars: 80_000_000n, size: "1536x1024", quality: "high" }),
    row({ of: "audioMs", per: 60_000n, nanoDollars: 6_000_000n }),
  ]);
  const prices = createPrices(book, empty, []);
  const cost = (change: Partial<Usage>) => prices.of(query, "any", usage(change)).costNanoDollars;

  test.each<[string, Partial<Usage>, bigint | null]>([
    ["nothing used", {}, 0n],
    ["input and output", { inputTokens: 1_000, outputTokens: 100 }, 3_000_000n + 1_500_000n],
    ["one token is rounded up once", { inputTokens: 1 }, 3_000n],
    ["a cache read at its own price", { cacheReadTokens: 10 }, 3_000n],
    ["a cache write as input", { cacheWriteTokens: 10 }, 30_000n],
    ["an hour of cache as a write, and that as input", { cacheWrite1hTokens: 10 }, 30_000n],
    ["reasoning as output", { reasoningTokens: 10 }, 150_000n],
    ["audio tokens have no price", { inputTokens: 5, audioInputTokens: 1 }, null],
    ["an image of no known size", { units: [{ kind: "images", amount: 2 }] }, 80_000_000n],
    [
      "images of two sizes",
      {
        units: [
          { kind: "images", amount: 1, size: "1536x1024", quality: "high" },
          { kind: "images", amount: 1, size: "1024x1024", quality: "high" },
        ],
      },
      120_000_000n,
    ],
    ["a part of a minute, rounded up", { units: [{ kind: "audioMs", amount: 1 }] }, 100n],
    ["a unit without a price", { units: [{ kind: "searches", amount: 1 }] }, null],
  ])("%s", (_name, used, expected) => {
    expect(cost(used)).toBe(expected);
  });

  test("rounding is up, for each bucket by itself", () => {
    const odd = createPrices(
      createPriceBook("v", [row({ per: 3n, nanoDollars: 1n }), row({ of: "outputTokens", per: 3n, nanoDollars: 1n })]),
      empty,
      [],
    );
    expect(odd.of(query, "m", usage({ inputTokens: 1, outputTokens: 1 })).costNanoDollars).toBe(2n);
  });

  test("a model's own rows are never mixed with the usual ones", () => {
    const own = createPriceBook("v", [row({ nanoDollars: 7n, per: 1n })], () => [row({ of: "outputTokens" })]);
    const mixed = createPrices(own, empty, []);
    expect(mixed.of(query, "m", usage({ inputTokens: 1 })).costNanoDollars).toBe(7n);
    expect(mixed.of(query, "m", usage({ outputTokens: 1 })).costNanoDollars).toBeNull();
  });
});

describe("what the caller pays", () => {
  const cost = createPriceBook("v", [
    row({ per: 1n, nanoDollars: 7n }),
    row({ of: "outputTokens", per: 1n, nanoDollars: 10n }),
  ]);
  const used = usage({ inputTokens: 1, outputTokens: 1 });
  const rule = { model: "*", factorMillionths: 1_250_000n, perRequestNanoDollars: 0n };

  test("without a price, the cost", () => {
    expect(createPrices(cost, empty, []).of(query, "smart", used)).toEqual({
      costNanoDollars: 17n,
      priceNanoDollars: 17n,
    });
  });

  test("a factor rounds each bucket up; a fixed amount comes after", () => {
    const prices = createPrices(cost, empty, [{ ...rule, perRequestNanoDollars: 100n }]);
    expect(prices.of(query, "smart", used).priceNanoDollars).toBe(9n + 13n + 100n);
  });

  test("a price by the model that the client named, before the rule", () => {
    const book = createPriceBook("p", [row({ model: "smart", per: 1n, nanoDollars: 1n })]);
    const prices = createPrices(cost, book, [rule]);
    expect(prices.of(query, "smart", used).priceNanoDollars).toBe(1n + 13n);
    expect(prices.of(query, "other", used).priceNanoDollars).toBe(9n + 13n);
  });

  test("a price without a cost", () => {
    const book = createPriceBook("p", [row({ model: "smart", per: 1n, nanoDollars: 4n })]);
    const prices = createPrices(empty, book, []);
    expect(prices.of(query, "smart", usage({ inputTokens: 2 }))).toEqual({
      costNanoDollars: null,
      priceNanoDollars: 8n,
    });
    expect(prices.of(query, "smart", used)).toEqual({ costNanoDollars: null, priceNanoDollars: null });
  });

  test("nothing used is free, also with a fixed amount", () => {
    const prices = createPrices(cost, empty, [{ ...rule, perRequestNanoDollars: 100n }]);
    expect(prices.of(query, "smart", zeroUsage)).toEqual({ costNanoDollars: 0n, priceNanoDollars: 0n });
  });
});
