// What a choice among 50 candidates costs, by strategy: a million times each, with the memory before and after.
import { candidate, plainRequest, routeOf, seeded, testRouter } from "../test/support/routing.ts";

const choices = Number(process.argv[2] ?? 1_000_000);
const count = 50;
const bound = 3;

const strategies = ["ordered", "weighted", "least_busy", "fastest", "cheapest"] as const;
const tiers = Number(process.argv[3] ?? 3);
const candidates = Array.from({ length: count }, (_, at) =>
  candidate(`model-${at}`, { tier: 1 + (at % tiers), weight: 1 + (at % 5), supports: { maxInputTokens: 1_000_000 } }),
);
const costs = Object.fromEntries(candidates.map(({ model }, at) => [model, 1_000 + ((at * 37) % 50)]));
const needs = { images: false, tools: true, jsonSchema: false, inputTokens: 500, outputTokens: 100 };
const request = { ...plainRequest, size: { isStream: true, needs: () => needs } };

const megabytes = (): number => {
  Bun.gc(true);
  return process.memoryUsage().heapUsed / 1024 / 1024;
};

let isOver = false;
for (const strategy of strategies) {
  const router = testRouter(seeded(7), {}, costs);
  const route = routeOf(candidates, { strategy, ...(strategy === "fastest" ? { explorationShare: 0.05 } : {}) });
  const run = (times: number): void => {
    for (let at = 0; at < times; at++) router.choose(candidates, route, request);
  };
  run(20_000);
  const before = megabytes();
  const startedMs = performance.now();
  run(choices);
  const micros = ((performance.now() - startedMs) * 1_000) / choices;
  const growth = megabytes() - before;
  isOver ||= micros > bound || growth > 5;
  console.log(
    `${strategy.padEnd(10)} ${micros.toFixed(2)} µs each, heap ${growth.toFixed(1)} MB more after ${choices}`,
  );
}
if (isOver) {
  console.error(`More than ${bound} µs, or a heap that grows.`);
  process.exitCode = 1;
}
