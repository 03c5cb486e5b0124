// What a reply cost: the counts of every server become the same disjoint buckets.
import { describe, expect, test } from "bun:test";
import type { Usage } from "../../../src/canonical/usage.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { wholeReply } from "./helpers.ts";

describe("usage (bug 45)", () => {
  const buckets = (
    inputTokens: number,
    cacheReadTokens: number,
    cacheWriteTokens: number,
    outputTokens: number,
    reasoningTokens: number,
  ): Usage => ({
    inputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens,
    reasoningTokens,
  });
  const details = (cached: number, written: number, reasoning: number) => ({
    prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
    completion_tokens_details: { reasoning_tokens: reasoning },
  });
  const rows: readonly (readonly [string, JsonObject, Usage | undefined])[] = [
    [
      "parts of the totals",
      { prompt_tokens: 100, completion_tokens: 30, total_tokens: 130, ...details(60, 5, 10) },
      buckets(35, 60, 5, 20, 10),
    ],
    ["no details", { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }, buckets(7, 0, 0, 3, 0)],
    [
      "more cached than prompt: beside it",
      { prompt_tokens: 10, completion_tokens: 3, ...details(60, 0, 0) },
      buckets(10, 60, 0, 3, 0),
    ],
    [
      "more thought than output: beside it",
      { prompt_tokens: 10, completion_tokens: 3, ...details(0, 0, 9) },
      buckets(10, 0, 0, 3, 9),
    ],
    [
      "thought beside output, by the total",
      { prompt_tokens: 10, completion_tokens: 30, total_tokens: 49, ...details(0, 0, 9) },
      buckets(10, 0, 0, 30, 9),
    ],
    [
      "thought in the total alone",
      { prompt_tokens: 40, completion_tokens: 12, total_tokens: 82 },
      buckets(40, 0, 0, 12, 30),
    ],
    [
      "DeepSeek's cache",
      { prompt_tokens: 10, completion_tokens: 1, prompt_cache_hit_tokens: 4, prompt_cache_miss_tokens: 6 },
      buckets(6, 4, 0, 1, 0),
    ],
    ["a negative input", { prompt_tokens: -4, completion_tokens: 3 }, undefined],
    ["an output that is a text", { prompt_tokens: 4, completion_tokens: "many" }, undefined],
    ["an absurd output", { prompt_tokens: 4, completion_tokens: 1e12 }, undefined],
    ["a negative part", { prompt_tokens: 4, completion_tokens: 3, ...details(-1, 0, 0) }, undefined],
    ["zeros", { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, undefined],
    ["the input and the total", { prompt_tokens: 4, total_tokens: 9 }, buckets(4, 0, 0, 5, 0)],
    ["only the input", { prompt_tokens: 4 }, undefined],
    ["a total alone", { total_tokens: 9 }, undefined],
    ["null", null as unknown as JsonObject, undefined],
  ];
  test.each(rows.map((row) => [...row] as const))("%s", (_name, wire, expected) => {
    expect(wholeReply({ content: "x" }, "stop", { usage: wire }).usage).toEqual(expected);
  });
});
