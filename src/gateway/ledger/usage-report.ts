// Usage, grouped and filtered: for the command line and the admin API.
import type { SQLQueryBindings } from "bun:sqlite";
import { Type } from "typebox";
import { rowReader } from "../../store/rows.ts";
import { adjustedRows, isBooked } from "./adjustments.ts";
import { columnOf } from "./columns.ts";
import { queryFile, readFiles } from "./files.ts";
import { type Segment, type SumPeriod, segmentsOf } from "./time-segments.ts";
import { dayMs, hourMs, type SumLevel, startOfSum, withUsageIndex } from "./usage-index.ts";
import { adjustmentParts, sumNames, sumOf, sumParts, sumsShape, sumsSql, type UsageSums } from "./usage-sums.ts";

/** Dimensions to group by. Hours and days are UTC, as in `2026-01-31T13` and `2026-01-31`. */
const usageDimensions = [
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

/** Filters of requests: exact values. */
type UsageFilter = Partial<Readonly<Record<Exclude<UsageDimension, "hour" | "day">, string>>>;

export interface UsageQuery {
  /** Empty: one row for everything. */
  readonly groupBy: readonly UsageDimension[];
  readonly filter?: UsageFilter;
  /** Unix milliseconds: from the start of this hour on. */
  readonly sinceMs?: number;
  /** Before the start of this hour. */
  readonly untilMs?: number;
}

/** One group. Other dimensions are absent; empty text if a request has none. */
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

/** One row per group, ordered, from the sums of the index. Empty without a ledger. */
export function readUsageReport(dataFolder: string, exact: UsageQuery): UsageReportRow[] {
  const query = inWholeHours(exact);
  const groups = new Groups(query.groupBy);
  withUsageIndex(dataFolder, ({ files, database }) => {
    const { clauses, values } = conditions(query);
    const parts = segments(query).map((segment) => ({ ...segment, ...conditions({ ...query, ...segment }) }));
    const sums = sumNames.map((name) => `sum(${columnOf(name)}) as "${name}"`).join(", ");
    const open = select(query, sumsSql(sumParts), "requests", [...clauses, "n in (select value from json_each(?))"]);
    for (const { id, path } of files) {
      for (const part of parts) {
        const settled = select(query, sums, "sums", [...part.clauses, "level = ?", "ledger = ?"]);
        groups.add(database.query(settled).all(...part.values, part.level, id));
      }
      const late = database.query("select n from late where ledger = ?").values(id).flat().map(Number);
      if (late.length > 0) groups.add(queryFile(path, (ask) => ask(open, ...values, JSON.stringify(late))));
    }
  });
  return groups.rows();
}

/**
 * The same from every row of the ledger, which takes as long as there are rows; the index is compared with it. Times
 * are exact.
 */
export function sumAllRows(dataFolder: string, query: UsageQuery): UsageReportRow[] {
  const { clauses, values } = conditions(query);
  const groups = new Groups(query.groupBy);
  const adjustments = select(query, sumsSql(adjustmentParts), adjustedRows, [...clauses, isBooked]);
  for (const sql of [select(query, sumsSql(sumParts), "requests", clauses), adjustments])
    for (const rows of readFiles(dataFolder, sql, values)) groups.add(rows);
  return groups.rows();
}

/**
 * One row per group, the most expensive first; empty text where no provider was reached. Empty without a ledger. Times
 * are exact.
 */
export function readUsage(
  dataFolder: string,
  { groupBy, keyId, ...times }: Omit<UsageQuery, "filter"> & { readonly keyId?: string },
): UsageReportRow[] {
  const filter = keyId === undefined ? {} : { filter: { key: keyId } };
  const isInHours = [times.sinceMs, times.untilMs].every((ms = 0) => ms % hourMs === 0);
  const read = isInHours ? readUsageReport : sumAllRows;
  return read(dataFolder, { groupBy, ...times, ...filter }).toSorted(dearestFirst);
}

const nameOf = ({ group }: UsageReportRow): string => Object.values(group).join(" ");

function dearestFirst(left: UsageReportRow, right: UsageReportRow): number {
  const [one, other] = [left.costNanoDollars ?? -1n, right.costNanoDollars ?? -1n];
  if (one !== other) return one > other ? -1 : 1;
  return right.requests - left.requests || (nameOf(left) < nameOf(right) ? -1 : 1);
}

function select({ groupBy }: UsageQuery, sums: string, table: string, clauses: readonly string[]): string {
  const names = groupBy.map((dimension) => `${groupSql[dimension]} as "${dimension}"`);
  const where = clauses.length === 0 ? "" : `where ${clauses.join(" and ")}`;
  const by = names.length === 0 ? "having count(*) > 0" : `group by ${names.map((_, index) => index + 1).join(", ")}`;
  return `select ${[...names, sums].join(", ")} from ${table} ${where} ${by}`;
}

const hourOf = (ms: number): number => Math.floor(ms / hourMs) * hourMs;

function inWholeHours(query: UsageQuery): UsageQuery {
  const { sinceMs, untilMs } = query;
  return {
    ...query,
    ...(sinceMs === undefined ? {} : { sinceMs: hourOf(sinceMs) }),
    ...(untilMs === undefined ? {} : { untilMs: hourOf(untilMs) }),
  };
}

const longestMonthMs = 31 * dayMs;

const periodOf = (name: SumLevel): SumPeriod<SumLevel> => ({
  name,
  start: (ms) => startOfSum(name, ms),
  next: (ms) => startOfSum(name, startOfSum(name, ms) + (name === "month" ? longestMonthMs : dayMs)),
});

const userPeriods = [periodOf("user"), periodOf("user_day")] as const;
const periods = [periodOf("hour"), periodOf("day"), periodOf("month")] as const;

/** Whole months and days are read from their own sums, the rest from hours. */
function segments({ groupBy, filter, sinceMs, untilMs }: UsageQuery): Segment<SumLevel>[] {
  const isOfUsers = groupBy.includes("endUser") || filter?.endUser !== undefined;
  const [finest, ...coarser] = isOfUsers ? userPeriods : periods;
  const count = groupBy.includes("hour") ? 0 : groupBy.includes("day") ? 1 : coarser.length;
  return segmentsOf([finest, ...coarser.slice(0, count)], sinceMs, untilMs);
}

/** Groups of several files, merged. */
class Groups {
  private readonly groupBy: readonly UsageDimension[];
  private readonly merged = new Map<string, UsageReportRow>();
  private readonly read: (rows: readonly unknown[]) => object[];

  constructor(groupBy: readonly UsageDimension[]) {
    this.groupBy = groupBy;
    const names = Object.fromEntries(groupBy.map((name) => [name, Type.String()]));
    this.read = rowReader("requests", Type.Object({ ...names, ...sumsShape.properties }));
  }

  add(rows: readonly unknown[]): void {
    for (const row of this.read(rows) as (UsageSums & Partial<Record<UsageDimension, string>>)[]) {
      const group = Object.fromEntries(this.groupBy.map((name) => [name, row[name] ?? ""]));
      const sums = Object.fromEntries(sumNames.map((name) => [name, row[name]])) as UsageSums;
      const name = JSON.stringify(group);
      const before = this.merged.get(name);
      this.merged.set(name, { group, ...(before === undefined ? sums : sumOf(before, sums)) });
    }
  }

  rows(): UsageReportRow[] {
    return [...this.merged.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
  }
}

function conditions({
  filter = {},
  sinceMs,
  untilMs,
}: Pick<UsageQuery, "filter"> & { readonly sinceMs?: number | undefined; readonly untilMs?: number | undefined }) {
  const clauses: string[] = [];
  const values: SQLQueryBindings[] = [];
  const add = (clause: string, value: SQLQueryBindings | undefined): void => {
    if (value === undefined) return;
    clauses.push(clause);
    values.push(value);
  };
  add("at_ms >= ?", sinceMs);
  add("at_ms < ?", untilMs);
  for (const dimension of usageDimensions)
    if (dimension !== "hour" && dimension !== "day") add(`${groupSql[dimension]} = ?`, filter[dimension]);
  return { clauses, values };
}
