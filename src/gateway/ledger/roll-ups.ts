// Roll-ups of settled requests per minute, hour and day, for charts: by one dimension, or by one within another, with
// histograms of latency that can be merged.
import type { Database, SQLQueryBindings } from "bun:sqlite";
import { Type } from "typebox";
import { IntColumn, NullableText, rowReader } from "../../store/rows.ts";
import { columnOf } from "./columns.ts";
import type { QueryFile } from "./files.ts";
import { sumNames, sumsShape } from "./usage-sums.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
export const levelMs = { minute: minuteMs, hour: hourMs, day: 24 * hourMs } as const;
export type RollUpLevel = keyof typeof levelMs;

/** Minutes are for recent requests only: older charts are coarser, and their minutes would be most of the index. */
const minuteRetentionMs = 3 * 24 * hourMs;

/** Dimensions and where they are in a row. */
export const rollUpDimensions = {
  project: "coalesce(project, '')",
  key: "key_id",
  model: "model",
  provider: "coalesce(provider, '')",
  operation: "operation",
  status: "coalesce((http_status / 100) || 'xx', '')",
} as const;

export type RollUpDimension = keyof typeof rollUpDimensions;
const dimensions = Object.keys(rollUpDimensions) as RollUpDimension[];

/** All requests together, each dimension, and each pair of them. */
const cellNames: readonly (readonly RollUpDimension[])[] = [
  [],
  ...dimensions.map((one) => [one]),
  ...dimensions.flatMap((one, index) => dimensions.slice(index + 1).map((other) => [one, other])),
];

/** The name of a cell, and the order of its values. */
export const cellOf = (given: readonly RollUpDimension[]): readonly RollUpDimension[] =>
  dimensions.filter((name) => given.includes(name));
export const nameOf = (cell: readonly RollUpDimension[]): string => cell.join("|");

const latencies = ["durationMs", "firstByteMs"] as const;
const latencyNames = latencies.flatMap((name) => [`${columnOf(name)}_sum`, `${columnOf(name)}_count`]);
const histogramColumns = latencies.map((name) => `${columnOf(name)}_histogram`);
const sumColumns = [...sumNames.map(columnOf), ...latencyNames];

export const rollUpTables = [
  `create table cells (level text not null, name text not null, at_ms integer not null, a text not null, b text not null,
    ledger text not null, ${sumColumns.map((name) => `${name} integer`).join(", ")},
    ${histogramColumns.map((name) => `${name} text`).join(", ")},
    primary key (level, name, at_ms, a, b, ledger)) without rowid`,
];

/** Buckets per doubling: a percentile is exact to 3 %. */
const bucketsPerDoubling = 12;
const bucketSql = (column: string): string => `cast(log2(${column} + 1) * ${bucketsPerDoubling} as integer)`;
/** The middle of a bucket, in milliseconds. */
export const bucketMs = (bucket: number): number => Math.round(2 ** ((bucket + 0.5) / bucketsPerDoubling) - 1);

/** Counts by bucket. */
export type Histogram = Map<number, number>;

export function addHistogram(into: Histogram, text: string | null): void {
  if (text === null) return;
  for (const [bucket, count] of JSON.parse(text) as [number, number][])
    into.set(bucket, (into.get(bucket) ?? 0) + count);
}

const floorOf = (nowMs: number): number => Math.floor((nowMs - minuteRetentionMs) / hourMs) * hourMs;

/** From then on there are roll-ups by the minute. */
export const minutesSince = (nowMs: number): number => floorOf(nowMs) + hourMs;

const dimensionColumns = dimensions.map((name) => `${rollUpDimensions[name]} as ${name}`).join(", ");
const timeSql = `iif(at_ms >= ?, at_ms / ${minuteMs} * ${minuteMs}, at_ms / ${hourMs} * ${hourMs}) as "atMs"`;
const groupBy = `group by ${[0, ...dimensions].map((_, index) => index + 1).join(", ")}`;
const latencySql = latencies
  .map((name) => [name, columnOf(name)])
  .map(([name, column]) => `coalesce(sum(${column}), 0) as "${name}Sum", count(${column}) as "${name}Count"`)
  .join(", ");

