// Builds the policies that every request passes, in the order in which they are checked.

import type { Ledger } from "../gateway/ledger/ledger.ts";
import { accessPolicy } from "../gateway/policy/access.ts";
import { createBudgets } from "../gateway/policy/budgets.ts";
import { createConcurrency } from "../gateway/policy/concurrency.ts";
import { createMemoryCounters } from "../gateway/policy/counters.ts";
import type { Policy } from "../gateway/policy/policy.ts";
import { promptLength } from "../gateway/policy/prompt-length.ts";
import { createRates } from "../gateway/policy/rates.ts";
import { createWindows } from "../gateway/policy/windows.ts";
import type { Prices } from "../gateway/prices/prices.ts";
import { createProviderLimits } from "../gateway/routing/provider-limits.ts";
import { systemClock as clock } from "../lib/clock.ts";
import type { Foundation } from "./foundation.ts";

interface AdmissionDependencies {
  readonly ledger: Pick<Ledger, "spent" | "spentAt">;
  readonly prices: () => Prices;
  /** True while there is no memory for new work. */
  readonly isFull: () => boolean;
}

/** The policies, and those of them that are used for more than admission. */
export function admissionOf(
  { configuration, limits, events }: Foundation,
  { ledger, prices, isFull }: AdmissionDependencies,
) {
  const windows = createWindows(configuration.timeZone, clock.nowMs);
  const concurrency = createConcurrency(limits, isFull);
  const rates = createRates(clock, limits);
  const counters = createMemoryCounters();
  const budgets = createBudgets({ counters, windows, prices, clock, limits, events, spent: ledger.spent });
  const { reserveOutputTokens } = limits;
  const providerLimits = createProviderLimits({ clock, windows, spent: ledger.spentAt, reserveOutputTokens });
  const policies: Policy[] = [accessPolicy, promptLength(limits), concurrency, rates, budgets, providerLimits];
  return { policies, concurrency, rates, budgets, providerLimits };
}
