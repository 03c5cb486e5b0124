// The memory of dialects that served a model: per request with and without tools, bounded, and forgotten in time.
import { expect, test } from "bun:test";
import { openaiChat, openaiResponses } from "../../src/dialects/index.ts";
import type { Candidate } from "../../src/gateway/routing/catalog.ts";
import { createPreferredDialects } from "../../src/gateway/routing/preferred-dialects.ts";
import { plainAsk } from "../support/sample-requests.ts";

const candidate = (model: string) => ({ provider: { entry: { name: "mine" } }, model }) as Candidate;
const withTools = { ...plainAsk, tools: [{ kind: "function", name: "f" }] } as const;

function memory(maxPreferredDialects: number) {
  const time = { nowMs: 0 };
  const clock = { nowMs: () => time.nowMs, monotonicMs: () => time.nowMs };
  return { time, preferred: createPreferredDialects(clock, { maxPreferredDialects, preferredDialectMs: 1000 }) };
}

test("what is remembered holds for like requests, until it is forgotten", () => {
  const { time, preferred } = memory(10);
  preferred.remember(candidate("a"), withTools, openaiResponses);
  expect(preferred.of(candidate("a"), withTools)).toBe(openaiResponses);
  expect(preferred.of(candidate("a"), plainAsk)).toBeUndefined();
  expect(preferred.of(candidate("b"), withTools)).toBeUndefined();
  time.nowMs = 1000;
  expect(preferred.of(candidate("a"), withTools)).toBeUndefined();
});

test("the oldest goes first", () => {
  const { preferred } = memory(2);
  for (const model of ["a", "b", "a", "c"]) preferred.remember(candidate(model), plainAsk, openaiChat);
  expect(["a", "b", "c"].filter((model) => preferred.of(candidate(model), plainAsk))).toEqual(["a", "c"]);
});
