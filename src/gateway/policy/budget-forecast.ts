// When a budget will be spent at its present rate.
import type { BudgetStatus } from "./budgets.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** The rate of a budget for all time is that of these days. */
const recentMs = 30 * dayMs;
/** For later times the rate of today is not a forecast. */
const horizonMs = 365 * dayMs;

interface ForecastGiven {
  readonly nowMs: number;
  /** When the level was created, if that is known: it has no rate before. */
  readonly createdAtMs: number | null;
  /** The spend of a level since a time, from the ledger. */
  readonly spentSince: (level: string, id: string, sinceMs: number) => bigint;
}

/**
 * Unix milliseconds; null if it is not spent before its window ends. The window is that of the budget, in the time zone
 * of the budget.
 */
export function budgetSpentAt(budget: BudgetStatus, { nowMs, createdAtMs, spentSince }: ForecastGiven): number | null {
  const { spent, limit, counter } = budget;
  if (spent >= limit) return nowMs;
  const startMs = Math.max(counter.fromMs, nowMs - recentMs);
  const isWhole = startMs === counter.fromMs;
  const rated = isWhole ? spent : spentSince(counter.level, counter.id, startMs);
  if (rated <= 0n) return null;
  const elapsedMs = Math.max(hourMs, nowMs - Math.max(startMs, createdAtMs ?? 0));
  const atMs = nowMs + Number((limit - spent) * BigInt(Math.ceil(elapsedMs))) / Number(rated);
  return atMs < Math.min(counter.untilMs, nowMs + horizonMs) ? Math.round(atMs) : null;
}
