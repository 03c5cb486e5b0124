// A gate lets a few through at a time, in order.
import { expect, test } from "bun:test";
import { createSemaphore } from "../../src/lib/semaphore.ts";

test("the third waits until one leaves, and nobody overtakes", async () => {
  const gate = createSemaphore(2);
  const entered: number[] = [];
  const all = [1, 2, 3, 4].map((who) => gate.acquire().then(() => entered.push(who)));
  await Promise.all(all.slice(0, 2));
  expect({ entered, count: gate.count() }).toEqual({ entered: [1, 2], count: 4 });
  gate.release();
  const late = gate.acquire().then(() => entered.push(5));
  await all[2];
  expect(entered).toEqual([1, 2, 3]);
  gate.release();
  gate.release();
  await Promise.all([...all, late]);
  expect(entered).toEqual([1, 2, 3, 4, 5]);
  gate.release();
  gate.release();
  expect(gate.count()).toBe(0);
});
