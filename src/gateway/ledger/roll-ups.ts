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
export const histogramColumns = latencies.map((name) => `${columnOf(name)}_histogram`);
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

interface Cell {
  readonly place: readonly SQLQueryBindings[];
  sums: Raw[];
  readonly histograms: readonly Histogram[];
}

const added = (one: Raw, other: Raw): Raw => {
  if (typeof one === "number" && typeof other === "number") return one + other;
  if (one === null || other === null) return one ?? other;
  return BigInt(one) + BigInt(other);
};

/** Cells by their place: every group of a chunk adds to the cells that contain it. */
class Cells {
  readonly all = new Map<string, Cell>();
  private readonly floorMs: number;

  constructor(floorMs: number) {
    this.floorMs = floorMs;
  }

  *of(row: Row): Iterable<Cell> {
    for (const level of Object.keys(levelMs) as RollUpLevel[]) {
      if (level === "minute" && row.atMs < this.floorMs) continue;
      const atMs = Math.floor(row.atMs / levelMs[level]) * levelMs[level];
      for (const cell of cellNames) yield this.at([level, nameOf(cell), atMs, ...valuesOf(cell, row)]);
    }
  }

  private at(place: readonly SQLQueryBindings[]): Cell {
    const name = JSON.stringify(place);
    const found = this.all.get(name);
    if (found !== undefined) return found;
    const made = { place, sums: rawNames.map(() => 0 as Raw), histograms: latencies.map(() => new Map()) };
    // Money is null until an amount exists.
    for (const [index, raw] of rawNames.entries()) if (raw.endsWith("NanoDollars")) made.sums[index] = null;
    this.all.set(name, made);
    return made;
  }
}

const valuesOf = ([one, other]: readonly RollUpDimension[], row: Row): [string, string] => [
  one === undefined ? "" : row[one],
  other === undefined ? "" : row[other],
];

export interface RollUpSource {
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
  const cells = new Cells(floorMs);
  const select = (what: string) => `select ${timeSql}, ${dimensionColumns}, ${what} ${from}`;
  const sums = query(
    `${select(`${source.sums}, ${source.hasLatency ? latencySql : noLatencySql}`)} ${groupBy}`,
    floorMs,
    ...values,
  );
  for (const row of readGroups(sums) as unknown as Row[])
    for (const cell of cells.of(row))
      cell.sums = cell.sums.map((sum, at) => added(sum, row[rawNames[at] ?? ""] ?? null));
  for (const [index, latency] of source.hasLatency ? latencies.entries() : []) {
    const column = columnOf(latency);
    const counts = `${select(`${bucketSql(column)} as bucket, count(*) as count`)} and ${column} >= 0 ${groupBy}, bucket`;
    for (const row of readBuckets(query(counts, floorMs, ...values)) as unknown as Row[])
      for (const { histograms } of cells.of(row)) {
        const histogram = histograms[index] as Histogram;
        histogram.set(Number(row.bucket), (histogram.get(Number(row.bucket)) ?? 0) + Number(row.count));
      }
  }
  write(database, ledger, cells.all.values());
  database.query("delete from cells where level = 'minute' and at_ms < ?").run(floorMs);
}

const place = ["level", "name", "at_ms", "a", "b"];
const upsertSql = `insert into cells (${[...place, "ledger", ...sumColumns, ...histogramColumns].join(", ")})
  values (${[...place, "ledger", ...sumColumns, ...histogramColumns].map(() => "?").join(", ")}) on conflict do update set
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

function write(database: Database, ledger: string, cells: Iterable<Cell>): void {
  const [find, upsert] = [database.query(findSql), database.query(upsertSql)];
  for (const { place: where, sums, histograms } of cells) {
    const [before] = readHistograms(find.all(...where, ledger));
    for (const [index, histogram] of histograms.entries()) addHistogram(histogram, before?.[`h${index}`] ?? null);
    upsert.run(...where, ledger, ...sums, ...histograms.map(textOf));
  }
}
