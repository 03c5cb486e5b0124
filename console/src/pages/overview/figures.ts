// The figures of the overview: sums of a time range, points of its chart, and rows of its table.
import { addMoney, count, duration, money } from "../../data/format.ts";
import type { SeriesRow } from "../../data/types.ts";
import type { Point } from "../../ui/chart.tsx";

/** What a chart can show: its metrics, and how a value is written. */
export const charts = {
  requests: { metrics: ["requests", "errors"], format: count },
  errors: { metrics: ["errors"], format: count },
  tokens: { metrics: ["tokens"], format: count },
  money: { metrics: ["price", "cost"], format: (value: number) => money(String(value)) },
  latency: { metrics: ["duration_p50_ms", "duration_p99_ms"], format: (value: number) => duration(value) },
} as const;

export type ChartName = keyof typeof charts;

export const isChart = (name: string | undefined): name is ChartName => name !== undefined && name in charts;

export const numberOf = (row: SeriesRow | undefined, metric: string): number => Number(row?.total[metric] ?? 0);

export function textOf(row: SeriesRow | undefined, metric: string): string | null {
  const value = row?.total[metric];
  return value === undefined || value === null ? null : String(value);
}

/** Price less cost; null where one of them is missing. */
export function marginOf(row: SeriesRow | undefined): string | null {
  const [price, cost] = [textOf(row, "price"), textOf(row, "cost")];
  return price === null || cost === null ? null : addMoney([price, `-${cost}`]);
}

/** The share of input that was read from a provider's cache; null without input. */
export function cacheHit(row: SeriesRow): readonly [read: number, input: number] {
  const read = numberOf(row, "cache_read_tokens");
  return [read, read + numberOf(row, "input_tokens") + numberOf(row, "cache_write_tokens")];
}

/** One point for each step, with one value for each of the lines. */
export function pointsOf(lines: readonly (readonly [row: SeriesRow | undefined, metric: string])[]): readonly Point[] {
  const first = lines.find(([row]) => row !== undefined)?.[0];
  if (first === undefined) return [];
  const steps = Object.values(first.values)[0]?.length ?? 0;
  const startMs = Date.parse(first.start);
  return Array.from({ length: steps }, (_, at) => ({
    atMs: startMs + at * first.step_seconds * 1_000,
    values: lines.map(([row, metric]) => Number(row?.values[metric]?.[at] ?? 0)),
  }));
}

export const largest = (points: readonly Point[]): number => Math.max(0, ...points.map(({ values }) => values[0] ?? 0));
