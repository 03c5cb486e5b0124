// Budget windows: days, weeks from Monday and months in the operator's time zone, and all time.
import type { Budget } from "./rules.ts";

export type Period = Budget["period"];

/** In Unix milliseconds, before `untilMs`. */
export interface TimeWindow {
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface Windows {
  /** The present window. A clock that jumps back does not reopen the previous one. */
  current(period: Period): TimeWindow;
  /** The window of a time. */
  at(period: Period, atMs: number): TimeWindow;
  /** The windows of another zone from now on. Throws RangeError for one that does not exist. */
  changeZone(timeZone: string): void;
}

/** A date in the zone, the month from 0. */
interface LocalDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** The local time of a zone, as if it were UTC. */
function wallClock(timeZone: string): (atMs: number) => number {
  const form = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric" },
    ...{ hour: "numeric", minute: "numeric", second: "numeric" },
  });
  return (atMs) => {
    const parts = Object.fromEntries(form.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second);
  };
}

const firstDays: {
  readonly [period in Exclude<Period, "total">]: (date: LocalDate) => readonly [LocalDate, LocalDate];
} = {
  day: (date) => [date, { ...date, day: date.day + 1 }],
  week({ year, month, day }) {
    const sinceMonday = (new Date(Date.UTC(year, month, day)).getUTCDay() + 6) % 7;
    const monday = day - sinceMonday;
    return [
      { year, month, day: monday },
      { year, month, day: monday + 7 },
    ];
  },
  month: ({ year, month }) => [
    { year, month, day: 1 },
    { year, month: month + 1, day: 1 },
  ],
};

const allTime: TimeWindow = { fromMs: 0, untilMs: Number.MAX_SAFE_INTEGER };

/** Throws RangeError for an unknown zone. */
export function createWindows(timeZone: string, nowMs: () => number): Windows {
  let wallMs = wallClock(timeZone);
  /** The moment at which a day starts. A second step is needed if the offset changed in between. */
  const startOf = ({ year, month, day }: LocalDate): number => {
    const wanted = Date.UTC(year, month, day);
    const first = wanted - (wallMs(wanted) - wanted);
    return wanted - (wallMs(first) - first);
  };
  const at = (period: Period, atMs: number): TimeWindow => {
    if (period === "total") return allTime;
    const wall = new Date(wallMs(atMs));
    const date = { year: wall.getUTCFullYear(), month: wall.getUTCMonth(), day: wall.getUTCDate() };
    const [from, until] = firstDays[period](date);
    return { fromMs: startOf(from), untilMs: startOf(until) };
  };
  const latest = new Map<Period, TimeWindow>();
  return {
    at,
    changeZone(next) {
      wallMs = wallClock(next);
      latest.clear();
    },
    current(period) {
      const known = latest.get(period);
      const timeMs = nowMs();
      if (known !== undefined && timeMs < known.untilMs) return known;
      const window = at(period, timeMs);
      latest.set(period, window);
      return window;
    },
  };
}
