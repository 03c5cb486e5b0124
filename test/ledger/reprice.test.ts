// Repricing: what it computes, what it books, and how usage, budgets, the feed and the check of an invoice follow.
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { readFeed } from "../../src/gateway/ledger/feed.ts";
import { ledgerPath } from "../../src/gateway/ledger/files.ts";
import { openLedger } from "../../src/gateway/ledger/ledger.ts";
import { readAdjustments, readRequests } from "../../src/gateway/ledger/read.ts";
import { reconcileIndex, reconcileInvoice } from "../../src/gateway/ledger/reconcile.ts";
import { bookRepricing, previewRepricing } from "../../src/gateway/ledger/reprice.ts";
import type { LedgerSettlement } from "../../src/gateway/ledger/types.ts";
import { readUsageReport, sumAllRows } from "../../src/gateway/ledger/usage-report.ts";
import { createPriceBook } from "../../src/gateway/prices/price-book.ts";
import { createPrices, type Prices } from "../../src/gateway/prices/prices.ts";
import { temporaryFolder } from "../store/engines.ts";
import { opening, settlement, usageOf } from "./samples.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const dayMs = Date.UTC(2026, 2, 1);
const all = { sinceMs: 0, untilMs: dayMs * 2 };

/** One token costs `cost`; callers pay twice that. */
function pricesOf(version: string, cost: bigint, tierCost = cost): Prices {
  const rows = (["inputTokens", "outputTokens"] as const).flatMap((of) => [
    { model: "sandbox-1", of, per: 1n, nanoDollars: cost },
    { model: "sandbox-1", of, per: 1n, nanoDollars: tierCost, tier: "priority" },
  ]);
  const rule = { model: "*", factorMillionths: 2_000_000n, perRequestNanoDollars: 0n };
  return createPrices(createPriceBook(version, rows), createPriceBook(version, []), [rule]);
}

const [march, april, may] = [pricesOf("march", 3n, 6n), pricesOf("april", 5n, 10n), pricesOf("may", 3n, 6n)];
const books: Record<string, Prices> = { march, april, may };
const pricing = (prices: Prices) => ({
  prices,
  earlier: (version: string | null) => books[version ?? ""] ?? null,
  kindOf: () => "sandbox",
});
const at = { atMs: dayMs, organization: "default", project: "web", costVersion: "march", priceVersion: "march" };
/** 15 tokens. */
const paid: Partial<LedgerSettlement> = { costNanoDollars: 45n, priceNanoDollars: 90n };

async function ledgerOf(rows: number) {
  const ledger = openLedger({ dataFolder: folder.path });
  for (let at_ = 0; at_ < rows; at_++) {
    const entry = await ledger.open(opening(`r${at_}`, { ...at, keyId: at_ % 2 === 0 ? "key_a" : "key_b" }));
    await entry.settle(settlement(paid));
  }
  return ledger;
}

const usage = () => readUsageReport(folder.path, { groupBy: ["key"] });

test("a preview changes nothing, and a booking only adds", async () => {
  const ledger = await ledgerOf(5);
  const before = readRequests(folder.path, { limit: 10 });
  const preview = previewRepricing(folder.path, all, pricing(april));
  expect(preview).toMatchObject({
    repricing: null,
    costVersion: "april",
    total: { requests: 5, changed: 5, bookedCost: 225n, newCost: 375n, bookedPrice: 450n, newPrice: 750n },
  });
  expect(preview.groups.map(({ keyId, model, changed }) => [keyId, model, changed])).toEqual([
    ["key_a", "smart", 3],
    ["key_b", "smart", 2],
  ]);
  expect(usage().map(({ priceNanoDollars }) => priceNanoDollars)).toEqual([270n, 180n]);
  const booked = bookRepricing(folder.path, all, pricing(april));
  expect(booked).toEqual({ ...preview, repricing: 1 });
  expect(readRequests(folder.path, { limit: 10 })).toEqual(before);
  expect(usage()).toMatchObject([
    { requests: 3, costNanoDollars: 225n, priceNanoDollars: 450n, inputTokens: 30 },
    { requests: 2, costNanoDollars: 150n, priceNanoDollars: 300n },
  ]);
  expect(sumAllRows(folder.path, { groupBy: ["key"] })).toEqual(usage());
  expect(reconcileIndex(folder.path)).toEqual([]);
  const [first] = before;
  expect(readAdjustments(folder.path, first?.n ?? 0, first?.id ?? "")).toMatchObject([
    { repricing: 1, id: "r4", costNanoDollars: 30n, priceNanoDollars: 60n, costVersion: "april" },
  ]);
  // Again there is nothing to book, and back are the exact negatives.
  expect(bookRepricing(folder.path, all, pricing(april))).toMatchObject({ repricing: null, total: { changed: 0 } });
  expect(bookRepricing(folder.path, all, pricing(may)).repricing).toBe(3);
  expect(usage().map(({ priceNanoDollars }) => priceNanoDollars)).toEqual([270n, 180n]);
  expect(reconcileIndex(folder.path)).toEqual([]);
  await ledger.close();
});

