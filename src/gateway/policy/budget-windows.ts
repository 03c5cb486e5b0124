// The budgets of a caller as counters of their windows: filled from the ledger when first needed, and checked for
// thresholds.
import type { Clock } from "../../lib/clock.ts";
import { parseDecimal } from "../../lib/decimal.ts";
import type { Events } from "../../telemetry/events.ts";
import type { Prices } from "../prices/prices.ts";
import type { Caller, RuleLevel } from "./caller.ts";
import type { Counter, CounterLevel, MemoryCounters } from "./counters.ts";
import type { GatewayLimits } from "./limits.ts";
import type { Rules } from "./rules.ts";
import type { Period, TimeWindow, Windows } from "./windows.ts";

export interface BudgetOptions {
  readonly counters: MemoryCounters;
  readonly windows: Windows;
  /** The present price books. */
  prices(): Prices;
  readonly clock: Clock;
  readonly limits: Pick<GatewayLimits, "reserveOutputTokens" | "extendOutputTokens">;
  readonly events: Pick<Events, "budgetThreshold">;
  /** The spend of a level since a time, from the ledger. */
  spent(level: string, id: string, sinceMs: number): bigint;
}

/** A budget in its present window. */
export interface BudgetPart {
  readonly level: RuleLevel;
  readonly period: Period;
  /** In nano-dollars. */
  readonly limit: bigint;
  readonly counter: Counter;
  readonly window: KnownWindow;
  /** A settled amount below this reaches no new threshold. */
  raiseAt: bigint;
}

export interface BudgetWindows {
  partsOf(caller: Caller): readonly BudgetPart[];
  /** All counters of a request of this time, even if its budgets have changed since. */
  countersAt(who: Who, atMs: number): readonly Counter[];
  /** Raises the thresholds that a settlement has reached. */
  settled(parts: readonly BudgetPart[]): void;
  /** Adds to every window what adjustments have changed since its start. */
  adjust(changed: BudgetOptions["spent"]): void;
  /** From now on windows are those of another zone: the spend in them counts, and reservations are preserved. */
  changeZone(timeZone: string): void;
}

interface Who {
  readonly organization: string | null;
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

/** One for each period, the smaller of two. */
function ownBudgets({ budgets = [] }: Rules): readonly OwnBudget[] {
  const limits = new Map<Period, bigint>();
  for (const { period, amount } of budgets) {
    const limit = parseDecimal(amount, nanoDigits) ?? 0n;
    const before = limits.get(period);
    limits.set(period, before === undefined || limit < before ? limit : before);
  }
  return [...limits];
}

/** The highest reached threshold; 0 below all of them. */
const reached = (settled: bigint, limit: bigint): number =>
  limit === 0n ? 0 : (thresholds.find((percent) => settled * 100n >= limit * BigInt(percent)) ?? 0);

/** The amount of the next threshold; above every amount if there is none. */
function nextThreshold(raised: number, limit: bigint): bigint {
  const next = thresholds.findLast((percent) => percent > raised);
  return next === undefined || limit === 0n ? unreachable : (limit * BigInt(next) + 99n) / 100n;
}

/** A window in memory, and its highest raised threshold. */
interface KnownWindow {
  readonly counter: Counter;
  readonly period: Period;
  raised: number;
}

const keyOf = (level: CounterLevel, id: string, fromMs: number, untilMs: number): string =>
  `${level} ${fromMs} ${untilMs} ${id}`;

/** Windows in memory; those that have ended are dropped when the number has doubled since the last check. */
class KnownWindows {
  private readonly known = new Map<string, KnownWindow>();
  /** Windows of the previous zone, until their level is next used; by level, period and id. */
  private readonly before = new Map<string, KnownWindow>();
  /** A different object after each change of the zone. */
  zone: object = {};
  private readonly options: Pick<BudgetOptions, "counters" | "clock" | "spent">;
  private pruneAt = prunedFrom;

  constructor(options: Pick<BudgetOptions, "counters" | "clock" | "spent">) {
    this.options = options;
  }

