// What was used, summed over the rows of the ledger.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { zeroUsage } from "../../src/canonical/usage.ts";
import { openLedger } from "../../src/gateway/ledger/ledger.ts";
import { readUsage } from "../../src/gateway/ledger/usage-report.ts";
import { temporaryFolder } from "../store/engines.ts";
import { opening, settlement } from "./samples.ts";

let folder: ReturnType<typeof temporaryFolder>;

const day = 86_400_000;
let close: () => Promise<void>;
beforeEach(async () => {
  folder = temporaryFolder();
  const ledger = openLedger({ dataFolder: folder.path });
  const add = async (id: string, at: number, keyId: string, model: string, cost: bigint | null, failed = false) => {
    const entry = await ledger.open(opening(id, { atMs: at, keyId, model }));
    const end = failed ? { state: "failed" as const, provider: null, usage: zeroUsage } : {};
    await entry.settle(settlement({ costNanoDollars: cost, ...end }));
  };
  await add("1", 0, "key_a", "smart", 5_000_000_000_000_000n);
  await add("2", day, "key_b", "smart", 5_000_000_000_000_000n);
  await add("3", day + 1, "key_a", "fast", null);
  await add("4", day + 2, "key_a", "fast", null, true);
  await ledger.open(opening("5", { atMs: 2 * day, model: "fast" }));
  close = ledger.close;
});
afterEach(async () => {
  await close();
  folder.remove();
});

test("is summed by model, money exactly, the unpriced apart", () => {
  const tokens = { inputTokens: 20, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 10, reasoningTokens: 0 };
  const units = { images: 0, audioMs: 0, videoMs: 0, characters: 0, pages: 0, searches: 0, billedRequests: 0 };
  const rare = { cacheWrite1hTokens: 0, audioInputTokens: 0, imageInputTokens: 0, audioOutputTokens: 0 };
  const priced = { ...rare, imageOutputTokens: 0, priceNanoDollars: null };
  expect(readUsage(folder.path, { groupBy: ["model"] })).toEqual([
    {
      group: { model: "smart" },
      requests: 2,
      errors: 0,
      open: 0,
      ...tokens,
      costNanoDollars: 10_000_000_000_000_000n,
      unpriced: 0,
      possibleTokens: 0,
      ...priced,
      ...units,
    },
    {
      group: { model: "fast" },
      requests: 3,
      errors: 1,
      open: 1,
      ...tokens,
      inputTokens: 10,
      outputTokens: 5,
      costNanoDollars: null,
      unpriced: 1,
      possibleTokens: 0,
      ...priced,
      ...units,
    },
  ]);
});

test("is filtered by time and key, and grouped by day, key or provider", () => {
  const groups = (filter: Parameters<typeof readUsage>[1]) =>
    Object.fromEntries(readUsage(folder.path, filter).map((row) => [Object.values(row.group).join(), row.requests]));
  expect(groups({ groupBy: ["day"] })).toEqual({ "1970-01-01": 1, "1970-01-02": 3, "1970-01-03": 1 });
  expect(groups({ groupBy: ["key"], sinceMs: day, untilMs: 2 * day })).toEqual({ key_a: 2, key_b: 1 });
  expect(groups({ groupBy: ["provider"], keyId: "key_a" })).toEqual({ sandbox: 2, "": 2 });
});

test("units are summed by their kind, and what only has units is unpriced too", async () => {
  const other = temporaryFolder();
  const ledger = openLedger({ dataFolder: other.path });
  for (const [kind, amount] of [
    ["images", 2],
    ["images", 1],
    ["audioMs", 1_500],
  ] as const) {
    const usage = { ...zeroUsage, units: [{ kind, amount }] };
    await (await ledger.open(opening(`${kind}${amount}`))).settle(settlement({ usage }));
  }
  await ledger.close();
  expect(readUsage(other.path, { groupBy: ["model"] })).toMatchObject([
    { unpriced: 3, images: 3, audioMs: 1_500, characters: 0, searches: 0, costNanoDollars: null },
  ]);
  other.remove();
});

test("of a folder without a ledger is empty", () => {
  expect(readUsage(join(folder.path, "nowhere"), { groupBy: ["model"] })).toEqual([]);
});
