// A process that reserves, opens and settles until it is killed. At its start it checks what the one before it has left.
import { writeSync } from "node:fs";
import { defaultLimits } from "../../src/config/limits.ts";
import { openLedger } from "../../src/gateway/ledger/ledger.ts";
import { videoSize } from "../../src/gateway/pipeline/request-size.ts";
import { createBudgets } from "../../src/gateway/policy/budgets.ts";
import { callerOf } from "../../src/gateway/policy/caller.ts";
import { createMemoryCounters } from "../../src/gateway/policy/counters.ts";
import type { ResolvedIntent } from "../../src/gateway/policy/policy.ts";
import { createPendingReservations, reserve } from "../../src/gateway/policy/reservations.ts";
import { createWindows } from "../../src/gateway/policy/windows.ts";
import { createPriceBook } from "../../src/gateway/prices/price-book.ts";
import { createPrices } from "../../src/gateway/prices/prices.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { recordIds } from "../../src/lib/ids.ts";
import { opening, settlement } from "./samples.ts";

const [, , dataFolder = "", task] = process.argv;

const row = (of: "inputTokens" | "outputTokens") => ({ model: "*", of, per: 1n, nanoDollars: 1n });
const prices = createPrices(
  createPriceBook("1", [row("inputTokens"), row("outputTokens")]),
  createPriceBook("1", []),
  [],
);
const ledger = openLedger({
  dataFolder,
  priceOf: () => ({ costNanoDollars: 3n, priceNanoDollars: 3n }),
});
const budgets = createBudgets({
  ...{ counters: createMemoryCounters(), prices: () => prices, clock: systemClock, limits: defaultLimits },
  windows: createWindows("UTC", systemClock.nowMs),
  events: { budgetThreshold: () => undefined },
  spent: ledger.spent,
});
const pending = createPendingReservations([budgets], ledger.reservations);
const budget = { amount: "1000", period: "month" as const };
const caller = callerOf({
  ...{ keyId: "key", name: "key", rules: { budgets: [budget] } },
  project: { id: "project", rules: { budgets: [{ ...budget, period: "total" }] } },
});
const candidate = { provider: { entry: { name: "far" }, kind: { name: "compatible" } }, model: "big" };
const video = { operation: "video", model: "", images: [], n: 1, metadata: {} } as const;
const intentOf = (id: string): ResolvedIntent => ({
  ...{ id, caller, operation: "chat", model: "big", content: () => video },
  candidates: [candidate] as unknown as ResolvedIntent["candidates"],
  size: { ...videoSize(video), inputBound: () => 100, outputBound: () => 900, leastOutput: () => 900, units: () => [] },
});

/** Whole lines below the size of a pipe's atomic write, so that a kill cuts none. */
const print = (line: string): void => void writeSync(1, `${line}\n`);

function printBudgets(): void {
  for (const { period, spent, reserved } of budgets.status(caller)) print(`${period} ${spent} ${reserved}`);
}

/** What an earlier process left pending. */
const left = ledger.reservations.filter(({ state }) => state === "pending");

async function settleLeft(count: number): Promise<void> {
  for (const { id } of left.slice(0, count)) {
    const end = settlement({ priceNanoDollars: 5n });
    pending.settle(id, end);
    await ledger.settlePending(id, end);
    print(`S ${id} 5`);
  }
}

const nextId = recordIds({ nowMs: () => Date.now() });

async function request(): Promise<void> {
  const id = nextId();
  const held = reserve([budgets], intentOf(id));
  const reservedNanoDollars = held.reservedNanoDollars();
  const names = { atMs: Date.now(), keyId: "key", project: "project", reservedNanoDollars };
  if (Math.random() < 0.05) {
    await ledger.openPending(opening(id, names));
    print(`P ${id}`);
    pending.add(id, held);
    return held.release();
  }
  const entry = await ledger.open(opening(id, names));
  await Bun.sleep(Math.random() * 2);
  const price = BigInt(Math.floor(Math.random() * 1_000));
  const end = settlement({ priceNanoDollars: price });
  held.settle(end);
  held.release();
  await entry.settle(end);
  print(`S ${id} ${price}`);
}

async function worker(): Promise<never> {
  for (;;) await request();
}

printBudgets();
print("ready");
if (task === "finish") {
  await settleLeft(left.length);
  printBudgets();
  await ledger.close();
} else {
  await Promise.all([settleLeft(Math.ceil(left.length / 2)), ...Array.from({ length: 16 }, worker)]);
}
