// Budgets and the ledger together, over restarts, jumps of the clock and the ends of windows: 10,000 seeded cases against a model of sums.
import { test } from "bun:test";
import { Life } from "./simulate.ts";

const steps = 12;

async function simulate(seed: number): Promise<void> {
  const life = new Life(seed);
  for (let step = 0; step < steps; step++) await life.step();
  await life.end();
}

test("10,000 seeded cases", async () => {
  const given = process.env["TURNPIKE_TEST_SEED"];
  const first = Number(given ?? 1);
  const cases = given === undefined ? 10_000 : 1;
  for (let seed = first; seed < first + cases; seed++)
    await simulate(seed).catch((cause: unknown) => {
      throw new Error(`Run it again with TURNPIKE_TEST_SEED=${seed}`, { cause });
    });
}, 600_000);
