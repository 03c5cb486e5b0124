// The shared ticker and the deadlines that it looks at.
import { expect, test } from "bun:test";
import { deadline } from "../../src/lib/deadline.ts";
import type { SharedInterval } from "../../src/lib/shared-interval.ts";
import { createSharedInterval } from "../../src/lib/shared-interval.ts";

/** A ticker that ticks when told to, and a clock that stands where it is put. */
function byHand() {
  const looks = new Set<() => void>();
  const ticker: SharedInterval = {
    tickMs: 10,
    subscribe: (look) => void looks.add(look),
    unsubscribe: (look) => void looks.delete(look),
  };
  const watch = { nowMs: 0, ticker, clock: { monotonicMs: () => watch.nowMs } };
  const tickAt = (ms: number) => {
    watch.nowMs = ms;
    for (const look of looks) look();
  };
  return { watch, tickAt, waiting: () => looks.size };
}

test("whoever has joined is looked at, whoever has left is not", async () => {
  const ticker = createSharedInterval(1);
  const seen = Promise.withResolvers<void>();
  let left = 0;
  const leaver = () => {
    left++;
    ticker.unsubscribe(leaver);
  };
  let looks = 0;
  const stayer = () => {
    if (++looks === 3) seen.resolve();
  };
  ticker.subscribe(leaver);
  ticker.subscribe(stayer);
  await seen.promise;
  ticker.unsubscribe(stayer);
  expect([left, looks]).toEqual([1, 3]);
});

test("a ticker that nobody waits for stops, and starts again for the next", async () => {
  const ticker = createSharedInterval(1);
  for (let round = 0; round < 3; round++) {
    const seen = Promise.withResolvers<void>();
    const look = () => seen.resolve();
    ticker.subscribe(look);
    await seen.promise;
    ticker.unsubscribe(look);
  }
});

test("a deadline aborts with its reason at the first tick behind its time, not before", () => {
  const { watch, tickAt, waiting } = byHand();
  const life = deadline(
    () => new AbortController().signal,
    100,
    watch,
    () => "too late",
  );
  tickAt(99);
  expect(life.signal.aborted).toBe(false);
  tickAt(100);
  expect([life.signal.aborted, life.signal.reason, waiting()]).toEqual([true, "too late", 0]);
});

test("a deadline follows its parent at the next tick, and does not ask for it before", () => {
  const { watch, tickAt, waiting } = byHand();
  const parent = new AbortController();
  let requested = 0;
  const askFor = () => {
    requested++;
    return parent.signal;
  };
  const follower = deadline(askFor, 100, watch, () => "never");
  parent.abort("gone");
  expect([requested, follower.signal.aborted]).toEqual([0, false]);
  tickAt(1);
  expect([follower.signal.reason, waiting()]).toEqual(["gone", 0]);
});

test("released it has neither bound nor parent, and can still be aborted", () => {
  const { watch, tickAt, waiting } = byHand();
  const parent = new AbortController();
  const released = deadline(
    () => parent.signal,
    100,
    watch,
    () => "too late",
  );
  released.release();
  parent.abort("gone");
  tickAt(1_000);
  expect([waiting(), released.signal.aborted]).toEqual([0, false]);
  released.abort("enough");
  expect(released.signal.reason).toBe("enough");
});
