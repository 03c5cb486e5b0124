// Rates: each level has its own, all that apply are checked, all or none is taken, and what was reserved becomes what it was.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { GatewayError } from "../../src/canonical/error.ts";
import { zeroUsage } from "../../src/canonical/usage.ts";
import { videoSize } from "../../src/gateway/pipeline/request-size.ts";
import { callerOf } from "../../src/gateway/policy/caller.ts";
import type { ResolvedIntent } from "../../src/gateway/policy/policy.ts";
import { createRates, durationText } from "../../src/gateway/policy/rates.ts";
import type { RateLimits } from "../../src/gateway/policy/rules.ts";
import { settlement } from "../ledger/samples.ts";

const video = { operation: "video", model: "", images: [], n: 1, metadata: {} } as const;

const callerWith = (limits: RateLimits, project: RateLimits | null = null, keyId = "key") =>
  callerOf({
    ...{ keyId, name: keyId, rules: { limits } },
    project: { id: "project", rules: project === null ? null : { limits: project } },
  });

interface Wanted {
  input?: number;
  output?: number | null;
  operation?: ResolvedIntent["operation"];
}

const intentOf = (
  caller: ResolvedIntent["caller"],
  { input = 0, output = 0, operation = "chat" }: Wanted = {},
): ResolvedIntent => ({
  ...{ id: "id", caller, operation, model: "model", candidates: [] },
  size: { ...videoSize(video), inputBound: () => input, outputBound: () => output, units: () => [] },
  content: () => {
    throw new Error("nothing looks into the content");
  },
});

function setting() {
  let nowMs = 1_000_000;
  const rates = createRates({ monotonicMs: () => nowMs }, { reserveOutputTokens: 16_384 });
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { rates, pass };
}

function refusal(work: () => unknown): GatewayError {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown;
    throw thrown;
  }
  throw new Error("nothing was refused");
}

const used = (inputTokens: number, outputTokens: number, cacheReadTokens = 0) =>
  settlement({ usage: { ...zeroUsage, inputTokens, outputTokens, cacheReadTokens }, charged: true });

test("a minute's requests pass at once, the next one waits for its share of the minute", () => {
  const { rates, pass } = setting();
  const caller = callerWith({ requests_per_minute: 6 });
  for (let count = 0; count < 6; count++) rates.admit?.(intentOf(caller));
  const refused = refusal(() => rates.admit?.(intentOf(caller)));
  expect([refused.kind, refused.status, refused.retryAfterMs]).toEqual(["rate_limit_exceeded", 429, 10_000]);
  expect(refused.message).toBe("Rate limit of this key exceeded: 6 requests per minute. Try again in 10s.");
  pass(9_999);
  expect(() => rates.admit?.(intentOf(caller))).toThrow("Rate limit");
  pass(1);
  rates.admit?.(intentOf(caller));
  expect(() => rates.admit?.(intentOf(caller))).toThrow("Rate limit");
});

test("the tightest level wins, and a refused request takes nothing of the others", () => {
  const { rates } = setting();
  const project = { requests_per_minute: 3 };
  const [one, other] = [callerWith({ requests_per_minute: 2 }, project, "one"), callerWith({}, project, "other")];
  rates.admit?.(intentOf(one));
  rates.admit?.(intentOf(one));
  expect(refusal(() => rates.admit?.(intentOf(one))).message).toContain("this key");
  expect(rates.status(one)?.requests).toMatchObject({ limit: 2, remaining: 0 });
  expect(rates.status(other)?.requests).toMatchObject({ limit: 3, remaining: 1 });
  rates.admit?.(intentOf(other));
  expect(refusal(() => rates.admit?.(intentOf(other))).message).toContain("this project");
  expect(rates.status(other)?.requests).toMatchObject({ limit: 3, remaining: 0 });
});

test("tokens are reserved by their bounds and settled to what was used; cached input is free", () => {
  const { rates } = setting();
  const caller = callerWith({ tokens_per_minute: 1_000 });
  const first = rates.admit?.(intentOf(caller, { input: 100, output: 700 }));
  expect(rates.status(caller)?.tokens?.remaining).toBe(200);
  expect(refusal(() => rates.admit?.(intentOf(caller, { input: 300 }))).message).toContain("1000 tokens per minute");
  first?.settle?.(used(50, 50, 5_000));
  first?.release?.();
  expect(rates.status(caller)?.tokens?.remaining).toBe(900);
});

test("a request that asks for more than a minute's tokens passes when nothing else was used, and what it used is a debt", () => {
  const { rates, pass } = setting();
  const caller = callerWith({ tokens_per_minute: 1_000 });
  const large = rates.admit?.(intentOf(caller, { input: 500, output: 32_000 }));
  large?.settle?.(used(500, 2_500));
  large?.release?.();
  expect(rates.status(caller)?.tokens?.remaining).toBe(0);
  pass(120_000);
  expect(rates.status(caller)?.tokens?.remaining).toBe(0);
  pass(60_000);
  expect(rates.status(caller)?.tokens?.remaining).toBe(1_000);
});