test("only the requests that were asked for, and none whose figures do not follow from their own prices", async () => {
  const ledger = openLedger({ dataFolder: folder.path });
  const add = async (id: string, change: object, end: Partial<LedgerSettlement>): Promise<void> => {
    await (await ledger.open(opening(id, { ...at, ...change }))).settle(settlement({ ...paid, ...end }));
  };
  await add("earlier", { atMs: dayMs - 1 }, {});
  await add("other model", { model: "fast" }, {});
  await add("free", {}, { charged: false, costNanoDollars: null, priceNanoDollars: 0n });
  await add("replayed", {}, { state: "replayed", costNanoDollars: 0n, priceNanoDollars: 0n });
  await add("strange", {}, { costNanoDollars: 44n });
  await add("unpriced", {}, { upstreamModel: "unknown", costNanoDollars: null, priceNanoDollars: null });
  await add("priority", {}, { tier: "priority", costNanoDollars: 90n, priceNanoDollars: 180n });
  const since = { sinceMs: dayMs, untilMs: dayMs + 1, model: "smart" };
  const report = bookRepricing(folder.path, since, pricing(april));
  expect(report.total).toMatchObject({ requests: 3, changed: 1, unpriced: 1, unexplained: 1 });
  expect(report.total).toMatchObject({ bookedCost: 90n, newCost: 150n });
  await ledger.close();
});

test("a request that had no price has one, and is not counted as unpriced any more", async () => {
  const ledger = openLedger({ dataFolder: folder.path });
  const entry = await ledger.open(opening("late", { ...at, costVersion: "none", priceVersion: "none" }));
  await entry.settle(settlement({ costNanoDollars: null, priceNanoDollars: null }));
  expect(usage()).toMatchObject([{ unpriced: 1, costNanoDollars: null }]);
  bookRepricing(folder.path, all, pricing(march));
  expect(usage()).toMatchObject([{ unpriced: 0, costNanoDollars: 45n, priceNanoDollars: 90n }]);
  bookRepricing(folder.path, all, pricing(april));
  expect(usage()).toMatchObject([{ unpriced: 0, costNanoDollars: 75n }]);
  await ledger.close();
});

test("the spend of a running ledger follows, on every level, and is the same after a restart", async () => {
  const ledger = await ledgerOf(450);
  const levels = [
    ["key", "key_a"],
    ["project", "web"],
    ["organization", "default"],
  ] as const;
  const spent = (from: typeof ledger) => levels.map(([level, id]) => from.spent(level, id, dayMs));
  expect(spent(ledger)).toEqual([20_250n, 40_500n, 40_500n]);
  expect(ledger.followAdjustments()).toBeNull();
  bookRepricing(folder.path, all, pricing(april));
  // Until it is followed, a window that is filled now has no more than one that was filled before.
  expect(spent(ledger)).toEqual([20_250n, 40_500n, 40_500n]);
  const changed = ledger.followAdjustments();
  expect(levels.map(([level, id]) => changed?.(level, id, dayMs))).toEqual([13_500n, 27_000n, 27_000n]);
  expect(changed?.("key", "key_a", dayMs + 86_400_000)).toBe(0n);
  expect(spent(ledger)).toEqual([33_750n, 67_500n, 67_500n]);
  expect(ledger.followAdjustments()).toBeNull();
  await ledger.close();
  const again = openLedger({ dataFolder: folder.path });
  expect(spent(again)).toEqual([33_750n, 67_500n, 67_500n]);
  await again.close();
});

