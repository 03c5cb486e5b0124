// The figures of the overview, summed from rows of usage.
import { addMoney } from "../../data/format.ts";
import type { UsageRow } from "../../data/types.ts";
import type { Point } from "../../ui/chart.tsx";

export interface Figures {
  readonly requests: number;
  readonly errors: number;
  readonly running: number;
  readonly tokens: number;
  readonly price: string;
  /** Null where the caller may not see it. */
  readonly cost: string | null;
  readonly unpriced: number;
}

export const tokensOf = ({ tokens }: Pick<UsageRow, "tokens">): number =>
  Object.values(tokens).reduce((all, each) => all + each, 0);

export function figuresOf(rows: readonly UsageRow[]): Figures {
  const sum = (of: (row: UsageRow) => number): number => rows.reduce((all, row) => all + of(row), 0);
  return {
    requests: sum((row) => row.requests),
    errors: sum((row) => row.errors),
    running: sum((row) => row.in_progress),
    tokens: sum(tokensOf),
    price: addMoney(rows.map(({ price }) => price)),
    cost: rows.some(({ cost }) => cost !== undefined) ? addMoney(rows.map(({ cost }) => cost)) : null,
    unpriced: sum((row) => row.unpriced),
  };
}

/** One point for each step of the range, also where nothing was requested. */
export function pointsOf(
  rows: readonly UsageRow[],
  sinceMs: number,
  stepMs: number,
  nowMs = Date.now(),
): readonly Point[] {
  const byStart = new Map<number, readonly [number, number]>();
  for (const { start, requests, errors } of rows)
    if (start !== null) byStart.set(Date.parse(start), [requests, errors]);
  const points: Point[] = [];
  for (let atMs = Math.floor(sinceMs / stepMs) * stepMs; atMs <= nowMs; atMs += stepMs)
    points.push({ atMs, values: byStart.get(atMs) ?? [0, 0] });
  return points;
}
