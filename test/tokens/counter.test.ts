// The token counter: bounded, fair, stoppable, and there again after its thread has died.
import { expect, test } from "bun:test";
import { type CountThread, createTokenCounter } from "../../src/providers/token-counter/counter.ts";
import { startTokenCounter } from "../../src/providers/token-counter/index.ts";
import type { CountOrder, SliceCount } from "../../src/providers/token-counter/slices.ts";

/** Threads that the test answers for; each text counts its characters. */
function stage() {
  const orders: { order: CountOrder; answer(): void; die(): void }[] = [];
  let started = 0;
  const start = (): CountThread => {
    started++;
    let receive: (count: SliceCount) => void = () => undefined;
    let ended: (cause: unknown) => void = () => undefined;
    return {
      post(order) {
        const plain = order.texts.reduce((sum, { text, times }) => sum + text.length * times, 0);
        orders.push({
          order,
          answer: () => receive({ plain, cjk: 0, digits: 0 }),
          die: () => ended(new Error("died")),
        });
      },
      onCount(transcribe) {
        receive = transcribe;
      },
      onEnd(transcribe) {
        ended = transcribe;
      },
      end: () => undefined,
    };
  };
  const counter = createTokenCounter({ start, maxWaitingChars: 100_000, maxChars: 50_000 });
  const count = (text: string, signal?: AbortSignal) =>
    counter.count([{ text, times: 1 }], "o200k_base", false, signal).then(({ plain }) => plain);
  return { orders, counter, count, started: () => started };
}

const words = (chars: number): string => "word ".repeat(chars / 5);

test("a short text does not wait for a long one", async () => {
  const { orders, count } = stage();
  const long = count(words(50_000));
  const short = count("short");
  const ended: string[] = [];
  void long.then(() => ended.push("long"));
  void short.then(() => ended.push("short"));
  for (let at = 0; ended.length < 2; at++) {
    orders[at]?.answer();
    await Bun.sleep(0);
  }
  expect(ended).toEqual(["short", "long"]);
  expect(
    Math.max(...orders.map(({ order }) => order.texts.reduce((sum, { text }) => sum + text.length, 0))),
  ).toBeLessThanOrEqual(16_384);
  expect([await long, await short]).toEqual([50_000, 5]);
});

test("a signal ends the wait, and nothing is kept of it", async () => {
  const { orders, counter, count } = stage();
  const leaving = new AbortController();
  const counted = count("one", leaving.signal);
  leaving.abort(new Error("gone"));
  await expect(counted).rejects.toThrow("gone");
  expect(counter.waiting()).toBe(0);
  orders[0]?.answer();
  const next = count("three");
  await Bun.sleep(0);
  orders[1]?.answer();
  expect(await next).toBe(5);
});

test("a thread that dies is replaced, and a text that two died of is given up", async () => {
  const { orders, count, counter, started } = stage();
  const counted = count("one");
  orders[0]?.die();
  orders[1]?.answer();
  expect(await counted).toBe(3);
  const deadly = count("two");
  orders[2]?.die();
  orders[3]?.die();
  await expect(deadly).rejects.toThrow("The token counter stopped.");
  const after = count("three");
  orders[4]?.answer();
  expect([await after, started(), counter.waiting()]).toEqual([5, 4, 0]);
});

test("too much at once is refused", async () => {
  const { count } = stage();
  void count(words(50_000));
  void count(words(50_000));
  await expect(count("one more")).rejects.toMatchObject({ code: "overloaded" });
});

test("the real threads count both vocabularies, runs without white space in bounded time too", async () => {
  const counter = startTokenCounter({ maxCountChars: 1_000_000, maxQueuedCountChars: 1_000_000 });
  const count = (text: string, encoding: "o200k_base" | "cl100k_base") =>
    counter.count([{ text, times: 1 }], encoding, false).then(({ plain }) => plain);
  expect(await count("Hello there, traveler.", "o200k_base")).toBe(5);
  expect(await count("你好，世界", "cl100k_base")).toBeGreaterThan(await count("你好，世界", "o200k_base"));
  expect(await count("x".repeat(200_000), "o200k_base")).toBeGreaterThan(1_000);
  counter.close();
}, 60_000);
