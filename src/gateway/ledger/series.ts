// Time series from the roll-ups: metrics by time, of all requests or the largest values of one dimension. And the values
// that a dimension has.
import type { Database, SQLQueryBindings } from "bun:sqlite";
import { tokenBuckets } from "../../canonical/usage.ts";
import { columnOf } from "./columns.ts";
import {
  addHistogram,
  bucketMs,
  cellOf,
  type Histogram,
  levelMs,
  minutesSince,
  nameOf,
  type RollUpDimension,
  type RollUpLevel,
} from "./roll-ups.ts";
import { type SumPeriod, segmentsOf } from "./time-segments.ts";
import { withUsageIndex } from "./usage-index.ts";

const minuteMs = levelMs.minute;
const hourMs = levelMs.hour;
const dayMs = levelMs.day;
/** Lengths of a step. */
const steps = [
  ...[1, 5, 15].map((minutes) => minutes * minuteMs),
  ...[1, 3, 6].map((hours) => hours * hourMs),
  ...[1, 7, 30].map((days) => days * dayMs),
];
const maxPoints = 200;

interface Metric {
  /** Sums that can be added up. */
  readonly sums: readonly string[];
  readonly kind: "count" | "money" | "mean" | "quantile";
  readonly histogram?: string;
  readonly quantile?: number;
}

const count = (sql: string): Metric => ({ sums: [`sum(${sql})`], kind: "count" });
const money = (column: string): Metric => ({ sums: [`sum(${column})`], kind: "money" });
const mean = (name: string): Metric => ({ sums: [`sum(${name}_sum)`, `sum(${name}_count)`], kind: "mean" });
const quantile = (name: string, part: number): Metric => ({
  ...{ sums: [], kind: "quantile", histogram: `${name}_histogram`, quantile: part },
});

/** The metrics of a series. */
export const seriesMetrics = {
  requests: count("requests"),
  errors: count("errors"),
  tokens: count(tokenBuckets.map(columnOf).join(" + ")),
  inputTokens: count(columnOf("inputTokens")),
  outputTokens: count(columnOf("outputTokens")),
  cacheReadTokens: count(columnOf("cacheReadTokens")),
  cacheWriteTokens: count(`${columnOf("cacheWriteTokens")} + ${columnOf("cacheWrite1hTokens")}`),
  reasoningTokens: count(columnOf("reasoningTokens")),
  price: money("price"),
  cost: money("cost"),
  unpriced: count("unpriced"),
  possibleTokens: count(columnOf("possibleTokens")),
  durationMeanMs: mean("duration_ms"),
  durationP50Ms: quantile("duration_ms", 0.5),
  durationP99Ms: quantile("duration_ms", 0.99),
  firstByteMeanMs: mean("first_byte_ms"),
  firstByteP50Ms: quantile("first_byte_ms", 0.5),
  firstByteP99Ms: quantile("first_byte_ms", 0.99),
} as const satisfies Readonly<Record<string, Metric>>;

export type SeriesMetric = keyof typeof seriesMetrics;

export interface SeriesQuery {
  readonly metrics: readonly SeriesMetric[];
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly nowMs: number;
  /** Absent: chosen so that there are at most some hundred points. */
  readonly stepMs?: number;
  readonly groupBy?: RollUpDimension;
  readonly top: number;
  /** No points, only totals: these are read from fewer roll-ups. */
  readonly isTotalOnly?: boolean;
  /** Values of one dimension other than the group, or of two without a group. */
  readonly filter?: Partial<Readonly<Record<RollUpDimension, string>>>;
}

/** Nano-dollars are bigints. Null: there is none. */
export type SeriesValue = number | bigint | null;

export interface SeriesGroup {
  /** Null for all requests, and for the sum of the others. */
  readonly value: string | null;
  readonly isOther: boolean;
  readonly points: Readonly<Partial<Record<SeriesMetric, readonly SeriesValue[]>>>;
  readonly totals: Readonly<Partial<Record<SeriesMetric, SeriesValue>>>;
}

export interface Series {
  readonly startMs: number;
  readonly stepMs: number;
  readonly points: number;
  readonly groups: readonly SeriesGroup[];
}

/** Raw sums and histograms of one point, or of a whole range. */
interface Sums {
  readonly raws: (bigint | null)[];
  readonly histograms: Map<string, Histogram>;
}

interface Plan {
  readonly query: SeriesQuery;
  readonly stepMs: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly raws: readonly string[];
  readonly histograms: readonly string[];
  /** The condition of the cells, with its values. */
  readonly where: string;
  readonly values: readonly SQLQueryBindings[];
  /** The column of the group; null without one. */
  readonly column: "a" | "b" | null;
  /** The cells of the whole range, the coarsest possible ones. */
  readonly whole: Selection;
}

