// The budgets of a caller as counters of their windows: filled from the ledger when they are first needed, and watched for thresholds.
import type { Clock } from "../../lib/clock.ts";
import { parseDecimal } from "../../lib/decimal.ts";
import type { Events } from "../../telemetry/events.ts";
import type { Prices } from "../prices/prices.ts";
import type { Caller, RuleLevel } from "./caller.ts";
import type { Counter, CounterLevel, MemoryCounters } from "./counters.ts";
import type { GatewayLimits } from "./limits.ts";
import type { Rules } from "./rules.ts";
import type { Period, Windows } from "./windows.ts";

export interface BudgetOptions {
  readonly counters: MemoryCounters;
  readonly windows: Windows;
  /** The books of now. */
  prices(): Prices;
  readonly clock: Clock;
  readonly limits: Pick<GatewayLimits, "reserveOutputTokens" | "extendOutputTokens">;
  readonly events: Pick<Events, "budgetThreshold">;
  /** What the ledger has of a level since a time. */
  spent(level: string, id: string, sinceMs: number): bigint;
}

/** A budget in its window that is now. */
export interface BudgetPart {
  readonly level: RuleLevel;
  readonly period: Period;
  /** In nano-dollars. */
  readonly limit: bigint;
  readonly counter: Counter;
  readonly window: KnownWindow;
  /** A settled amount below this reaches no threshold that was not raised. */
  raiseAt: bigint;
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
const unreachable = 2n ** 200n;
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

/** The amount at which the threshold above is reached; above every amount where there is none. */
function nextThreshold(raised: number, limit: bigint): bigint {
  const next = thresholds.findLast((percent) => percent > raised);
  return next === undefined || limit === 0n ? unreachable : (limit * BigInt(next) + 99n) / 100n;
}

/** A window that is in memory, and the highest threshold that was raised for it. */
export interface KnownWindow {
  readonly counter: Counter;
  raised: number;
}

const keyOf = (level: CounterLevel, id: string, fromMs: number, untilMs: number): string =>
  `${level} ${fromMs} ${untilMs} ${id}`;

/** Windows in memory; those that have ended are dropped when there are twice as many as after the last look. */
class KnownWindows {
  private readonly known = new Map<string, KnownWindow>();
  private readonly options: Pick<BudgetOptions, "counters" | "clock" | "spent">;
  private pruneAt = prunedFrom;

  constructor(options: Pick<BudgetOptions, "counters" | "clock" | "spent">) {
    this.options = options;
  }

  /** The first request of a window finds what was spent in it before, by earlier processes. */
  of(level: CounterLevel, id: string, fromMs: number, untilMs: number): KnownWindow {
    const key = keyOf(level, id, fromMs, untilMs);
    const found = this.known.get(key);
    if (found !== undefined) return found;
    if (this.known.size >= this.pruneAt) this.prune();
    const spent = this.options.spent(level, id, fromMs);
    const counter = this.options.counters.load({ level, id, meter: "price", fromMs, untilMs }, spent);
    const made: KnownWindow = { counter, raised: -1 };
    this.known.set(key, made);
    return made;
  }

  private prune(): void {
    const nowMs = this.options.clock.nowMs();
    for (const [key, { counter }] of this.known) if (counter.untilMs <= nowMs) this.known.delete(key);
    this.options.counters.prune(nowMs);
    this.pruneAt = Math.max(prunedFrom, this.known.size * 2);
  }
}

/** The budgets of a level, until the first of their windows ends. */
class LevelBudgets {
  readonly owner: KnownWindows;
  readonly parts: readonly BudgetPart[];
  readonly untilMs: number;

  constructor(owner: KnownWindows, parts: readonly BudgetPart[]) {
    this.owner = owner;
    this.parts = parts;
    this.untilMs = Math.min(...parts.map(({ counter }) => counter.untilMs));
  }
}

/** All levels of a request, as its row has them. */
function levelsOf({ project, keyId, endUser }: Who): readonly (readonly [CounterLevel, string])[] {
  const levels: (readonly [CounterLevel, string])[] = [["key", keyId]];
  if (project !== null) levels.push(["project", project]);
  if (project !== null && endUser !== null) levels.push(["end_user", `${project}/${endUser}`]);
  return levels;
}

export function createBudgetWindows(options: BudgetOptions): BudgetWindows {
  const { counters, windows, events } = options;
  const parsed = new WeakMap<Rules, readonly OwnBudget[]>();
  const known = new KnownWindows(options);
  const budgetsOf = (rules: Rules): readonly OwnBudget[] => {
    const own = parsed.get(rules) ?? ownBudgets(rules);
    parsed.set(rules, own);
    return own;
  };
  const partOf = (level: RuleLevel, [period, limit]: OwnBudget): BudgetPart => {
    const { fromMs, untilMs } = windows.current(period);
    const window = known.of(level.level, level.id, fromMs, untilMs);
    // What an earlier process has raised is not raised again.
    if (window.raised < 0) window.raised = reached(counters.amounts(window.counter).settled, limit);
    const raiseAt = nextThreshold(window.raised, limit);
    return { level, period, limit, counter: window.counter, window, raiseAt };
  };
  const partsOfLevel = (level: RuleLevel): readonly BudgetPart[] => {
    const found = level.budgets;
    if (found instanceof LevelBudgets && found.owner === known && options.clock.nowMs() < found.untilMs)
      return found.parts;
    const made = new LevelBudgets(
      known,
      budgetsOf(level.rules).map((own) => partOf(level, own)),
    );
    level.budgets = made;
    return made.parts;
  };
  return {
    partsOf({ levels }) {
      let parts = noParts;
      for (const level of levels) {
        if (level.rules.budgets === undefined) continue;
        const own = partsOfLevel(level);
        parts = parts.length === 0 ? own : [...parts, ...own];
      }
      return parts;
    },
    countersAt: (who, atMs) =>
      levelsOf(who).flatMap(([level, id]) =>
        periods.map((period) => {
          const { fromMs, untilMs } = windows.at(period, atMs);
          return known.of(level, id, fromMs, untilMs).counter;
        }),
      ),
    settled(parts) {
      for (const part of parts) {
        const { level, period, limit, counter, window } = part;
        const { settled } = counters.amounts(counter);
        if (settled < part.raiseAt) continue;
        const percent = reached(settled, limit);
        part.raiseAt = nextThreshold(percent, limit);
        if (percent <= window.raised) continue;
        window.raised = percent;
        events.budgetThreshold({ level: level.level, id: level.id, period, percent });
      }
    },
  };
}
