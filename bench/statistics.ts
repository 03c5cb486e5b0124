// Middle and ends of small samples.

export type Spread = { median: number; min: number; max: number };

/** `share` from 0 to 1, of values sorted upwards; 0 for no values. */
export function percentile(sorted: readonly number[], share: number): number {
  const place = Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1);
  return sorted[Math.max(0, place)] ?? 0;
}

function middle(sorted: readonly number[]): number {
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? 0) + upper) / 2;
}

/** Nothing for an empty sample: a figure that was not taken must not read as 0. */
export function spread(values: readonly number[]): Spread | undefined {
  if (values.length === 0) return undefined;
  const sorted = values.toSorted((a, b) => a - b);
  return { median: middle(sorted), min: sorted[0] ?? 0, max: sorted[sorted.length - 1] ?? 0 };
}
