// What budgets and the ledger must be: lists and sums without any cleverness, of whole days and months of a zone without summer time.
import { type Caller, callerOf, levelOf } from "../../src/gateway/policy/caller.ts";
import type { Budget, Rules } from "../../src/gateway/policy/rules.ts";
import { formatDecimal } from "../../src/lib/decimal.ts";

export const perInput = 1_000n;
export const perOutput = 2_000n;
export const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const quarterMs = hourMs / 4;

export type Period = Budget["period"];
export const periods: readonly Period[] = ["day", "week", "month", "total"];

/** Zones that never change their clocks, with their hours. */
export const zones = [
  ["UTC", 0],
  ["Asia/Kathmandu", 5.75],
  ["Pacific/Kiritimati", 14],
  ["Pacific/Marquesas", -9.5],
] as const;

export interface Level {
  readonly level: "organization" | "project" | "key" | "end_user";
  readonly id: string;
  readonly budgets: readonly { readonly period: Period; readonly limit: bigint }[];
}

/** A key with the levels above it, and an end user. */
export interface Who {
  readonly keyId: string;
  readonly endUser: string | null;
  readonly levels: readonly Level[];
}

export interface Row {
  readonly id: string;
  readonly who: Who;
  readonly atMs: number;
  readonly isPending: boolean;
  readonly reserved: bigint | null;
  /** What the ledger has, without what still waits to be committed. */
  state: "unwritten" | "open" | "pending" | "completed" | "failed" | "cancelled" | "interrupted";
  price: bigint | null;
  adjusted: bigint;
  /** Tokens that are charged where the process dies. */
  input: number;
  output: number;
  attempts: number;
}

interface Window {
  readonly fromMs: number;
  readonly untilMs: number;
}

interface Amounts extends Window {
  settled: bigint;
  reserved: bigint;
}

/** Everything that a reservation is counted in. */
export type Held = readonly { readonly window: Amounts; readonly limit: bigint }[];

const rulesOf = ({ budgets }: Level): Rules => ({
  budgets: budgets.map(({ period, limit }) => ({ period, amount: formatDecimal(limit, 9) })),
});

/** The same as the gateway makes it from its catalog; each process makes its own. */
export function callersOf(all: readonly Who[]): (who: Who) => Caller {
  const rules = new Map<string, Rules>();
  const shared = (level: Level | undefined): Rules | null => {
    if (level === undefined) return null;
    const found = rules.get(level.level) ?? rulesOf(level);
    rules.set(level.level, found);
    return found;
  };
  const callers = new Map(
    all.map((who) => {
      const at = (name: Level["level"]) => who.levels.find(({ level }) => level === name);
      const key = at("key");
      const caller = callerOf({
        ...{ keyId: who.keyId, name: who.keyId, rules: key === undefined ? null : rulesOf(key) },
        project: { id: "shop", rules: shared(at("project")) },
        organization: shared(at("organization")),
      });
      return [who, { ...caller, endUser: who.endUser }];
    }),
  );
  return (who) => {
    const caller = callers.get(who);
    if (caller === undefined) throw new Error("A caller that the case does not have.");
    const user = who.levels.find(({ level }) => level === "end_user");
    if (user === undefined) return caller;
    return { ...caller, levels: [...caller.levels, levelOf("end_user", user.id, rulesOf(user))] };
  };
}

/** The windows of one process. */
export class ModelProcess {
  private readonly latest = new Map<Period, Window>();
  private readonly ofLevels = new Map<Level, { readonly windows: readonly Amounts[]; readonly untilMs: number }>();
  private readonly known = new Map<string, Amounts>();

  private readonly rows: readonly Row[];
  private readonly offsetHours: number;
  private readonly nowMs: () => number;

  constructor(rows: readonly Row[], offsetHours: number, nowMs: () => number) {
    this.rows = rows;
    this.offsetHours = offsetHours;
    this.nowMs = nowMs;
  }

  window(period: Period, atMs: number): Window {
    const local = atMs + this.offsetHours * hourMs;
    const day = Math.floor(local / dayMs);
    const at = (fromDay: number, untilDay: number): Window => ({
      fromMs: fromDay * dayMs - this.offsetHours * hourMs,
      untilMs: untilDay * dayMs - this.offsetHours * hourMs,
    });
    if (period === "day") return at(day, day + 1);
    // The first of January 1970 was a Thursday.
    const monday = day - ((day + 3) % 7);
    if (period === "week") return at(monday, monday + 7);
    const date = new Date(local);
    const first = (months: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1) / dayMs;
    return period === "month" ? at(first(0), first(1)) : { fromMs: 0, untilMs: Number.MAX_SAFE_INTEGER };
  }

  private current(period: Period): Window {
    const before = this.latest.get(period);
    const window = before !== undefined && this.nowMs() < before.untilMs ? before : this.window(period, this.nowMs());
    this.latest.set(period, window);
    return window;
  }

  private amounts({ level, id }: Pick<Level, "level" | "id">, { fromMs, untilMs }: Window): Amounts {
    const name = `${level} ${id} ${fromMs} ${untilMs}`;
    const found = this.known.get(name);
    if (found !== undefined) return found;
    const own = this.rows.filter(
      ({ who, atMs }) => isOf(who, { level, id }) && Math.floor(atMs / quarterMs) >= Math.floor(fromMs / quarterMs),
    );
    const settled = own.reduce((sum, { price, adjusted }) => sum + (price ?? 0n) + adjusted, 0n);
    const made = { fromMs, untilMs, settled, reserved: 0n };
    this.known.set(name, made);
    return made;
  }

  /** A level stays in its windows until the first of them ends; that of an end user is made for each request. */
  parts({ levels }: Who): Held {
    return levels.flatMap((level) => {
      const before = level.level === "end_user" ? undefined : this.ofLevels.get(level);
      const windows =
        before !== undefined && this.nowMs() < before.untilMs
          ? before.windows
          : level.budgets.map(({ period }) => this.amounts(level, this.current(period)));
      this.ofLevels.set(level, { windows, untilMs: Math.min(...windows.map(({ untilMs }) => untilMs)) });
      return windows.map((window, index) => ({ window, limit: level.budgets[index]?.limit ?? 0n }));
    });
  }

  /** What an earlier process held is held again, in every window of every level. */
  resume({ who, atMs, reserved }: Row): Held {
    const held = namesOf(who).flatMap((name) =>
      periods.map((period) => ({ window: this.amounts(name, this.window(period, atMs)), limit: 0n })),
    );
    for (const { window } of held) window.reserved += reserved ?? 0n;
    return held;
  }

  adjust(row: Row, change: bigint): void {
    for (const [name, window] of this.known) {
      const isOwn = namesOf(row.who).some(({ level, id }) => name.startsWith(`${level} ${id} `));
      if (isOwn && Math.floor(row.atMs / quarterMs) >= Math.floor(window.fromMs / quarterMs)) window.settled += change;
    }
  }
}

export const namesOf = ({ keyId, endUser }: Who): readonly Pick<Level, "level" | "id">[] => [
  { level: "organization", id: "default" },
  { level: "project", id: "shop" },
  { level: "key", id: keyId },
  ...(endUser === null ? [] : [{ level: "end_user" as const, id: `shop/${endUser}` }]),
];

const isOf = (who: Who, { level, id }: Pick<Level, "level" | "id">): boolean =>
  namesOf(who).some((name) => name.level === level && name.id === id);

export const left = ({ window, limit }: Held[number]): bigint => limit - window.settled - window.reserved;
export const fits = (held: Held, amount: bigint): boolean =>
  amount === 0n || held.every((part) => left(part) >= amount);