const noLatencySql = latencies.map((name) => `0 as "${name}Sum", 0 as "${name}Count"`).join(", ");

const dimensionShape = { atMs: IntColumn, ...Object.fromEntries(dimensions.map((name) => [name, Type.String()])) };
const latencyShape = Object.fromEntries(
  latencies.flatMap((name) => [
    [`${name}Sum`, IntColumn],
    [`${name}Count`, IntColumn],
  ]),
);
const readGroups = rowReader("requests", Type.Object({ ...dimensionShape, ...sumsShape.properties, ...latencyShape }));
const readBuckets = rowReader("requests", Type.Object({ ...dimensionShape, bucket: IntColumn, count: IntColumn }));
const rawNames = [...sumNames, ...latencies.flatMap((name) => [`${name}Sum`, `${name}Count`])];

type Raw = bigint | number | null;
type Row = Readonly<Record<RollUpDimension, string>> & { readonly atMs: number } & Readonly<Record<string, Raw>>;

/** Amounts and latencies that are added together. */
interface Totals {
  readonly sums: Raw[];
  readonly histograms: readonly Histogram[];
}

interface Cell extends Totals {
  /** Its index in `cellNames`. */
  readonly index: number;
  readonly atMs: number;
  readonly a: string;
  readonly b: string;
}

// Money is null until an amount exists.
const noSums = rawNames.map((name): Raw => (name.endsWith("NanoDollars") ? null : 0));
const noTotals = (): Totals => ({ sums: [...noSums], histograms: latencies.map(() => new Map()) });

const added = (one: Raw, other: Raw): Raw => {
  if (typeof one === "number" && typeof other === "number") return one + other;
  if (one === null || other === null) return one ?? other;
  return BigInt(one) + BigInt(other);
};

function addTotals(into: Totals, from: Totals): void {
  for (const [at, sum] of from.sums.entries()) into.sums[at] = added(into.sums[at] ?? null, sum);
  for (const [at, histogram] of from.histograms.entries()) {
    const counts = into.histograms[at] as Histogram;
    for (const [bucket, count] of histogram) counts.set(bucket, (counts.get(bucket) ?? 0) + count);
  }
}

type Cells = Map<string, Cell>;

function addToCell(cells: Cells, { index, atMs, a, b }: Omit<Cell, keyof Totals>, totals: Totals): void {
  const name = `${index}\0${atMs}\0${a}\0${b}`;
  let cell = cells.get(name);
  if (cell === undefined) {
    cell = { index, atMs, a, b, ...noTotals() };
    cells.set(name, cell);
  }
  addTotals(cell, totals);
}

/** Rows with the same time and dimensions, as the queries return them, with their totals. */
class Groups {
  readonly all = new Map<string, { readonly row: Row; readonly totals: Totals }>();

  of(row: Row): Totals {
    const name = `${row.atMs}\0${dimensions.map((dimension) => row[dimension]).join("\0")}`;
    let group = this.all.get(name);
    if (group === undefined) {
      group = { row, totals: noTotals() };
      this.all.set(name, group);
    }
    return group.totals;
  }
}

const valuesOf = ([one, other]: readonly RollUpDimension[], row: Row): { a: string; b: string } => ({
  a: one === undefined ? "" : row[one],
  b: other === undefined ? "" : row[other],
});

/** The cells of each level; every coarser one is made from the finer one, because that has fewer cells than there are groups. */
function cellsOf({ all }: Groups, floorMs: number): Readonly<Record<RollUpLevel, Cells>> {
  const levels = { minute: new Map() as Cells, hour: new Map() as Cells, day: new Map() as Cells };
  for (const { row, totals } of all.values())
    for (const [index, cell] of cellNames.entries())
      addToCell(
        row.atMs >= floorMs ? levels.minute : levels.hour,
        { index, atMs: row.atMs, ...valuesOf(cell, row) },
        totals,
      );
  const roll = (from: Cells, level: "hour" | "day"): void => {
    const ms = levelMs[level];
    for (const cell of from.values())
      addToCell(levels[level], { ...cell, atMs: Math.floor(cell.atMs / ms) * ms }, cell);
  };
  roll(levels.minute, "hour");
  roll(levels.hour, "day");
  return levels;
}

