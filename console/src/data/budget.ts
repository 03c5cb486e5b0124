// What a key has spent of its budgets, from the usage by day.
import type { Budget, Key, UsageRow } from "./types.ts";

const dayMs = 86_400_000;

/** The first day of the present window, in UTC. */
export function windowStart(period: Budget["period"], nowMs = Date.now()): number {
  const now = new Date(nowMs);
  const day = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  if (period === "day") return day;
  if (period === "week") return day - ((now.getUTCDay() + 6) % 7) * dayMs;
  return period === "month" ? Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1) : 0;
}

export interface BudgetState {
  readonly budget: Budget;
  readonly spent: number;
  readonly share: number;
  /** When it is spent at the present rate; null if not within its window. */
  readonly spentAt: string | null;
}

const windowMs = { day: dayMs, week: 7 * dayMs, month: 30 * dayMs, total: Number.POSITIVE_INFINITY } as const;

export function budgetsOf(
  key: Pick<Key, "id" | "rules">,
  usage: readonly UsageRow[],
  nowMs = Date.now(),
): readonly BudgetState[] {
  return (key.rules.budgets ?? []).map((budget) => {
    const start = windowStart(budget.period, nowMs);
    const rows = usage.filter(
      ({ key_id: id, start: day }) => id === key.id && day !== null && Date.parse(day) >= start,
    );
    const spent = rows.reduce((sum, { price }) => sum + Number(price ?? 0), 0);
    const amount = Number(budget.amount);
    const first = Math.min(...rows.map(({ start: day }) => Date.parse(day ?? "")), nowMs);
    const elapsedMs = Math.max(nowMs - Math.max(start, first), dayMs / 24);
    const leftMs = spent === 0 ? Number.POSITIVE_INFINITY : ((amount - spent) * elapsedMs) / spent;
    const ends = start === 0 ? Number.POSITIVE_INFINITY : start + windowMs[budget.period];
    const isWithin = Number.isFinite(leftMs) && nowMs + leftMs < ends && leftMs < 365 * dayMs;
    return {
      budget,
      spent,
      share: amount === 0 ? 1 : spent / amount,
      spentAt: isWithin ? new Date(nowMs + Math.max(0, leftMs)).toISOString() : null,
    };
  });
}
