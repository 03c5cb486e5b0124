// Windows of budgets: midnight of the operator's zone, also where the clocks change, and never opened again.
import { expect, test } from "bun:test";
import { createBudgetWindows } from "../../src/gateway/policy/budget-windows.ts";
import { callerOf } from "../../src/gateway/policy/caller.ts";
import { createMemoryCounters } from "../../src/gateway/policy/counters.ts";
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

const dollar = 1_000_000_000n;

/** `spentSince` is what the ledger says of every level. */
function budgetWindows(nowMs: () => number, spentSince: (sinceMs: number) => bigint) {
  const counters = createMemoryCounters();
  const own = createBudgetWindows({
    counters,
    windows: createWindows("UTC", nowMs),
    prices: () => {
      throw new Error("not asked");
    },
    clock: { nowMs, monotonicMs: nowMs },
    limits: { reserveOutputTokens: 1, extendOutputTokens: 1 },
    events: { budgetThreshold: () => undefined },
    spent: (_level, _id, sinceMs) => spentSince(sinceMs),
  });
  return { counters, own };
}

test.each([
  ["a Monday, when the day and the week begin", "2026-11-23T10:00:00Z"],
  ["the first of a month", "2026-12-01T10:00:00Z"],
  ["a Monday that is the first of a month", "2026-06-01T10:00:00Z"],
])("budgets of several periods count each dollar once on %s", (_name, time) => {
  const nowMs = Date.parse(time);
  const { counters, own } = budgetWindows(
    () => nowMs,
    () => dollar,
  );
  const periods = ["day", "week", "month", "total"] as const;
  const rules = { budgets: periods.map((period) => ({ amount: "5", period })) };
  const parts = own.partsOf(callerOf({ keyId: "k", name: "k", rules, project: { id: "default", rules: null } }));
  const held = counters.reserve(parts.map(({ counter, limit }) => ({ counter, limit, amount: dollar })));
  if (!("reservation" in held)) throw new Error("refused");
  const amounts = () => parts.map(({ period, counter }) => ({ period, ...counters.amounts(counter) }));
  expect(amounts()).toEqual(periods.map((period) => ({ period, settled: dollar, reserved: dollar })));
  held.reservation.settle(parts.map(() => dollar / 4n));
  expect(amounts()).toEqual(periods.map((period) => ({ period, settled: dollar + dollar / 4n, reserved: 0n })));
});

test("another zone moves the windows of budgets: what was spent in the new window counts, and what is held is settled there", () => {
  const hourMs = 3_600_000;
  const noon = Date.parse("2026-05-10T12:00:00Z");
  let nowMs = noon;
  /** A dollar at 01:00 UTC, and another one at 10:00. */
  const spentAt = [noon - 11 * hourMs, noon - 2 * hourMs];
  const { counters, own } = budgetWindows(
    () => nowMs,
    (sinceMs) => dollar * BigInt(spentAt.filter((atMs) => atMs >= sinceMs).length),
  );
  const rules = { budgets: [{ amount: "5", period: "day" as const }] };
  const caller = callerOf({ keyId: "k", name: "k", rules, project: { id: "default", rules: null } });
  const only = () => {
    const [part] = own.partsOf(caller);
    if (part === undefined) throw new Error("no budget");
    return part;
  };
  const { counter, limit } = only();
  expect(counters.amounts(counter)).toEqual({ settled: 2n * dollar, reserved: 0n });
  const held = counters.reserve([{ counter, limit, amount: dollar }]);
  if (!("reservation" in held)) throw new Error("refused");
  // Settled a moment ago, and not yet in the ledger.
  const settled = counters.reserve([{ counter, limit, amount: dollar }]);
  if ("reservation" in settled) settled.reservation.settle([dollar / 4n]);
  // There the day began at 10:00 UTC.
  own.changeZone("Pacific/Kiritimati");
  expect(only().counter).toMatchObject({ fromMs: noon - 2 * hourMs, untilMs: noon + 22 * hourMs });
  expect(counters.amounts(only().counter)).toEqual({ settled: dollar + dollar / 4n, reserved: dollar });
  held.reservation.settle([dollar / 2n]);
  expect(counters.amounts(only().counter)).toEqual({ settled: dollar + (3n * dollar) / 4n, reserved: 0n });
  nowMs = noon + 22 * hourMs;
  expect(only().counter.fromMs).toBe(noon + 22 * hourMs);
  expect(counters.amounts(only().counter)).toEqual({ settled: 0n, reserved: 0n });
  counters.prune(nowMs);
  expect(counters.size()).toBe(1);
});
