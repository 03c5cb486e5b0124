// Roll-ups of settled requests per minute, hour and day, for charts: by one dimension, or by one within another, with
// histograms of latency that can be merged.
import type { Database } from "bun:sqlite";
import { Type } from "typebox";
import { NullableText, rowReader } from "../../store/rows.ts";
import { columnOf } from "./columns.ts";
import { bucketsPerDoubling, type IndexRow, type RowValue } from "./index-rows.ts";
import { addRowSums, columnValues, latencies, latencyColumns, noSums, type RowSums, sumColumns } from "./usage-sums.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
export const levelMs = { minute: minuteMs, hour: hourMs, day: 24 * hourMs } as const;
export type RollUpLevel = keyof typeof levelMs;

/**
 * Minutes are for recent requests only: older charts are coarser, and their minutes would be most of the index. Pairs of
 * dimensions have as many cells in a minute as requests, so that their minutes are deleted sooner.
 */
const minuteRetentionMs = 3 * 24 * hourMs;
const pairMinuteRetentionMs = 6 * hourMs;

/** Dimensions, and the values of a row that they are. */
export const rollUpDimensions = {
  project: "project",
  key: "key_id",
  model: "model",
  provider: "provider",
  operation: "operation",
  status: "status",
} as const satisfies Readonly<Record<string, RowValue>>;

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

const histogramColumns = latencies.map((name) => `${columnOf(name)}_histogram`);
const cellColumns = [...sumColumns, ...latencyColumns];

export const rollUpTables = [
  `create table cells (level text not null, name text not null, at_ms integer not null, a text not null, b text not null,
    ledger text not null, ${cellColumns.map((name) => `${name} integer`).join(", ")},
    ${histogramColumns.map((name) => `${name} text`).join(", ")},
    primary key (level, name, at_ms, a, b, ledger)) without rowid`,
];

/** The middle of a bucket, in milliseconds. */
export const bucketMs = (bucket: number): number => Math.round(2 ** ((bucket + 0.5) / bucketsPerDoubling) - 1);

/** Counts by bucket. */
export type Histogram = Map<number, number>;

export function addHistogram(into: Histogram, text: string | null): void {
  if (text === null) return;
  for (const [bucket, count] of JSON.parse(text) as [number, number][])
    into.set(bucket, (into.get(bucket) ?? 0) + count);
}

const retentionOf = (dimensionCount: number): number =>
  dimensionCount > 1 ? pairMinuteRetentionMs : minuteRetentionMs;

const floorOf = (nowMs: number, dimensionCount: number): number =>
  Math.floor((nowMs - retentionOf(dimensionCount)) / hourMs) * hourMs;

/** From then on there are roll-ups by the minute for this number of dimensions. */
export const minutesSince = (nowMs: number, dimensionCount: number): number => floorOf(nowMs, dimensionCount) + hourMs;

/** Sums and latencies that are added together. */
interface Totals {
  readonly sums: RowSums;
  readonly histograms: readonly Histogram[];
}

interface Place {
  readonly atMs: number;
  readonly a: string;
  readonly b: string;
}

interface Cell extends Totals, Place {}

type Cells = Map<string, Cell>;

const noTotals = (): Totals => ({ sums: noSums(), histograms: latencies.map(() => new Map()) });

function addTotals(into: Totals, from: Totals): void {
  addRowSums(into.sums, from.sums);
  for (const [at, counts] of from.histograms.entries()) {
    const histogram = into.histograms[at] as Histogram;
    for (const [bucket, count] of counts) histogram.set(bucket, (histogram.get(bucket) ?? 0) + count);
  }
}

function addToCell(cells: Cells, { atMs, a, b }: Place, totals: Totals): void {
  const id = `${atMs}\0${a}\0${b}`;
  let cell = cells.get(id);
  if (cell === undefined) {
    cell = { atMs, a, b, ...noTotals() };
    cells.set(id, cell);
  }
  addTotals(cell, totals);
}

const minuteOf = (ms: number): number => Math.floor(ms / minuteMs) * minuteMs;
const hourOf = (ms: number): number => Math.floor(ms / hourMs) * hourMs;

/** Rows of the same minute, or of the same hour where they are old, with the same values, added up. */
interface Group extends Totals {
  readonly row: IndexRow;
  readonly atMs: number;
}

