// What was used, grouped and filtered: for the command line and the admin API.
import type { SQLQueryBindings } from "bun:sqlite";
import { type Static, Type } from "typebox";
import { IntColumn, NullableBigInt, rowReader } from "../../store/rows.ts";
import { amountNames, amounts, columnOf } from "./columns.ts";
import { readFiles } from "./files.ts";

/** What usage can be grouped by. Hours and days are UTC, as in `2026-01-31T13` and `2026-01-31`. */
export const usageDimensions = [
  "hour",
  "day",
  "organization",
  "project",
  "key",
  "endUser",
  "model",
  "provider",
  "operation",
] as const;

export type UsageDimension = (typeof usageDimensions)[number];

/** What requests can be filtered by: exact values. */
export type UsageFilter = Partial<Readonly<Record<Exclude<UsageDimension, "hour" | "day">, string>>>;

export interface UsageQuery {
  /** Empty: one row for everything. */
  readonly groupBy: readonly UsageDimension[];
  readonly filter?: UsageFilter;
  /** Unix milliseconds: from the beginning of this hour on. */
  readonly sinceMs?: number;
  /** Before the beginning of this hour. */
  readonly untilMs?: number;
}

const sumsShape = Type.Object({
  requests: IntColumn,
  /** Of these, not completed and not under way. */
  errors: IntColumn,
  /** Of these, under way. */
  open: IntColumn,
  ...amounts,
  /** Of those that have a cost or a price; null when none has. */
  costNanoDollars: NullableBigInt,
  priceNanoDollars: NullableBigInt,
  /** Requests with tokens or units and without a cost. */
  unpriced: IntColumn,
  /** Tokens of attempts that failed after they were sent: what providers may bill, and no caller pays. */
  possibleTokens: IntColumn,
});

export type UsageSums = Static<typeof sumsShape>;

/** One group. Dimensions that it is not grouped by are absent; empty text where a request has none. */
export interface UsageReportRow extends UsageSums {
  readonly group: Partial<Readonly<Record<UsageDimension, string>>>;
}

const groupSql: { readonly [dimension in UsageDimension]: string } = {
  hour: "strftime('%Y-%m-%dT%H', at_ms / 1000, 'unixepoch')",
  day: "strftime('%Y-%m-%d', at_ms / 1000, 'unixepoch')",
  organization: "coalesce(organization, '')",
  project: "coalesce(project, '')",
  key: "key_id",
  endUser: "coalesce(end_user, '')",
  model: "model",
  provider: "coalesce(provider, '')",
  operation: "operation",
};

const anyAmount = amountNames.map(columnOf).join(" + ");
const sumsSql = `count(*) as requests,
  sum(state not in ('completed', 'replayed', 'open', 'pending')) as errors, sum(state in ('open', 'pending')) as open,
  ${amountNames.map((name) => `sum(iif(charged, ${columnOf(name)}, 0)) as "${name}"`).join(", ")},
  sum(cost) as "costNanoDollars", sum(price) as "priceNanoDollars",
  sum(state not in ('open', 'pending') and charged and cost is null and ${anyAmount} > 0) as unpriced,
  sum((select coalesce(sum(possible_input_tokens), 0) from attempts where attempts.id = requests.id)) as "possibleTokens"`;

/** One row per group, in the order of the groups. Empty when there is no ledger yet. */
export function readUsageReport(dataFolder: string, query: UsageQuery): UsageReportRow[] {
  const { clauses, values } = conditions(query);
  const names = query.groupBy.map((dimension) => `${groupSql[dimension]} as "${dimension}"`);
  const where = clauses.length === 0 ? "" : `where ${clauses.join(" and ")}`;
  const by = names.length === 0 ? "having count(*) > 0" : `group by ${names.map((_, index) => index + 1).join(", ")}`;
  const sql = `select ${[...names, sumsSql].join(", ")} from requests ${where} ${by}`;
  const groups = new Map<string, UsageReportRow>();
  const read = rowReader("requests", shapeOf(query.groupBy));
  for (const rows of readFiles(dataFolder, sql, values))
    for (const { group, sums } of read(rows).map((row) => split(row, query.groupBy))) {
      const name = JSON.stringify(group);
      const before = groups.get(name);
      groups.set(name, { group, ...(before === undefined ? sums : sumOf(before, sums)) });
    }
  return [...groups.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}

const shapeOf = (groupBy: readonly UsageDimension[]) =>
  Type.Object({ ...Object.fromEntries(groupBy.map((name) => [name, Type.String()])), ...sumsShape.properties });

function split(row: object, groupBy: readonly UsageDimension[]) {
  const values = row as UsageSums & Partial<Record<UsageDimension, string>>;
  const group = Object.fromEntries(groupBy.map((name) => [name, values[name] ?? ""]));
  const sums = Object.fromEntries(sumNames.map((name) => [name, values[name]])) as UsageSums;
  return { group, sums };
}

const sumNames = Object.keys(sumsShape.properties) as (keyof UsageSums)[];

/** The same group in two files. */
function sumOf(left: UsageSums, right: UsageSums): UsageSums {
  const sum = (name: keyof UsageSums): UsageSums[keyof UsageSums] => {
    const [one, other] = [left[name], right[name]];
    if (typeof one === "number" && typeof other === "number") return one + other;
    if (typeof one === "bigint" && typeof other === "bigint") return one + other;
    return one ?? other;
  };
  return Object.fromEntries(sumNames.map((name) => [name, sum(name)])) as UsageSums;
}

const hourMs = 3_600_000;

function conditions({ filter = {}, sinceMs, untilMs }: UsageQuery) {
  const clauses: string[] = [];
  const values: SQLQueryBindings[] = [];
  const add = (clause: string, value: SQLQueryBindings | undefined): void => {
    if (value === undefined) return;
    clauses.push(clause);
    values.push(value);
  };
  const hourOf = (ms: number | undefined): number | undefined => ms && Math.floor(ms / hourMs) * hourMs;
  add("at_ms >= ?", hourOf(sinceMs));
  add("at_ms < ?", hourOf(untilMs));
  for (const dimension of usageDimensions)
    if (dimension !== "hour" && dimension !== "day") add(`${groupSql[dimension]} = ?`, filter[dimension]);
  return { clauses, values };
}
