// Usage, grouped and filtered: for the command line and the admin API.
import type { SQLQueryBindings } from "bun:sqlite";
import { Type } from "typebox";
import { rowReader } from "../../store/rows.ts";
import { adjustedRows, adjustmentSumsSql, isBooked } from "./adjustments.ts";
import { columnOf } from "./columns.ts";
import { queryFile, readFiles } from "./files.ts";
import { dayMs, hourMs, type SumLevel, startOfSum, withUsageIndex } from "./usage-index.ts";
import { sumNames, sumOf, sumsShape, sumsSql, type UsageSums } from "./usage-sums.ts";

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
    const segments = segmentsOf(query).map((segment) => ({ ...segment, ...conditions({ ...query, ...segment }) }));
    const sums = sumNames.map((name) => `sum(${columnOf(name)}) as "${name}"`).join(", ");
    const open = select(query, sumsSql, "requests", [...clauses, "n in (select value from json_each(?))"]);
    for (const { id, path } of files) {
      for (const segment of segments) {
        const settled = select(query, sums, "sums", [...segment.clauses, "level = ?", "ledger = ?"]);
        groups.add(database.query(settled).all(...segment.values, segment.level, id));
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
  const adjustments = select(query, adjustmentSumsSql(sumNames), adjustedRows, [...clauses, isBooked]);
  for (const sql of [select(query, sumsSql, "requests", clauses), adjustments])
    for (const rows of readFiles(dataFolder, sql, values)) groups.add(rows);
  return groups.rows();
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

/** A part of the time range, and the sums that it is read from. */
interface Segment {
  readonly level: SumLevel;
  readonly sinceMs: number | undefined;
  readonly untilMs: number | undefined;
}

/** Whole months and days are read from their own sums, the rest from hours. */
function segmentsOf({ groupBy, filter, sinceMs, untilMs }: UsageQuery): Segment[] {
  const isOfUsers = groupBy.includes("endUser") || filter?.endUser !== undefined;
  const all: readonly SumLevel[] = isOfUsers ? ["user", "user_day"] : ["hour", "day", "month"];
  const finest = groupBy.includes("hour") ? 1 : groupBy.includes("day") ? 2 : all.length;
  return split(all.slice(0, finest), sinceMs, untilMs);
}

function split(levels: readonly SumLevel[], sinceMs: number | undefined, untilMs: number | undefined): Segment[] {
  const [level = "hour", ...coarser] = levels;
  const [next] = coarser;
  if (next === undefined) return [{ level, sinceMs, untilMs }];
  const floor = (ms: number): number => startOfSum(next, ms);
  const end = untilMs === undefined ? undefined : floor(untilMs);
  const begin = sinceMs === undefined || floor(sinceMs) === sinceMs ? sinceMs : nextStart(next, sinceMs);
  if ((begin ?? 0) >= (end ?? Number.POSITIVE_INFINITY)) return [{ level, sinceMs, untilMs }];
  return [
    ...(begin === sinceMs ? [] : [{ level, sinceMs, untilMs: begin }]),
    ...split(coarser, begin, end),
    ...(end === untilMs ? [] : [{ level, sinceMs: end, untilMs }]),
  ];
}

const longestMonthMs = 31 * dayMs;

/** The start of the next day or month. */
const nextStart = (level: SumLevel, ms: number): number =>
  startOfSum(level, startOfSum(level, ms) + (level === "month" ? longestMonthMs : dayMs));

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
