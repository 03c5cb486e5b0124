// Counters hold what their limits allow: never more, given back once, and settled to what was used.
import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  type Counter,
  type CounterReservation,
  createMemoryCounters,
  type Demand,
} from "../../src/gateway/policy/counters.ts";

const counterOf = (id: string, fromMs = 0): Counter => ({
  ...{ level: "key", id, meter: "price", fromMs },
  untilMs: fromMs + 100,
});
const limits = { a: 100n, b: 60n, c: 30n } as const;
const ids = ["a", "b", "c"] as const;
type Id = (typeof ids)[number];

const demand = (id: Id, amount: bigint): Demand => ({ counter: counterOf(id), limit: limits[id], amount });

const amount = fc.bigInt({ min: 0n, max: 50n });
const demands = fc.array(fc.tuple(fc.constantFrom(...ids), amount), { minLength: 1, maxLength: 4 });
const step = fc.oneof(
  fc.record({ kind: fc.constant("reserve" as const), demands }),
  fc.record({ kind: fc.constant("extend" as const), at: fc.nat(20), amounts: fc.array(amount, { maxLength: 4 }) }),
  fc.record({ kind: fc.constant("settle" as const), at: fc.nat(20), amounts: fc.array(amount, { maxLength: 4 }) }),
  fc.record({ kind: fc.constant("release" as const), at: fc.nat(20) }),
);

interface Held {
  readonly reservation: CounterReservation;
  readonly ids: readonly Id[];
  amounts: bigint[];
  isOver: boolean;
}

/** What each counter must be: the sums of what was settled, and of what is held. */
class Model {
  readonly held: Held[] = [];
  readonly settled = new Map<Id, bigint>();

  reserved(id: Id): bigint {
    const open = this.held.filter(({ isOver }) => !isOver);
    return open
      .flatMap((each) => each.ids.map((other, index) => (other === id ? (each.amounts[index] ?? 0n) : 0n)))
      .reduce((sum, each) => sum + each, 0n);
  }

  total(id: Id): bigint {
    return (this.settled.get(id) ?? 0n) + this.reserved(id);
  }

  /** Whether all of it fits together. */
  fits(of: readonly Id[], amounts: readonly bigint[]): boolean {
    return ids.every((id) => {
      const more = of
        .map((each, index) => (each === id ? (amounts[index] ?? 0n) : null))
        .filter((each) => each !== null);
      const sum = more.reduce((left, each) => left + each, 0n);
      return sum === 0n || this.total(id) + sum <= limits[id];
    });
  }
}

test("any order of steps leaves what is settled and what is held, and nothing is admitted above a limit", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const counters = createMemoryCounters();
      const model = new Model();
      for (const each of steps) {
        if (each.kind === "reserve") {
          const of = each.demands.map(([id]) => id);
          const amounts = each.demands.map(([, needed]) => needed);
          const isAllowed = model.fits(of, amounts);
          const result = counters.reserve(each.demands.map(([id, needed]) => demand(id, needed)));
          expect("reservation" in result).toBe(isAllowed);
          if ("reservation" in result)
            model.held.push({ reservation: result.reservation, ids: of, amounts, isOver: false });
        } else {
          const held = model.held[each.at % Math.max(1, model.held.length)];
          if (held === undefined) continue;
          if (each.kind === "extend") {
            const amounts = held.ids.map((_, index) => each.amounts[index] ?? 0n);
            const isAllowed = !held.isOver && model.fits(held.ids, amounts);
            expect(held.reservation.extend(each.amounts)).toBe(isAllowed);
            if (isAllowed) held.amounts = held.amounts.map((before, index) => before + (amounts[index] ?? 0n));
          } else if (each.kind === "settle") {
            held.reservation.settle(each.amounts);
            if (!held.isOver)
              for (const [index, id] of held.ids.entries())
                model.settled.set(id, (model.settled.get(id) ?? 0n) + (each.amounts[index] ?? 0n));
            held.isOver = true;
          } else {
            held.reservation.release();
            held.isOver = true;
          }
        }
        for (const id of ids)
          expect(counters.amounts(counterOf(id))).toEqual({
            settled: model.settled.get(id) ?? 0n,
            reserved: model.reserved(id),
          });
      }
    }),
    { numRuns: 300 },
  );
});

test("a refusal names the demand that does not fit and what is left, and holds nothing of the others", () => {
  const counters = createMemoryCounters();
  counters.load(counterOf("b"), 50n);
  expect(counters.reserve([demand("a", 40n), demand("b", 11n)])).toEqual({ refused: demand("b", 11n), left: 10n });
  expect(counters.amounts(counterOf("a"))).toEqual({ settled: 0n, reserved: 0n });
});

test("what was held before a restart is held again, above the limit too, and is settled in its own window", () => {
  const counters = createMemoryCounters();
  const resumed = counters.resume([{ counter: counterOf("c"), amount: 45n }]);
  expect(counters.reserve([demand("c", 1n)])).toMatchObject({ left: -15n });
  expect(counters.reserve([demand("c", 0n)])).toHaveProperty("reservation");
  resumed.settle([5n]);
  resumed.settle([7n]);
  resumed.release();
  expect(resumed.extend([1n])).toBe(false);
  expect(counters.amounts(counterOf("c"))).toEqual({ settled: 5n, reserved: 0n });
  expect(counters.amounts(counterOf("c", 100))).toEqual({ settled: 0n, reserved: 0n });
});

test("windows that have ended are dropped as soon as nothing of them is reserved", () => {
  const counters = createMemoryCounters();
  const result = counters.reserve([demand("a", 1n)]);
  counters.load(counterOf("b", 100), 1n);
  counters.prune(100);
  expect(counters.size()).toBe(2);
  if ("reservation" in result) result.reservation.release();
  counters.prune(100);
  expect(counters.size()).toBe(1);
  counters.prune(200);
  expect(counters.size()).toBe(0);
});

test("a negative amount is an error, and nothing is held", () => {
  const counters = createMemoryCounters();
  expect(() => counters.reserve([demand("b", 2n), demand("a", -1n)])).toThrow(RangeError);
  expect(counters.amounts(counterOf("b"))).toEqual({ settled: 0n, reserved: 0n });
});
