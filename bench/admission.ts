// Processor time of admission and settlement of a million requests with rates and budgets: 100,000 keys and 10, in turns. Run with `bun bench/admission.ts`.
import { zeroUsage } from "../src/canonical/usage.ts";
import { defaultLimits } from "../src/config/limits.ts";
import { type Ending, settlementOf } from "../src/gateway/ledger/settlement.ts";
import { videoSize } from "../src/gateway/pipeline/request-size.ts";
import { createBudgets } from "../src/gateway/policy/budgets.ts";
import { callerOf } from "../src/gateway/policy/caller.ts";
import { createMemoryCounters } from "../src/gateway/policy/counters.ts";
import type { ResolvedIntent } from "../src/gateway/policy/policy.ts";
import { createRates } from "../src/gateway/policy/rates.ts";
import { reserve } from "../src/gateway/policy/reservations.ts";
import { readRules } from "../src/gateway/policy/rules.ts";
import { createWindows } from "../src/gateway/policy/windows.ts";
import { createPriceBook } from "../src/gateway/prices/price-book.ts";
import { createPrices } from "../src/gateway/prices/prices.ts";
import { systemClock } from "../src/lib/clock.ts";

const requests = Number(process.env["REQUESTS"] ?? 1_000_000);
const turns = 5;

const row = (of: "inputTokens" | "outputTokens") => ({ model: "*", of, per: 1_000_000n, nanoDollars: 1_000_000_000n });
const prices = createPrices(
  createPriceBook("1", [row("inputTokens"), row("outputTokens")]),
  createPriceBook("1", []),
  [],
);
const candidate = { provider: { entry: { name: "far" }, kind: { name: "compatible" } }, model: "big" };
const candidates = [candidate] as unknown as ResolvedIntent["candidates"];
const video = { operation: "video", model: "", images: [], n: 1, metadata: {} } as const;
const size = {
  ...videoSize(video),
  inputBound: () => 500,
  outputBound: () => 1_000,
  leastOutput: () => 1_000,
  units: () => [],
};
const ending: Ending = {
  ...{ operation: "chat", model: "big", admittedAtMs: 0, state: "completed", httpStatus: 200, errorCode: null },
  ...{ provider: "far", providerKind: "compatible", upstreamModel: "big", attempts: 1, warnings: [], isCharged: true },
  ...{ usage: { ...zeroUsage, inputTokens: 300, outputTokens: 100 }, firstByteMs: 1, durationMs: 2 },
};
const settlement = settlementOf(ending, prices);

/** Everything that one run needs, with so many keys. */
function setting(keys: number) {
  const rates = createRates(systemClock, defaultLimits);
  const budgets = createBudgets({
    ...{ counters: createMemoryCounters(), prices: () => prices, clock: systemClock, limits: defaultLimits },
    windows: createWindows("UTC", systemClock.nowMs),
    events: { budgetThreshold: () => undefined },
    spent: () => 0n,
  });
  const project = { id: "project", rules: { limits: { requests_per_minute: 1_000_000_000 } } };
  // As keys of the store have them.
  const rules = JSON.stringify({
    limits: { requests_per_minute: 1_000_000_000, tokens_per_minute: 1_000_000_000_000 },
    budgets: [{ amount: "999999999", period: "month" }],
  });
  const callers = Array.from({ length: keys }, (_, index) =>
    callerOf({ keyId: `key${index}`, name: "", rules: readRules(rules), project }),
  );
  const policies = [rates, budgets];
  const run = (count: number): void => {
    for (let index = 0; index < count; index++) {
      const caller = callers[(index * 7_919) % keys];
      if (caller === undefined) continue;
      const intent = { id: "id", caller, operation: "chat" as const, model: "big", size, candidates };
      const held = reserve(policies, { ...intent, content: () => video });
      held.settle(settlement);
      held.release();
    }
  };
  // The first request of each key makes its counters.
  run(keys);
  return run;
}

const median = (values: number[]): number =>
  values.sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
const [few, many] = [setting(10), setting(100_000)];
const took: Record<"few" | "many", number[]> = { few: [], many: [] };
few(requests / 10);
for (let turn = 0; turn < turns; turn++) {
  for (const [name, run] of [
    ["few", few],
    ["many", many],
  ] as const) {
    const startedUs = process.cpuUsage().user;
    run(requests);
    took[name].push((process.cpuUsage().user - startedUs) / requests);
  }
}
const [tenKeys, manyKeys] = [median(took.few), median(took.many)];
const each = (us: number): string => `${us.toFixed(2)} us`;
process.stdout.write(
  `10 keys ${each(tenKeys)}, 100,000 keys ${each(manyKeys)}: ${(manyKeys / tenKeys).toFixed(2)} times\n`,
);
