// The budgets of a caller as counters of their windows: filled from the ledger when they are first needed, and watched for thresholds.
import { parseDecimal } from "../../lib/decimal.ts";
import type { BudgetOptions } from "./budgets.ts";
import type { Caller, RuleLevel } from "./caller.ts";
import type { Counter, CounterLevel } from "./counters.ts";
import type { Rules } from "./rules.ts";
import type { Period } from "./windows.ts";

/** A budget in its window that is now. */
export interface BudgetPart {
  readonly level: RuleLevel;
  readonly period: Period;
  /** In nano-dollars. */
  readonly limit: bigint;
  readonly counter: Counter;
}

export interface BudgetWindows {
  partsOf(caller: Caller): readonly BudgetPart[];
  /** All counters of a request of this time, whatever budgets there are now. */
  countersAt(who: Who, atMs: number): readonly Counter[];
  /** Raises what a settlement has reached. */
  settled(parts: readonly BudgetPart[]): void;
}

interface Who {
  readonly project: string | null;
  readonly keyId: string;
  readonly endUser: string | null;
}

type OwnBudget = readonly [period: Period, limit: bigint];

const periods: readonly Period[] = ["day", "week", "month", "total"];
const thresholds: readonly number[] = [100, 80, 50];
const nanoDigits = 9;
const prunedFrom = 4_096;
const noParts: readonly BudgetPart[] = [];

/** One for each period: of two the smaller one. */
function ownBudgets({ budgets = [] }: Rules): readonly OwnBudget[] {
  const limits = new Map<Period, bigint>();
  for (const { period, amount } of budgets) {
    const limit = parseDecimal(amount, nanoDigits) ?? 0n;
    const before = limits.get(period);
    limits.set(period, before === undefined || limit < before ? limit : before);
  }
  return [...limits];
}

/** The highest threshold that is reached; 0 below all of them. */
const reached = (settled: bigint, limit: bigint): number =>
  limit === 0n ? 0 : (thresholds.find((percent) => settled * 100n >= limit * BigInt(percent)) ?? 0);

/** A window that is in memory, and the highest threshold that was raised for it. */
interface KnownWindow {
  readonly counter: Counter;
  raised: number;
}

export function createBudgetWindows({ counters, windows, clock, events, spent }: BudgetOptions): BudgetWindows {
  const parsed = new WeakMap<Rules, readonly OwnBudget[]>();
  const known = new Map<string, KnownWindow>();
  let pruneAt = prunedFrom;

  const prune = (): void => {
    const nowMs = clock.nowMs();
    for (const [key, { counter }] of known) if (counter.untilMs <= nowMs) known.delete(key);
    counters.prune(nowMs);
    pruneAt = Math.max(prunedFrom, known.size * 2);
  };
  /** The first request of a window finds what was spent in it before, by earlier processes. */
  const knownWindow = (level: CounterLevel, id: string, fromMs: number, untilMs: number): KnownWindow => {
    const key = `${level} ${fromMs} ${untilMs} ${id}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size >= pruneAt) prune();
    const counter: Counter = { level, id, meter: "price", fromMs, untilMs };
    counters.load(counter, spent(level, id, fromMs));
    const made: KnownWindow = { counter, raised: -1 };
    known.set(key, made);
    return made;
  };
  const budgetsOf = (rules: Rules): readonly OwnBudget[] => {
    const own = parsed.get(rules) ?? ownBudgets(rules);
    parsed.set(rules, own);
    return own;
  };
  const keyOf = ({ level, id, fromMs, untilMs }: Counter): string => `${level} ${fromMs} ${untilMs} ${id}`;
  const raise = ({ level, period, limit, counter }: BudgetPart, window: KnownWindow): void => {
    const percent = reached(counters.amounts(counter).settled, limit);
    if (percent <= window.raised) return;
    window.raised = percent;
    events.budgetThreshold({ level: level.level, id: level.id, period, percent });
  };
  return {
    partsOf({ levels }) {
      let parts: BudgetPart[] | null = null;
      for (const level of levels) {
        if (level.rules.budgets === undefined) continue;
        for (const [period, limit] of budgetsOf(level.rules)) {
          const { fromMs, untilMs } = windows.current(period);
          const window = knownWindow(level.level, level.id, fromMs, untilMs);
          // What an earlier process has raised is not raised again.
          if (window.raised < 0) window.raised = reached(counters.amounts(window.counter).settled, limit);
          parts ??= [];
          parts.push({ level, period, limit, counter: window.counter });
        }
      }
      return parts ?? noParts;
    },
    countersAt({ project, keyId, endUser }, atMs) {
      const levels: (readonly [CounterLevel, string])[] = [["key", keyId]];
      if (project !== null) levels.push(["project", project]);
      if (project !== null && endUser !== null) levels.push(["end_user", `${project}/${endUser}`]);
      return levels.flatMap(([level, id]) =>
        periods.map((period) => {
          const { fromMs, untilMs } = windows.at(period, atMs);
          return knownWindow(level, id, fromMs, untilMs).counter;
        }),
      );
    },
    settled(parts) {
      for (const part of parts) {
        const window = known.get(keyOf(part.counter));
        if (window !== undefined) raise(part, window);
      }
    },
  };
}
