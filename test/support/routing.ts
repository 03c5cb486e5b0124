// Candidates, a clock and seeded random numbers for tests of the router.
import type { ErrorKind } from "../../src/canonical/error.ts";
import { GatewayError } from "../../src/canonical/error.ts";
import { defaultLimits } from "../../src/config/limits.ts";
import type { Candidate, Route } from "../../src/gateway/routing/catalog.ts";
import { createRouter, type RoutedRequest, type Router } from "../../src/gateway/routing/router.ts";

/** Numbers from 0 to 1 that are the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A candidate of a provider of its own, unless another one is named. */
export function candidate(model: string, more: Partial<Candidate> = {}, provider = model): Candidate {
  const entry = { name: provider, options: {} };
  return {
    provider: {
      entry,
      kind: { name: "compatible" },
      dispatch: { form: "canonical" },
    } as unknown as Candidate["provider"],
    model,
    ...more,
  };
}

export const routeOf = (candidates: readonly Candidate[], more: Partial<Route> = {}): Route => ({
  ...{ name: "route", candidates },
  ...more,
});

export interface TestRouter extends Router {
  /** Moves the clock. */
  pass(ms: number): void;
  /** What was reported, in order. */
  readonly reported: string[];
  /** One attempt that fails. */
  fails(candidate: Candidate, kind?: ErrorKind, retryAfterMs?: number): void;
  /** One attempt that answers, after so long. */
  answers(candidate: Candidate, tookMs?: number): void;
  /** The models in the order in which a request asks them. */
  order(route: Route, request?: Partial<RoutedRequest>): string[];
}

export const plainRequest: RoutedRequest = {
  session: null,
  caller: { project: "default" },
  size: { isStream: false },
  content: () => {
    throw new Error("the content was not needed");
  },
};

/** `costs` by model, in nano-dollars. */
export function testRouter(
  random: () => number = seeded(1),
  limits: Partial<typeof defaultLimits> = {},
  costs: Readonly<Record<string, number>> = {},
): TestRouter {
  let nowMs = 1_000;
  const reported: string[] = [];
  const router = createRouter({
    clock: { monotonicMs: () => nowMs, nowMs: () => nowMs },
    limits: { ...defaultLimits, ...limits },
    events: {
      candidateUnusable: ({ provider }) => void reported.push(`${provider} unusable`),
      candidateUsable: ({ provider }) => void reported.push(`${provider} usable`),
      upstreamChanged: ({ provider, model, change }) => void reported.push(`${provider}/${model ?? "*"} ${change}`),
    },
    prices: () =>
      ({
        costVersion: "1",
        of: ({ model }: { model: string }) => ({
          costNanoDollars: costs[model] === undefined ? null : BigInt(costs[model]),
        }),
      }) as never,
    random,
    providerLimits: { overLimit: () => null, waitMs: () => 0 },
  });
  const { health } = router;
  const choose = router.choose.bind(router);
  return {
    health,
    random,
    choose,
    preview: router.preview.bind(router),
    answered: router.answered.bind(router),
    reported,
    pass(ms) {
      nowMs += ms;
    },
    fails(each, kind = "upstream_failed", retryAfterMs) {
      const error = new GatewayError(kind, "failed", retryAfterMs === undefined ? {} : { retryAfterMs });
      health.failed(each, health.begin(each), error);
    },
    answers(each, tookMs = 1) {
      const begunMs = health.begin(each);
      nowMs += tookMs;
      health.answered(each, begunMs, false);
      health.release(each);
    },
    order: (route, request = {}) =>
      choose(route.candidates, route, { ...plainRequest, ...request }).candidates.map(({ model }) => model),
  };
}
