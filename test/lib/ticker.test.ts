// The shared ticker and the deadlines that it looks at.
import { expect, test } from "bun:test";
import { deadline } from "../../src/lib/deadline.ts";
import type { Ticker } from "../../src/lib/ticker.ts";
import { createTicker } from "../../src/lib/ticker.ts";

/** A ticker that ticks when told to, and a clock that stands where it is put. */
function byHand() {
  const looks = new Set<() => void>();
  const ticker: Ticker = { tickMs: 10, join: (look) => void looks.add(look), leave: (look) => void looks.delete(look) };
  const watch = { nowMs: 0, ticker, clock: { monotonicMs: () => watch.nowMs } };
  const tickAt = (ms: number) => {
    watch.nowMs = ms;
    for (const look of looks) look();
  };
  return { watch, tickAt, waiting: () => looks.size };
}

test("whoever has joined is looked at, whoever has left is not", async () => {
  const ticker = createTicker(1);
  const seen = Promise.withResolvers<void>();
  let left = 0;
  const leaver = () => {
    left++;
    ticker.leave(leaver);
  };
  let looks = 0;
  const stayer = () => {
    if (++looks === 3) seen.resolve();
  };
  ticker.join(leaver);
  ticker.join(stayer);
  await seen.promise;
  ticker.leave(stayer);
  expect([left, looks]).toEqual([1, 3]);
});

test("a ticker that nobody waits for stops, and starts again for the next", async () => {
  const ticker = createTicker(1);
  for (let round = 0; round < 3; round++) {
    const seen = Promise.withResolvers<void>();
    const look = () => seen.resolve();
    ticker.join(look);
    await seen.promise;
    ticker.leave(look);
  }
});

test("a deadline aborts with its reason at the first tick behind its time, not before", () => {
  const { watch, tickAt, waiting } = byHand();
  const life = deadline(new AbortController().signal, 100, watch, () => "too late");
  tickAt(99);
  expect(life.signal.aborted).toBe(false);
  tickAt(100);
  expect([life.signal.aborted, life.signal.reason, waiting()]).toEqual([true, "too late", 0]);
});

test("a deadline follows its parent, also one that has aborted already", () => {
  const { watch } = byHand();
  const parent = new AbortController();
  const follower = deadline(parent.signal, 100, watch, () => "never");
  parent.abort("gone");
  expect(follower.signal.reason).toBe("gone");
  expect(deadline(parent.signal, 100, watch, () => "never").signal.reason).toBe("gone");
});

test("disarmed it has no bound but still a parent; released it has neither", () => {
  const { watch, tickAt, waiting } = byHand();
  const parent = new AbortController();
  const disarmed = deadline(parent.signal, 100, watch, () => "too late");
  const released = deadline(parent.signal, 100, watch, () => "too late");
  disarmed.disarm();
  released.release();
  tickAt(1_000);
  expect(waiting()).toBe(0);
  parent.abort("gone");
  expect([disarmed.signal.aborted, released.signal.aborted]).toEqual([true, false]);
});
