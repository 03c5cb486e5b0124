// A gate lets a few through at a time, in order.
import { expect, test } from "bun:test";
import { createGate } from "../../src/lib/semaphore.ts";

test("the third waits until one leaves, and nobody overtakes", async () => {
  const gate = createGate(2);
  const entered: number[] = [];
  const all = [1, 2, 3, 4].map((who) => gate.enter().then(() => entered.push(who)));
  await Promise.all(all.slice(0, 2));
  expect({ entered, count: gate.count() }).toEqual({ entered: [1, 2], count: 4 });
  gate.leave();
  const late = gate.enter().then(() => entered.push(5));
  await all[2];
  expect(entered).toEqual([1, 2, 3]);
  gate.leave();
  gate.leave();
  await Promise.all([...all, late]);
  expect(entered).toEqual([1, 2, 3, 4, 5]);
  gate.leave();
  gate.leave();
  expect(gate.count()).toBe(0);
});