  /** The first request of a window loads what earlier processes spent in it. */
  of(level: CounterLevel, id: string, period: Period, { fromMs, untilMs }: TimeWindow): KnownWindow {
    const key = keyOf(level, id, fromMs, untilMs);
    const found = this.known.get(key);
    if (found !== undefined) return found;
    if (this.known.size >= this.pruneAt) this.prune();
    const made =
      this.moved(level, id, period, { fromMs, untilMs }) ?? this.loaded(level, id, period, { fromMs, untilMs });
    this.known.set(key, made);
    return made;
  }

  private loaded(level: CounterLevel, id: string, period: Period, window: TimeWindow): KnownWindow {
    const spent = this.options.spent(level, id, window.fromMs);
    return { counter: this.options.counters.load({ level, id, meter: "price", ...window }, spent), period, raised: -1 };
  }

  /** The window of the previous zone, as one of this zone; null if there is none. */
  private moved(level: CounterLevel, id: string, period: Period, window: TimeWindow): KnownWindow | null {
    const { counters, spent, clock } = this.options;
    const name = `${level} ${period} ${id}`;
    const before = this.before.get(name);
    const nowMs = clock.nowMs();
    if (before === undefined || nowMs < window.fromMs || nowMs >= window.untilMs) return null;
    this.before.delete(name);
    // Settled just now, and not yet in the ledger.
    const unwritten = counters.amounts(before.counter).settled - spent(level, id, before.counter.fromMs);
    counters.move(before.counter, window, spent(level, id, window.fromMs) + (unwritten > 0n ? unwritten : 0n));
    before.raised = -1;
    return before;
  }

  changeZone(): void {
    this.zone = {};
    const nowMs = this.options.clock.nowMs();
    for (const [key, window] of this.known) {
      const { level, id, untilMs } = window.counter;
      if (window.period === "total" || untilMs <= nowMs) continue;
      this.before.set(`${level} ${window.period} ${id}`, window);
      this.known.delete(key);
    }
  }

  adjust(changed: BudgetOptions["spent"]): void {
    for (const windows of [this.known, this.before])
      for (const { counter } of windows.values())
        this.options.counters.load(counter, changed(counter.level, counter.id, counter.fromMs));
  }

  private prune(): void {
    const nowMs = this.options.clock.nowMs();
    for (const windows of [this.known, this.before])
      for (const [key, { counter }] of windows) if (counter.untilMs <= nowMs) windows.delete(key);
    this.options.counters.prune(nowMs);
    this.pruneAt = Math.max(prunedFrom, this.known.size * 2);
  }
}

/** The budgets of a level, until the first of their windows ends, or the zone changes. */
class LevelBudgets {
  readonly owner: object;
  readonly parts: readonly BudgetPart[];
  readonly untilMs: number;

  constructor(owner: object, parts: readonly BudgetPart[]) {
    this.owner = owner;
    this.parts = parts;
    this.untilMs = Math.min(...parts.map(({ counter }) => counter.untilMs));
  }
}

/** All levels of a request, as in its row. */
function levelsOf({ organization, project, keyId, endUser }: Who): readonly (readonly [CounterLevel, string])[] {
  const levels: (readonly [CounterLevel, string])[] = [["key", keyId]];
  if (organization !== null) levels.push(["organization", organization]);
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
    const window = known.of(level.level, level.id, period, windows.current(period));
    // Thresholds that an earlier process raised are not raised again.
    if (window.raised < 0) window.raised = reached(counters.amounts(window.counter).settled, limit);
    const raiseAt = nextThreshold(window.raised, limit);
    return { level, period, limit, counter: window.counter, window, raiseAt };
  };
  const partsOfLevel = (level: RuleLevel): readonly BudgetPart[] => {
    const found = level.budgets;
    if (found instanceof LevelBudgets && found.owner === known.zone && options.clock.nowMs() < found.untilMs)
      return found.parts;
    const made = new LevelBudgets(
      known.zone,
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
        periods.map((period) => known.of(level, id, period, windows.at(period, atMs)).counter),
      ),
    adjust: (changed) => known.adjust(changed),
    changeZone(timeZone) {
      windows.changeZone(timeZone);
      known.changeZone();
    },
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