interface Selection {
  /** Behind `from`. */
  readonly from: string;
  readonly values: readonly SQLQueryBindings[];
}

/** The shortest step with which the range has few points, and for which there are roll-ups. */
export function stepFor(query: Omit<SeriesQuery, "metrics" | "top">): number {
  const { sinceMs, untilMs, nowMs, stepMs = 0, groupBy, filter = {} } = query;
  const dimensionCount = Object.keys(filter).length + (groupBy === undefined ? 0 : 1);
  const shortest = sinceMs >= minutesSince(nowMs, dimensionCount) ? minuteMs : hourMs;
  const longest = dayMs * 30;
  const fits = (step: number): boolean => step >= Math.max(stepMs, shortest) && (untilMs - sinceMs) / step <= maxPoints;
  return steps.find(fits) ?? longest;
}

const levelOf = (stepMs: number): RollUpLevel => {
  if (stepMs % dayMs === 0) return "day";
  return stepMs % hourMs === 0 ? "hour" : "minute";
};

const levels: readonly RollUpLevel[] = ["minute", "hour", "day"];

const periodOf = (name: RollUpLevel): SumPeriod<RollUpLevel> => {
  const start = (ms: number): number => Math.floor(ms / levelMs[name]) * levelMs[name];
  return { name, start, next: (ms) => start(ms) + levelMs[name] };
};

interface Whole {
  readonly finest: RollUpLevel;
  readonly startMs: number;
  readonly endMs: number;
  readonly name: string;
  readonly tests: string;
  readonly filters: readonly SQLQueryBindings[];
}

/** Whole days and hours are read from their own cells. */
function wholeOf({ finest, startMs, endMs, name, tests, filters }: Whole): Selection {
  const coarser = levels.slice(levels.indexOf(finest) + 1).map(periodOf);
  const segments = segmentsOf([periodOf(finest), ...coarser], startMs, endMs);
  const select = `select * from cells where level = ? and name = ? and at_ms >= ? and at_ms < ? ${tests}`;
  return {
    from: `(${segments.map(() => select).join(" union all ")})`,
    values: segments.flatMap(({ level, sinceMs = startMs, untilMs = endMs }) => [
      ...[level, name, sinceMs, untilMs, ...filters],
    ]),
  };
}

function planOf(query: SeriesQuery): Plan {
  const { metrics, groupBy, filter = {}, sinceMs, untilMs } = query;
  const stepMs = stepFor(query);
  const chosen: readonly Metric[] = metrics.map((name) => seriesMetrics[name]);
  const filtered = Object.keys(filter) as RollUpDimension[];
  const cell = cellOf(groupBy === undefined ? filtered : [groupBy, ...filtered]);
  const columnFor = (name: RollUpDimension) => (cell.indexOf(name) === 0 ? "a" : "b");
  const startMs = Math.floor(sinceMs / stepMs) * stepMs;
  const endMs = Math.ceil(untilMs / stepMs) * stepMs;
  const tests = filtered.map((name) => `and ${columnFor(name)} = ?`).join(" ");
  const filters = filtered.map((name) => filter[name] ?? "");
  return {
    ...{ query, stepMs, startMs, endMs },
    raws: [...new Set(["sum(requests)", ...chosen.flatMap(({ sums }) => sums)])],
    histograms: [...new Set(chosen.flatMap(({ histogram }) => histogram ?? []))],
    where: `level = ? and name = ? and at_ms >= ? and at_ms < ? ${tests}`,
    values: [levelOf(stepMs), nameOf(cell), startMs, endMs, ...filters],
    column: groupBy === undefined ? null : columnFor(groupBy),
    whole: wholeOf({ finest: levelOf(stepMs), startMs, endMs, name: nameOf(cell), tests, filters }),
  };
}

/** Reads the index only: its cost depends on the range and the number of values, not on the number of requests. */
export function readSeries(dataFolder: string, query: SeriesQuery): Series {
  const plan = planOf(query);
  const points = Math.round((plan.endMs - plan.startMs) / plan.stepMs);
  const groups = withUsageIndex(dataFolder, ({ database }) => {
    const top = plan.column === null ? [] : topValues(database, plan);
    return groupsOf(database, plan, top, points);
  });
  return { startMs: plan.startMs, stepMs: plan.stepMs, points: query.isTotalOnly === true ? 0 : points, groups };
}

