// Router, breakers and retries together, on a clock of their own: 10,000 seeded cases, and a provider that is gone for a minute.
import { describe, expect, test } from "bun:test";
import { type ErrorKind, GatewayError } from "../../src/canonical/error.ts";
import { createAttemptLog } from "../../src/gateway/attempts/attempt-log.ts";
import { attemptCandidates, singleAttempt, unlessRefused } from "../../src/gateway/attempts/attempt-loop.ts";
import type { Candidate, Route } from "../../src/gateway/routing/catalog.ts";
import type { Events } from "../../src/telemetry/events.ts";
import { candidate, plainRequest, routeOf, seeded, type TestRouter, testRouter } from "../support/routing.ts";

const never = new AbortController().signal;
const events = { attemptAnswered: () => undefined, attemptFailed: () => undefined } as unknown as Events;
const maxAttempts = 3;

/** What a candidate does with an attempt at this moment: null where it answers. */
type Behaviour = (candidate: Candidate) => ErrorKind | null;

interface Outcome {
  readonly requested: Candidate[];
  readonly answeredBy: Candidate | null;
}

/** One request as the gateway makes it. */
async function request(router: TestRouter, route: Route, behaviour: Behaviour): Promise<Outcome> {
  const { candidates } = router.choose(route.candidates, route, plainRequest);
  const requested: Candidate[] = [];
  let answeredBy: Candidate | null = null;
  await attemptCandidates({
    ...{ candidates, maxAttemptsPerRequest: maxAttempts, requestedModel: route.name, signal: () => never, events },
    ...{ router, isStream: false, repeats: 0, dueMs: Number.POSITIVE_INFINITY, mayContinue: unlessRefused },
    log: createAttemptLog(() => 0, 0),
    ids: {
      ...{ id: "1", requestId: "1", stopped: null, startAttempt: () => true },
      answeredBy(each) {
        answeredBy = each;
      },
    },
    attemptsFor: (each) =>
      singleAttempt(async () => ({
        warnings: [],
        async send() {
          requested.push(each);
          const kind = behaviour(each);
          if (kind !== null) throw new GatewayError(kind, "failed");
        },
      })),
  });
  if (answeredBy !== null) router.health.release(answeredBy);
  return { requested, answeredBy };
}

const kinds: readonly ErrorKind[] = [
  ...(["upstream_failed", "upstream_unreachable", "upstream_reset", "upstream_overloaded"] as const),
  ...(["upstream_rate_limited", "upstream_credentials", "upstream_model_not_found", "upstream_rejected"] as const),
];
const strategies = ["ordered", "weighted", "least_busy", "fastest", "cheapest"] as const;

function pick<T>(all: readonly T[], random: () => number): T {
  return all[Math.floor(random() * all.length)] as T;
}

async function simulate(seed: number): Promise<void> {
  const random = seeded(seed);
  const candidates = Array.from({ length: 1 + Math.floor(random() * 5) }, (_, at) =>
    candidate(
      `m${at}`,
      { tier: 1 + Math.floor(random() * 2), weight: 1 + Math.floor(random() * 4) },
      pick(["p", "q", `r${at}`], random),
    ),
  );
  const route = routeOf(candidates, { strategy: pick(strategies, random), explorationShare: random() / 4 });
  const router = testRouter(random);
  const faults = new Map<Candidate, ErrorKind>();
  for (let step = 0; step < 24; step++) {
    router.pass(random() * 4_000);
    if (random() < 0.4) faults.set(pick(candidates, random), pick(kinds, random));
    if (random() < 0.3) faults.delete(pick(candidates, random));
    const { requested, answeredBy } = await request(router, route, (each) => faults.get(each) ?? null);
    expect(requested.length).toBeLessThanOrEqual(maxAttempts);
    expect(requested.length).toBeGreaterThan(0);
    expect(new Set(requested).size).toBe(requested.length);
    for (const each of requested) expect(faults.has(each)).toBe(each !== answeredBy);
    for (const each of candidates) expect(router.health.watch(each).inFlight).toBe(0);
  }
  // Everything is well again: within a minute the order is what it was, and nothing is remembered.
  for (let step = 0; step < candidates.length * 3; step++) {
    router.pass(300_001);
    for (const each of candidates) await request(router, { ...route, candidates: [each] }, () => null);
  }
  router.health.sweep(router.health.nowMs());
  expect(router.health.isQuiet).toBe(true);
}

test("10,000 seeded cases", async () => {
  const first = Number(process.env["TURNPIKE_TEST_SEED"] ?? 1);
  const cases = process.env["TURNPIKE_TEST_SEED"] === undefined ? 10_000 : 1;
  for (let seed = first; seed < first + cases; seed++)
    await simulate(seed).catch((cause: unknown) => {
      throw new Error(`Run it again with TURNPIKE_TEST_SEED=${seed}`, { cause });
    });
}, 600_000);

describe.each(["ordered", "weighted"] as const)(
  "a provider that is gone for a minute under 300 requests per second, %s",
  (strategy) => {
    test.each(["upstream_unreachable", "upstream_reset", "upstream_failed"] as const)(
      "%s",
      async (kind) => {
        const [dying, other] = [candidate("dying"), candidate("other")] as [Candidate, Candidate];
        const route = routeOf([dying, other], { strategy });
        const router = testRouter(seeded(11));
        const [perSecond, goneFrom, goneTo, end] = [300, 10, 70, 110];
        const seen = { requests: 0, twice: 0, lateErrors: 0, lastThirdAtDying: 0 };
        for (let at = 0; at < end * perSecond; at++) {
          const second = at / perSecond;
          const isGone = second >= goneFrom && second < goneTo;
          const { requested, answeredBy } = await request(router, route, (each) =>
            isGone && each === dying ? kind : null,
          );
          seen.requests++;
          if (requested.length > 1) seen.twice++;
          if (answeredBy === null && second >= goneFrom + 1) seen.lateErrors++;
          if (second >= 100 && answeredBy === dying) seen.lastThirdAtDying++;
          router.pass(1_000 / perSecond);
        }
        expect(seen.lateErrors).toBe(0);
        expect(seen.twice / seen.requests).toBeLessThan(0.01);
        const share = seen.lastThirdAtDying / (10 * perSecond);
        expect(share).toBeGreaterThan(strategy === "ordered" ? 0.99 : 0.45);
      },
      120_000,
    );
  },
);