test("the feed has adjustments after the requests that they change, page by page", async () => {
  const ledger = await ledgerOf(3);
  const first = readFeed(folder.path, { limit: 2 });
  bookRepricing(folder.path, all, pricing(april));
  const late = await ledger.open(opening("late", { ...at }));
  await late.settle(settlement(paid));
  const seen: string[] = [];
  let { next } = first;
  for (let hasMore = true; hasMore; ) {
    const page = readFeed(folder.path, { limit: 2, after: next });
    seen.push(...page.rows.map(({ id }) => id), ...page.adjustments.map(({ id }) => `${id} adjusted`));
    ({ next, hasMore } = page);
  }
  expect(seen).toEqual(["r2", "late", "r0 adjusted", "r1 adjusted", "r2 adjusted"]);
  expect(readFeed(folder.path, { limit: 2, after: next })).toMatchObject({ rows: [], adjustments: [], next });
  bookRepricing(folder.path, all, pricing(may));
  expect(readFeed(folder.path, { limit: 9, after: next }).adjustments.map(({ id }) => id)).toEqual(["r0", "r1", "r2"]);
  await ledger.close();
});

test("an invoice is compared with the adjusted costs", async () => {
  const ledger = await ledgerOf(2);
  bookRepricing(folder.path, all, pricing(april));
  const line = { day: "2026-03-01", model: "sandbox-1", tokens: 30, nanoDollars: 150n };
  expect(reconcileInvoice(folder.path, "sandbox", [line])).toEqual([]);
  await ledger.close();
});

test("what was not booked to its end counts nowhere and is deleted by the next one", async () => {
  const ledger = await ledgerOf(450);
  const stop = new Error("killed");
  let seen = 0;
  const dying = {
    ...pricing(april),
    kindOf: () => {
      if (++seen > 600) throw stop;
      return "sandbox";
    },
  };
  expect(() => bookRepricing(folder.path, all, dying)).toThrow(stop);
  const count = (): unknown => {
    using database = new Database(ledgerPath(folder.path));
    return database.query("select count(*) from adjustments where repricing = 1").values().flat()[0];
  };
  expect(Number(count())).toBeGreaterThan(0);
  expect(usage().map(({ priceNanoDollars }) => priceNanoDollars)).toEqual([20_250n, 20_250n]);
  expect(readFeed(folder.path, { limit: 1_000 }).adjustments).toEqual([]);
  expect(ledger.followAdjustments()).toBeNull();
  expect(bookRepricing(folder.path, all, pricing(april))).toMatchObject({ repricing: 2, total: { changed: 450 } });
  expect(count()).toBe(0);
  expect(ledger.followAdjustments()?.("key", "key_a", 0)).toBe(13_500n);
  await ledger.close();
});

test("a second repricing ends the first one, which then books nothing", async () => {
  const ledger = await ledgerOf(450);
  let seen = 0;
  const interrupted = {
    ...pricing(april),
    kindOf: () => {
      if (++seen === 500) bookRepricing(folder.path, all, pricing(may));
      return "sandbox";
    },
  };
  expect(() => bookRepricing(folder.path, all, interrupted)).toThrow("Another repricing has started");
  expect(usage().map(({ priceNanoDollars }) => priceNanoDollars)).toEqual([20_250n, 20_250n]);
  await ledger.close();
});

test("a folder of an earlier version is read as before", async () => {
  const ledger = await ledgerOf(1);
  await ledger.close();
  using database = new Database(join(folder.path, "ledger.db"));
  for (const table of ["adjustments", "adjusted_spend", "repricings"]) database.run(`drop table ${table}`);
  database.close();
  expect(usage()).toMatchObject([{ requests: 1, priceNanoDollars: 90n }]);
  expect(readFeed(folder.path, { limit: 9 })).toMatchObject({ adjustments: [], rows: [{ id: "r0" }] });
  expect(previewRepricing(folder.path, all, pricing(april)).total.changed).toBe(1);
  expect(usageOf().inputTokens).toBe(10);
});
