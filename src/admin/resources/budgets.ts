// Budgets of keys, projects and the organization in their present windows, with the day on which each will be spent.
import { Type } from "typebox";
import { budgetSpentAt } from "../../gateway/policy/budget-forecast.ts";
import type { BudgetStatus } from "../../gateway/policy/budgets.ts";
import type { Caller } from "../../gateway/policy/caller.ts";
import type { JsonObject } from "../../lib/json.ts";
import { listKeyPage } from "../../store/key-pages.ts";
import { closed, dollars, isoTime, isoTimeOrNull, nullable, shortText, text, time } from "../fields.ts";
import { type AdminContext, list, type Resource } from "../resource.ts";
import type { KeyDependencies } from "./keys.ts";

export interface BudgetDependencies extends Pick<KeyDependencies, "declaredKeys"> {
  /** Undefined for a key that cannot be used. */
  readonly callerOf: (keyId: string) => Caller | undefined;
  readonly budgetsOf: (caller: Caller) => readonly BudgetStatus[];
  readonly spentSince: (level: string, id: string, sinceMs: number) => bigint;
}

/** Keys whose budgets are read at one time, the newest first. */
const maxBudgetKeys = 1_000;

const levels = ["organization", "project", "key"] as const;

const object = Type.Object({
  object: Type.Literal("budget"),
  level: Type.Enum([...levels], { description: "What it limits." }),
  id: text("ID of the key, the project or the organization."),
  name: text("Name of the key; of others the ID."),
  period: Type.Enum(["day", "week", "month", "total"], { description: "How long its window is." }),
  amount: text("The limit in US dollars."),
  spent: text("Settled in the present window."),
  reserved: text("Reserved by requests in progress."),
  share: Type.Number({ description: "Spent share of the limit; 1 is all of it." }),
  window_start: nullable(time("Start of the window, in the time zone of the setting `time_zone`; null for `total`.")),
  window_end: nullable(time("End of the window; null for `total`.")),
  spent_at: nullable(time("When it is spent at the present rate; null if not within its window, or within a year.")),
});

/** A budget, and the name and creation time of what it limits. */
export interface NamedBudget {
  readonly status: BudgetStatus;
  readonly name: string;
  readonly spentAtMs: number | null;
  readonly share: number;
}

interface NamedKey {
  readonly id: string;
  readonly name: string;
  readonly createdAtMs: number | null;
}

const shareOf = ({ spent, limit }: BudgetStatus): number => (limit === 0n ? 1 : Number(spent) / Number(limit));

async function keysNow({ declaredKeys }: BudgetDependencies, { store, nowMs }: AdminContext): Promise<NamedKey[]> {
  const stored = await listKeyPage(store, { state: "active", nowMs, limit: maxBudgetKeys });
  const inFile = declaredKeys().map(({ id, name }) => ({ id, name, createdAtMs: null }));
  return [...stored.map(({ id, name, createdAtMs }) => ({ id, name, createdAtMs })), ...inFile];
}

/** Every budget once, the one with the largest share first. */
export async function budgetsNow(dependencies: BudgetDependencies, context: AdminContext): Promise<NamedBudget[]> {
  const { callerOf, budgetsOf, spentSince } = dependencies;
  const found = new Map<string, NamedBudget>();
  for (const { id, name, createdAtMs } of await keysNow(dependencies, context)) {
    const caller = callerOf(id);
    for (const status of caller === undefined ? [] : budgetsOf(caller)) {
      const { level, period } = status;
      const place = `${level.level} ${level.id} ${period}`;
      if (found.has(place)) continue;
      const isKey = level.level === "key";
      const given = { nowMs: context.nowMs, createdAtMs: isKey ? createdAtMs : null, spentSince };
      const spentAtMs = budgetSpentAt(status, given);
      found.set(place, { status, name: isKey ? name : level.id, spentAtMs, share: shareOf(status) });
    }
  }
  return [...found.values()].sort((one, other) => other.share - one.share);
}

function writtenBudget({ status, name, spentAtMs, share }: NamedBudget): JsonObject {
  const { level, period, limit, spent, reserved, counter } = status;
  const isTotal = period === "total";
  return {
    object: "budget",
    ...{ level: level.level, id: level.id, name, period },
    ...{ amount: dollars(limit), spent: dollars(spent), reserved: dollars(reserved), share },
    window_start: isTotal ? null : isoTime(counter.fromMs),
    window_end: isTotal ? null : isoTime(counter.untilMs),
    spent_at: isoTimeOrNull(spentAtMs),
  };
}

const filters = Type.Object(
  {
    level: Type.Optional(Type.Enum([...levels], { type: "string", description: "Only budgets of this level." })),
    id: Type.Optional(shortText("Only budgets of the key, project or organization with this ID.")),
  },
  closed,
);

export function budgets(dependencies: BudgetDependencies): Resource {
  return {
    ...{ name: "budgets", title: "budget", object },
    list: list(filters, [0], async (context, { filters: { level, id }, limit, after }) => {
      const all = (await budgetsNow(dependencies, context)).filter(
        ({ status }) =>
          (level === undefined || status.level.level === level) && (id === undefined || status.level.id === id),
      );
      const begin = Number(after?.[0] ?? 0);
      const end = begin + limit;
      return { data: all.slice(begin, end).map(writtenBudget), next: all.length > end ? [end] : null };
    }),
  };
}