interface RollUpSource {
  readonly ledger: string;
  readonly query: QueryFile;
  /** What is summed: every name of the sums, in order. */
  readonly sums: string;
  /** False for adjustments, which have no latency of their own. */
  readonly hasLatency: boolean;
  /** `from requests where …`: settled rows that are in no roll-up yet. */
  readonly from: string;
  readonly values: readonly SQLQueryBindings[];
  readonly nowMs: number;
}

/** Adds rows to the roll-ups, in the transaction of the index. */
export function addRollUps(database: Database, source: RollUpSource): void {
  const { ledger, query, from, values, nowMs } = source;
  const floorMs = floorOf(nowMs);
  const groups = new Groups();
  const select = (what: string) => `select ${timeSql}, ${dimensionColumns}, ${what} ${from}`;
  const sums = query(
    `${select(`${source.sums}, ${source.hasLatency ? latencySql : noLatencySql}`)} ${groupBy}`,
    floorMs,
    ...values,
  );
  for (const row of readGroups(sums) as unknown as Row[])
    addTotals(groups.of(row), { sums: rawNames.map((name) => row[name] ?? null), histograms: [] });
  for (const [index, latency] of source.hasLatency ? latencies.entries() : []) {
    const column = columnOf(latency);
    const counts = `${select(`${bucketSql(column)} as bucket, count(*) as count`)} and ${column} >= 0 ${groupBy}, bucket`;
    for (const row of readBuckets(query(counts, floorMs, ...values)) as unknown as Row[])
      groups.of(row).histograms[index]?.set(Number(row["bucket"]), Number(row["count"]));
  }
  for (const [level, cells] of Object.entries(cellsOf(groups, floorMs))) write(database, ledger, level, cells.values());
  database.query("delete from cells where level = 'minute' and at_ms < ?").run(floorMs);
}

const place = ["level", "name", "at_ms", "a", "b"];
const insertSql = `insert into cells (${[...place, "ledger", ...sumColumns, ...histogramColumns].join(", ")})
  values (${[...place, "ledger", ...sumColumns, ...histogramColumns].map(() => "?").join(", ")}) on conflict do`;
const upsertSql = `${insertSql} update set
  ${sumColumns.map((name) => `${name} = iif(${name} is null, excluded.${name}, ${name} + coalesce(excluded.${name}, 0))`).join(", ")},
  ${histogramColumns.map((name) => `${name} = excluded.${name}`).join(", ")}`;
const findSql = `select ${histogramColumns.map((name, index) => `${name} as h${index}`).join(", ")} from cells
  where ${place.map((name) => `${name} = ?`).join(" and ")} and ledger = ?`;
const readHistograms = rowReader(
  "cells",
  Type.Object(Object.fromEntries(histogramColumns.map((_, index) => [`h${index}`, NullableText]))),
);

const textOf = (histogram: Histogram): string | null =>
  histogram.size === 0 ? null : JSON.stringify([...histogram].sort(([one], [other]) => one - other));

function write(database: Database, ledger: string, level: string, cells: Iterable<Cell>): void {
  const insert = database.query(`${insertSql} nothing`);
  const [find, upsert] = [database.query(findSql), database.query(upsertSql)];
  for (const { index, atMs, a, b, sums, histograms } of cells) {
    const where = [level, nameOf(cellNames[index] ?? []), atMs, a, b, ledger];
    // Most cells of a chunk are new.
    if (insert.run(...where, ...sums, ...histograms.map(textOf)).changes > 0) continue;
    const [before] = readHistograms(find.all(...where));
    for (const [at, histogram] of histograms.entries()) addHistogram(histogram, before?.[`h${at}`] ?? null);
    upsert.run(...where, ...sums, ...histograms.map(textOf));
  }
}
