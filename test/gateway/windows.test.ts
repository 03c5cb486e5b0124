// Windows of budgets: midnight of the operator's zone, also where the clocks change, and never opened again.
import { expect, test } from "bun:test";
import { createWindows, type Period } from "../../src/gateway/policy/windows.ts";

const windowIn = (zone: string, period: Period, at: string): readonly [string, string] => {
  const { fromMs, untilMs } = createWindows(zone, () => 0).at(period, Date.parse(at));
  return [new Date(fromMs).toISOString(), new Date(untilMs).toISOString()];
};

test.each([
  ["UTC", "day", "2026-11-22T15:00:00Z", "2026-11-22T00:00:00.000Z", "2026-11-23T00:00:00.000Z"],
  ["UTC", "week", "2026-11-22T23:59:59Z", "2026-11-16T00:00:00.000Z", "2026-11-23T00:00:00.000Z"],
  ["UTC", "week", "2026-11-23T00:00:00Z", "2026-11-23T00:00:00.000Z", "2026-11-30T00:00:00.000Z"],
  ["UTC", "month", "2026-12-31T23:59:59Z", "2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"],
  ["Europe/Berlin", "day", "2026-03-29T12:00:00Z", "2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z"],
  ["Europe/Berlin", "day", "2026-10-25T12:00:00Z", "2026-10-24T22:00:00.000Z", "2026-10-25T23:00:00.000Z"],
  ["Europe/Berlin", "month", "2026-10-31T23:30:00Z", "2026-10-31T23:00:00.000Z", "2026-11-30T23:00:00.000Z"],
  ["America/New_York", "day", "2026-11-01T04:30:00Z", "2026-11-01T04:00:00.000Z", "2026-11-02T05:00:00.000Z"],
  ["Asia/Kathmandu", "day", "2026-11-22T18:20:00Z", "2026-11-22T18:15:00.000Z", "2026-11-23T18:15:00.000Z"],
] as const)("%s, a %s with %s", (zone, period, at, from, until) => {
  expect(windowIn(zone, period, at)).toEqual([from, until]);
});

test("a clock that jumps back does not open the window before again", () => {
  let nowMs = Date.parse("2026-11-22T12:00:00Z");
  const windows = createWindows("UTC", () => nowMs);
  const first = windows.current("day");
  nowMs = first.untilMs;
  const second = windows.current("day");
  expect(second.fromMs).toBe(first.untilMs);
  nowMs = first.fromMs;
  expect(windows.current("day")).toEqual(second);
});

test("a zone that does not exist is an error", () => {
  expect(() => createWindows("Europe/Nowhere", () => 0)).toThrow(RangeError);
});