function groupsOf(rows: readonly IndexRow[], floorMs: number): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const row of rows) {
    const atMs = row.atMs >= floorMs ? minuteOf(row.atMs) : hourOf(row.atMs);
    const id = `${atMs}\0${row.project}\0${row.key_id}\0${row.model}\0${row.provider}\0${row.operation}\0${row.status}`;
    let group = groups.get(id);
    if (group === undefined) {
      group = { row, atMs, ...noTotals() };
      groups.set(id, group);
    }
    addRowSums(group.sums, row.sums);
    for (const [at, bucket] of row.buckets.entries()) {
      const histogram = group.histograms[at] as Histogram;
      if (bucket !== null) histogram.set(bucket, (histogram.get(bucket) ?? 0) + 1);
    }
  }
  return [...groups.values()];
}

const valueAt = (row: IndexRow, dimension: RollUpDimension | undefined): string =>
  dimension === undefined ? "" : row[rollUpDimensions[dimension]];

/** The cells of each level; a coarser one is made from the finer one, which has fewer cells than there are rows. */
function cellsOf(shape: readonly RollUpDimension[], groups: readonly Group[], floorMs: number) {
  const levels: Readonly<Record<RollUpLevel, Cells>> = { minute: new Map(), hour: new Map(), day: new Map() };
  for (const group of groups) {
    const place = { atMs: group.atMs, a: valueAt(group.row, shape[0]), b: valueAt(group.row, shape[1]) };
    addToCell(group.atMs >= floorMs ? levels.minute : levels.hour, place, group);
  }
  for (const cell of levels.minute.values()) addToCell(levels.hour, { ...cell, atMs: hourOf(cell.atMs) }, cell);
  for (const cell of levels.hour.values())
    addToCell(levels.day, { ...cell, atMs: Math.floor(cell.atMs / levelMs.day) * levelMs.day }, cell);
  return levels;
}

/** Adds rows that are in no roll-up yet, in the transaction of the index. */
export function addRollUps(database: Database, ledger: string, rows: readonly IndexRow[], nowMs: number): void {
  const remove = database.query("delete from cells where level = 'minute' and name = ? and at_ms < ?");
  for (const count of [0, 1, 2]) {
    const floorMs = floorOf(nowMs, count);
    const groups = groupsOf(rows, floorMs);
    // One after the other: all of them at once are a hundred times as large as the rows.
    for (const shape of cellNames.filter(({ length }) => length === count)) {
      const levels = cellsOf(shape, groups, floorMs);
      for (const [level, cells] of Object.entries(levels))
        write(database, [level, nameOf(shape), ledger], cells.values());
      remove.run(nameOf(shape), floorMs);
    }
  }
}

const place = ["level", "name", "at_ms", "a", "b"];
const insertSql = `insert into cells (${[...place, "ledger", ...cellColumns, ...histogramColumns].join(", ")})
  values (${[...place, "ledger", ...cellColumns, ...histogramColumns].map(() => "?").join(", ")}) on conflict do`;
const upsertSql = `${insertSql} update set
  ${cellColumns.map((name) => `${name} = iif(${name} is null, excluded.${name}, ${name} + coalesce(excluded.${name}, 0))`).join(", ")},
  ${histogramColumns.map((name) => `${name} = excluded.${name}`).join(", ")}`;
const findSql = `select ${histogramColumns.map((name, index) => `${name} as h${index}`).join(", ")} from cells
  where ${place.map((name) => `${name} = ?`).join(" and ")} and ledger = ?`;
const readHistograms = rowReader(
  "cells",
  Type.Object(Object.fromEntries(histogramColumns.map((_, index) => [`h${index}`, NullableText]))),
);

const textOf = (histogram: Histogram): string | null =>
  histogram.size === 0 ? null : JSON.stringify([...histogram].sort(([one], [other]) => one - other));

function write(
  database: Database,
  [level, name, ledger]: readonly [string, string, string],
  cells: Iterable<Cell>,
): void {
  const insert = database.query(`${insertSql} nothing`);
  const [find, upsert] = [database.query(findSql), database.query(upsertSql)];
  for (const { atMs, a, b, sums, histograms } of cells) {
    const where = [level, name, atMs, a, b, ledger];
    const values = columnValues(sums);
    // Most cells of a chunk are new.
    if (insert.run(...where, ...values, ...histograms.map(textOf)).changes > 0) continue;
    const [before] = readHistograms(find.all(...where));
    for (const [at, histogram] of histograms.entries()) addHistogram(histogram, before?.[`h${at}`] ?? null);
    upsert.run(...where, ...values, ...histograms.map(textOf));
  }
}
