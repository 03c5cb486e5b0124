// Requests that wait for admission: keys in turn, priorities first, in order within a key, until their time is up or their client leaves.
import { describe, expect, test } from "bun:test";
import { GatewayError } from "../../src/canonical/error.ts";
import type { Priority } from "../../src/gateway/policy/rules.ts";
import { createWaiting, type Waiting } from "../../src/gateway/policy/waiting.ts";

const full = (): GatewayError => new GatewayError("concurrency_limit_exceeded", "too many");

/** A queue whose ticks and clock the test moves, in front of so many places. */
function place(places = 0) {
  let nowMs = 0;
  const looks = new Set<() => void>();
  const ticker = {
    tickMs: 25,
    subscribe: (look: () => void) => void looks.add(look),
    unsubscribe: (look: () => void) => void looks.delete(look),
  };
  const waiting: Waiting = createWaiting({ monotonicMs: () => nowMs }, ticker);
  const admitted: string[] = [];
  let free = places;
  const ask = (
    name: string,
    { key = name, priority = "normal" as Priority, signal = new AbortController().signal } = {},
  ) =>
    waiting.wait(
      {
        route: "smart",
        rule: { maxWaiting: 10, maxWaitMs: 1_000 },
        keyId: key,
        priority,
        signal,
        admit() {
          if (free === 0) throw full();
          free--;
          admitted.push(name);
          return name;
        },
      },
      full(),
    );
  return {
    ask,
    admitted,
    waiting,
    isTicking: () => looks.size > 0,
    tick(freed = 0, ms = 25) {
      free += freed;
      nowMs += ms;
      for (const look of looks) look();
    },
  };
}

const outcomeOf = (requested: Promise<unknown>) => requested.then(String, (error: GatewayError) => error.kind);

describe("the order", () => {
  test("is that of arrival within a key, and in turn between keys", async () => {
    const { ask, admitted, tick } = place();
    const requested = ["a1", "a2", "a3", "b1", "b2", "c1"].map((name) => ask(name, { key: name.slice(0, 1) }));
    tick(4);
    expect(admitted).toEqual(["a1", "b1", "c1", "a2"]);
    tick(2);
    expect(admitted.slice(4)).toEqual(["b2", "a3"]);
    expect(await Promise.all(requested)).toEqual(["a1", "a2", "a3", "b1", "b2", "c1"]);
  });

  test("puts higher priorities first", async () => {
    const { ask, admitted, tick } = place();
    const requested = [ask("slow", { priority: "low" }), ask("usual"), ask("urgent", { priority: "high" })];
    for (let n = 0; n < 3; n++) tick(1);
    await Promise.all(requested);
    expect(admitted).toEqual(["urgent", "usual", "slow"]);
  });
});

describe("the end of waiting", () => {
  test("comes with the last refusal when the time is up", async () => {
    const { ask, tick, isTicking } = place();
    const requested = outcomeOf(ask("a"));
    tick(0, 999);
    tick(0, 1);
    expect(await requested).toBe("concurrency_limit_exceeded");
    expect(isTicking()).toBe(false);
  });

  test("comes with a client that leaves, who takes no place", async () => {
    const { ask, admitted, tick } = place();
    const leaving = new AbortController();
    const left = outcomeOf(ask("a", { signal: leaving.signal }));
    const stays = ask("b");
    leaving.abort();
    tick(1);
    expect([await left, await stays]).toEqual(["client_closed", "b"]);
    expect(admitted).toEqual(["b"]);
  });

  test("comes at once for another kind of refusal", async () => {
    const { waiting, tick } = place();
    const spent = (): never => {
      throw new GatewayError("insufficient_quota", "The budget is spent.");
    };
    const rule = { maxWaiting: 1, maxWaitMs: 1_000 };
    const refused = { route: "r", rule, keyId: "k", priority: "normal", admit: spent } as const;
    const requested = outcomeOf(waiting.wait({ ...refused, signal: new AbortController().signal }, full()));
    tick();
    expect(await requested).toBe("insufficient_quota");
  });

  test("does not begin where as many wait as may", async () => {
    const { ask, waiting, tick } = place();
    const requested = Array.from({ length: 10 }, (_, n) => ask(`a${n}`));
    expect(() => ask("one more")).toThrow("too many");
    expect(waiting.waiting()).toBe(10);
    tick(10);
    await Promise.all(requested);
    expect([waiting.waiting(), waiting.isQueued("smart")]).toEqual([0, false]);
  });
});
