// Rows of the ledger as the index adds them up: where they are, the values that they are grouped by, and their sums.
import type { SQLQueryBindings } from "bun:sqlite";
import { columnOf } from "./columns.ts";
import type { QueryValues } from "./files.ts";
import type { SumParts } from "./usage-sums.ts";
import { latencies, type RowSums, rowSumsOf, rowSumsSql } from "./usage-sums.ts";

/** Columns with sums. */
export const groupColumns = [
  "organization",
  "project",
  "key_id",
  "end_user",
  "model",
  "provider",
  "operation",
] as const;

/** The values of a row by name; empty text if it has none. */
const valueNames = [...groupColumns, "session", "state", "errorCode", "status"] as const;
export type RowValue = (typeof valueNames)[number];
const valueSql = (name: RowValue): string => (name === "status" ? "(http_status / 100) || 'xx'" : columnOf(name));

/** Buckets per doubling: a percentile is exact to 3 %. */
export const bucketsPerDoubling = 12;
const bucketSql = (column: string): string =>
  `iif(${column} >= 0, cast(log2(${column} + 1) * ${bucketsPerDoubling} as integer), null)`;

export interface IndexRow extends Readonly<Record<RowValue, string>> {
  readonly n: number;
  /** Its place in the order of settlement; null until it is settled. */
  readonly seq: number | null;
  readonly atMs: number;
  readonly id: string;
  readonly requestId: string | null;
  /** Of its duration, and of its first byte. */
  readonly buckets: readonly (number | null)[];
  readonly sums: RowSums;
}

const numberOrNull = (value: unknown): number | null => (value === null ? null : Number(value));

const placeColumns = ["n", "settled_seq", "at_ms", "id", columnOf("requestId")];
const firstValue = placeColumns.length;
const firstBucket = firstValue + valueNames.length;
const firstSum = firstBucket + latencies.length;

interface RowSource {
  readonly parts: SumParts;
  readonly hasLatency: boolean;
  /** Behind `from`. */
  readonly from: string;
  readonly values: readonly SQLQueryBindings[];
}

export function readIndexRows(query: QueryValues, { parts, hasLatency, from, values }: RowSource): IndexRow[] {
  const columns = [
    ...placeColumns,
    ...valueNames.map((name) => `coalesce(${valueSql(name)}, '')`),
    ...latencies.map((name) => (hasLatency ? bucketSql(columnOf(name)) : "null")),
    rowSumsSql(parts, hasLatency),
  ];
  return query(`select ${columns.join(", ")} from ${from}`, ...values).map(rowOf);
}

function rowOf(row: unknown[]): IndexRow {
  const [n, seq, atMs, id, requestId] = row;
  const text = Object.fromEntries(valueNames.map((name, at) => [name, String(row[firstValue + at])]));
  return {
    ...(text as Record<RowValue, string>),
    n: Number(n),
    seq: numberOrNull(seq),
    atMs: Number(atMs),
    id: String(id),
    requestId: requestId === null ? null : String(requestId),
    buckets: latencies.map((_, at) => numberOrNull(row[firstBucket + at])),
    sums: rowSumsOf(row, firstSum),
  };
}
