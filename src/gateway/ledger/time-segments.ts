// Splits a range of times into parts, each of which is read from the coarsest sums that it has whole periods of.

/** Sums by a period, such as a day. */
export interface SumPeriod<Name> {
  readonly name: Name;
  /** The start of the period that has this time in it. */
  start(ms: number): number;
  /** The start of the period after it. */
  next(ms: number): number;
}

/** From `sinceMs` on, and before `untilMs`; absent: without a bound. */
export interface Segment<Name> {
  readonly level: Name;
  readonly sinceMs: number | undefined;
  readonly untilMs: number | undefined;
}

/** Periods from the finest to the coarsest; the bounds are starts of the finest. */
export function segmentsOf<Name>(
  [period, ...coarser]: readonly [SumPeriod<Name>, ...SumPeriod<Name>[]],
  sinceMs: number | undefined,
  untilMs: number | undefined,
): Segment<Name>[] {
  const level = period.name;
  const [next, ...coarsest] = coarser;
  if (next === undefined) return [{ level, sinceMs, untilMs }];
  const end = untilMs === undefined ? undefined : next.start(untilMs);
  const begin = sinceMs === undefined || next.start(sinceMs) === sinceMs ? sinceMs : next.next(sinceMs);
  if ((begin ?? 0) >= (end ?? Number.POSITIVE_INFINITY)) return [{ level, sinceMs, untilMs }];
  return [
    ...(begin === sinceMs ? [] : [{ level, sinceMs, untilMs: begin }]),
    ...segmentsOf([next, ...coarsest], begin, end),
    ...(end === untilMs ? [] : [{ level, sinceMs: end, untilMs }]),
  ];
}