/** The values with the largest first metric; those with percentiles by their number of requests. */
function topValues(database: Database, { query, whole, column }: Plan): string[] {
  const [first = "requests"] = query.metrics;
  const metric: Metric = seriesMetrics[first];
  const order = metric.kind === "quantile" ? "sum(requests)" : metric.sums[0];
  const sql = `select ${column} as value from ${whole.from} group by 1 order by coalesce(${order}, 0) desc, 1 limit ?`;
  return database
    .query(sql)
    .values(...whole.values, query.top)
    .map(([value]) => String(value));
}

const emptySums = ({ raws, histograms }: Plan): Sums => ({
  raws: raws.map(() => null),
  histograms: new Map(histograms.map((name) => [name, new Map()])),
});

const plus = (one: bigint | null, other: bigint | null): bigint | null =>
  one === null || other === null ? (one ?? other) : one + other;

/** Points and totals by group; the empty name is that of all the others. */
function groupsOf(database: Database, plan: Plan, top: readonly string[], points: number): SeriesGroup[] {
  const found = new Map<string | null, Sums[]>(top.map((value) => [value, []]));
  if (plan.column === null) found.set(null, []);
  const at = (group: string | null, index: number): Sums[] => {
    const list = found.get(group) ?? [];
    found.set(group, list);
    return [...new Set([index, points])].map((each) => (list[each] ??= emptySums(plan)));
  };
  const group =
    plan.column === null ? "null" : `iif(${plan.column} in (select value from json_each(?)), ${plan.column}, null)`;
  const names = plan.column === null ? [] : [JSON.stringify(top)];
  const isTotal = plan.query.isTotalOnly === true;
  const index = isTotal ? String(points) : `(at_ms - ${plan.startMs}) / ${plan.stepMs}`;
  const cells = isTotal ? plan.whole : { from: `cells where ${plan.where}`, values: plan.values };
  const sums = `select ${group}, ${index}, ${plan.raws.join(", ")} from ${cells.from} group by 1, 2`;
  for (const [value, place, ...raws] of database.query(sums).values(...names, ...cells.values))
    for (const entry of at(value as string | null, Number(place)))
      for (const [each, raw] of raws.entries()) entry.raws[each] = plus(entry.raws[each] ?? null, raw as bigint | null);
  for (const name of plan.histograms) {
    const texts = `select ${group}, ${index}, ${name} from ${cells.from}`;
    for (const [value, place, text] of database.query(texts).values(...names, ...cells.values))
      for (const { histograms } of at(value as string | null, Number(place)))
        addHistogram(histograms.get(name) ?? new Map(), text as string | null);
  }
  return [...found].map(([value, list]) => writtenGroup(plan, value, list, points));
}

function writtenGroup(plan: Plan, value: string | null, list: readonly Sums[], points: number): SeriesGroup {
  const { metrics, isTotalOnly = false } = plan.query;
  const shown = isTotalOnly ? 0 : points;
  const none = emptySums(plan);
  const of = (metric: SeriesMetric, index: number) => metricOf(plan, metric, list[index] ?? none);
  return {
    value,
    isOther: value === null && plan.column !== null,
    points: Object.fromEntries(
      metrics.map((name) => [name, Array.from({ length: shown }, (_, index) => of(name, index))]),
    ),
    totals: Object.fromEntries(metrics.map((name) => [name, of(name, points)])),
  };
}

function metricOf({ raws }: Plan, name: SeriesMetric, sums: Sums): SeriesValue {
  const metric: Metric = seriesMetrics[name];
  const raw = (at: number): bigint | null => sums.raws[raws.indexOf(metric.sums[at] ?? "")] ?? null;
  const isEmpty = sums.raws[0] === null;
  if (metric.kind === "quantile") return quantileOf(sums.histograms.get(metric.histogram ?? ""), metric.quantile ?? 0);
  // Requests without any amount have no sum; no requests have the sum 0.
  if (metric.kind === "money") return raw(0) ?? (isEmpty ? 0n : null);
  if (metric.kind === "count") return Number(raw(0) ?? 0n);
  const [sum, number] = [Number(raw(0) ?? 0n), Number(raw(1) ?? 0n)];
  return number === 0 ? null : Math.round(sum / number);
}

function quantileOf(histogram: Histogram | undefined, part: number): number | null {
  const buckets = [...(histogram ?? [])].sort(([one], [other]) => one - other);
  const all = buckets.reduce((sum, [, each]) => sum + each, 0);
  let left = Math.ceil(all * part);
  for (const [bucket, each] of buckets) {
    left -= each;
    if (left <= 0) return bucketMs(bucket);
  }
  return null;
}