test("what is released without a settlement, or is refused by a later policy, gives its tokens back", () => {
  const { rates } = setting();
  const caller = callerWith({ tokens_per_minute: 1_000, requests_per_minute: 10, concurrent_requests: 1 });
  rates.admit?.(intentOf(caller, { input: 600 }))?.release?.();
  expect(rates.status(caller)).toMatchObject({ requests: { remaining: 9 }, tokens: { remaining: 1_000 } });
  rates.admit?.(intentOf(caller, { input: 600 }))?.cancel?.();
  expect(rates.status(caller)).toMatchObject({ requests: { remaining: 9 }, tokens: { remaining: 1_000 } });
});

test("requests in progress are counted on each level, until they are released", () => {
  const { rates } = setting();
  const project = { concurrent_requests: 2 };
  const held = rates.admit?.(intentOf(callerWith({ concurrent_requests: 1 }, project, "one")));
  const refused = refusal(() => rates.admit?.(intentOf(callerWith({ concurrent_requests: 1 }, project, "one"))));
  expect([refused.kind, refused.message]).toEqual([
    "concurrency_limit_exceeded",
    "Concurrency limit of this key exceeded: 1 requests in progress.",
  ]);
  rates.admit?.(intentOf(callerWith({}, project, "other")));
  expect(refusal(() => rates.admit?.(intentOf(callerWith({}, project, "other")))).message).toContain("this project");
  held?.settle?.(used(1, 1));
  held?.release?.();
  rates.admit?.(intentOf(callerWith({ concurrent_requests: 1 }, project, "one")));
});

test("token counts and polls have a rate of their own", () => {
  const { rates } = setting();
  const caller = callerWith({ requests_per_minute: 1, polls_per_minute: 2 });
  rates.admit?.(intentOf(caller, { operation: "count" }));
  rates.poll(caller);
  expect(refusal(() => rates.poll(caller)).message).toContain("2 polls per minute");
  rates.admit?.(intentOf(caller));
});

test("a limit of 0 lets nothing pass", () => {
  const { rates } = setting();
  const refused = refusal(() => rates.admit?.(intentOf(callerWith({ requests_per_minute: 0 }))));
  expect(refused.retryAfterMs).toBe(60_000);
});

test("levels that are idle are forgotten", () => {
  const { rates, pass } = setting();
  for (let key = 0; key < 1_000; key++)
    rates.admit?.(intentOf(callerWith({ requests_per_minute: 5 }, null, `${key}`)))?.release?.();
  expect(rates.size()).toBe(1_000);
  pass(60_000);
  for (let key = 0; key < 100; key++)
    rates.admit?.(intentOf(callerWith({ requests_per_minute: 5 }, null, `new ${key}`)))?.release?.();
  expect(rates.size()).toBeLessThan(120);
});

describe("in any order", () => {
  const limit = 120;
  const steps = fc.array(
    fc.record({ waitMs: fc.nat(20_000), amount: fc.nat(60), actual: fc.nat(60), ends: fc.boolean() }),
    { maxLength: 30 },
  );

  test("no window of time has more than a minute's amount beyond its own, and nothing is refused that fits", () => {
    fc.assert(
      fc.property(steps, (given) => {
        const { rates, pass } = setting();
        const caller = callerWith({ tokens_per_minute: limit });
        let left = limit;
        for (const { waitMs, amount } of given) {
          pass(waitMs);
          left = Math.min(limit, left + (waitMs / 60_000) * limit);
          const isAllowed = amount <= left + 1e-6;
          if (isAllowed) {
            rates.admit?.(intentOf(caller, { input: amount }));
            left -= amount;
          } else expect(() => rates.admit?.(intentOf(caller, { input: amount }))).toThrow("Rate limit");
        }
      }),
      { numRuns: 10_000 },
    );
  });

  test("what is settled is what counts", () => {
    fc.assert(
      fc.property(steps, (given) => {
        const { rates } = setting();
        const caller = callerWith({ tokens_per_minute: 1_000_000 });
        let sum = 0;
        for (const { amount, actual, ends } of given) {
          const held = rates.admit?.(intentOf(caller, { input: amount }));
          if (ends) held?.settle?.(used(actual, 0));
          held?.release?.();
          if (ends) sum += actual;
        }
        expect(rates.status(caller)?.tokens?.remaining).toBe(1_000_000 - sum);
      }),
      { numRuns: 10_000 },
    );
  });
});

test("waits are written as OpenAI writes them", () => {
  expect([0, 20, 999.2, 1_000, 1_250, 60_000, 360_500].map(durationText)).toEqual([
    ...["0ms", "20ms", "1s", "1s", "1.25s", "1m0s", "6m0.5s"],
  ]);
});
