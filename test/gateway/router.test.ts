// The order of candidates: tiers, strategies, what a request needs, the state of upstreams, and where its conversation was.
import { describe, expect, test } from "bun:test";
import type { Candidate } from "../../src/gateway/routing/catalog.ts";
import { candidate, plainRequest, routeOf, seeded, testRouter } from "../support/routing.ts";

const [a, b, c] = [candidate("a"), candidate("b"), candidate("c")] as [Candidate, Candidate, Candidate];
const all = [a, b, c];

/** How often each model comes first. */
function shares(times: number, first: () => string | undefined): Record<string, number> {
  const counts: Record<string, number> = {};
  for (let at = 0; at < times; at++) {
    const model = first() ?? "none";
    counts[model] = (counts[model] ?? 0) + 1;
  }
  return counts;
}

describe("a healthy route without settings", () => {
  test("is asked in its own order, as the same list", () => {
    const router = testRouter();
    expect(router.choose(all, routeOf(all), plainRequest).candidates).toBe(all);
  });
});

describe("strategies", () => {
  test("tiers come before everything else", () => {
    const tiered = [candidate("late", { tier: 2, weight: 1_000 }), candidate("early", { tier: 1 })];
    for (const strategy of ["ordered", "weighted", "least_busy", "fastest", "cheapest"] as const)
      expect(testRouter().order(routeOf(tiered, { strategy }))).toEqual(["early", "late"]);
  });

  test("weighted gives each its share", () => {
    const router = testRouter(seeded(3));
    const route = routeOf([candidate("x", { weight: 3 }), candidate("y", { weight: 1 })], { strategy: "weighted" });
    const { x = 0 } = shares(10_000, () => router.order(route)[0]);
    expect(x / 10_000).toBeGreaterThan(0.73);
    expect(x / 10_000).toBeLessThan(0.77);
  });

  test("least_busy takes the one with the fewest requests for its weight", () => {
    const router = testRouter();
    const big = candidate("big", { weight: 10 });
    const route = routeOf([a, big], { strategy: "least_busy" });
    router.order(route);
    for (let at = 0; at < 5; at++) router.health.begin(big);
    router.health.begin(a);
    expect(router.order(route)).toEqual(["big", "a"]);
    router.health.release(a);
    expect(router.order(route)).toEqual(["a", "big"]);
  });

  test("fastest takes the one that answered fastest, and measures the others now and then", () => {
    const router = testRouter(seeded(5));
    const route = routeOf(all, { strategy: "fastest", explorationShare: 0.1 });
    router.order(route);
    router.answers(a, 50);
    router.answers(b, 20);
    router.answers(c, 90);
    const first = shares(2_000, () => router.order(route)[0]);
    expect(first["b"]).toBeGreaterThan(1_800);
    expect(first["a"]).toBeGreaterThan(20);
    expect(first["c"]).toBeGreaterThan(20);
  });

  test("cheapest goes by cost, and an unknown cost is last", () => {
    const router = testRouter(seeded(1), {}, { b: 10, c: 20 });
    expect(router.order(routeOf(all, { strategy: "cheapest" }))).toEqual(["b", "c", "a"]);
  });

  test("more candidates than are chosen are all in the order, each once", () => {
    const many = Array.from({ length: 20 }, (_, at) => candidate(`m${at}`, { tier: 1 + (at % 2) }));
    const order = testRouter().order(routeOf(many, { strategy: "weighted" }));
    expect([...order].sort()).toEqual(many.map(({ model }) => model).sort());
    expect(order.slice(0, 10).every((model) => Number(model.slice(1)) % 2 === 0)).toBe(true);
  });
});

describe("what a request needs", () => {
  const needs = { images: true, tools: false, jsonSchema: false, inputTokens: 900, outputTokens: 0 };
  const asks = (changes: object) => ({ size: { isStream: false, needs: () => ({ ...needs, ...changes }) } });
  const blind = candidate("blind", { supports: { images: false } });
  const short = candidate("short", { supports: { maxInputTokens: 500 } });

  test("a candidate that cannot serve it is not asked", () => {
    const router = testRouter();
    const route = routeOf([blind, short, a]);
    expect(router.order(route, asks({}))).toEqual(["a"]);
    expect(router.order(route, asks({ images: false }))).toEqual(["blind", "a"]);
    expect(router.order(route, asks({ inputTokens: 10 }))).toEqual(["short", "a"]);
    expect(router.choose(route.candidates, route, { ...plainRequest, ...asks({}) }).passedOver).toEqual([
      { provider: "blind", upstreamModel: "blind", reason: "lacks_images" },
      { provider: "short", upstreamModel: "short", reason: "context_too_short" },
    ]);
  });

  test("where none can, the error says what is missing", () => {
    const router = testRouter();
    expect(() => router.order(routeOf([blind]), asks({}))).toThrow("No model of this route supports images.");
    expect(() => router.order(routeOf([short]), asks({ images: false }))).toThrow("longer than the context");
  });

  test("a request that is too long goes to the fallback for it", () => {
    const long = candidate("long", { after: "context_length" });
    expect(testRouter().order(routeOf([short, long]), asks({ images: false }))).toEqual(["long"]);
  });
});

describe("ill upstreams", () => {
  test("come last after failures in a row, and get one request when their time is over", () => {
    const router = testRouter();
    const route = routeOf([a, b]);
    router.order(route);
    for (let at = 0; at < 5; at++) router.fails(a);
    expect(router.reported).toEqual(["a/a breaker_opened"]);
    expect(router.order(route)).toEqual(["b", "a"]);
    router.pass(5_000);
    expect(router.order(route)).toEqual(["a", "b"]);
    expect(router.order(route)).toEqual(["b", "a"]);
    router.answers(a);
    expect(router.order(route)).toEqual(["a", "b"]);
    expect(router.reported.at(-1)).toBe("a/a recovered");
    expect(router.health.isQuiet).toBe(true);
  });

  test("are left for longer each time, up to a bound", () => {
    const router = testRouter();
    const route = routeOf([a, b]);
    router.order(route);
    for (let at = 0; at < 5; at++) router.fails(a);
    for (const waitMs of [5_000, 10_000, 20_000, 25_000, 25_000]) {
      router.pass(waitMs - 1);
      expect(router.order(route)[0]).toBe("b");
      router.pass(1);
      expect(router.order(route)[0]).toBe("a");
      router.fails(a);
    }
  });

  test("a high rate of failures is enough", () => {
    const router = testRouter();
    const route = routeOf([a, b]);
    router.order(route);
    for (let at = 0; at < 10; at++) {
      router.answers(a);
      router.fails(a);
    }
    expect(router.order(route)[0]).toBe("b");
  });

  test("a rate limit is the credential's: its models wait, the same model elsewhere does not", () => {
    const router = testRouter();
    const [one, two, elsewhere] = [candidate("m", {}, "p"), candidate("n", {}, "p"), candidate("m", {}, "q")] as [
      Candidate,
      Candidate,
      Candidate,
    ];
    const sameEntry = { ...two, provider: one.provider };
    const route = routeOf([one, sameEntry, elsewhere]);
    const providers = () =>
      router.choose(route.candidates, route, plainRequest).candidates.map(({ provider }) => provider.entry.name);
    providers();
    router.fails(one, "upstream_rate_limited", 3_000);
    expect(providers()).toEqual(["q", "p", "p"]);
    router.pass(3_001);
    expect(providers()).toEqual(["p", "p", "q"]);
  });

  test.each(["client_closed", "overloaded", "internal_error", "upstream_rejected"] as const)(
    "%s is no fault of the upstream",
    (kind) => {
      const router = testRouter();
      const route = routeOf([a, b]);
      router.order(route);
      for (let at = 0; at < 50; at++) router.fails(a, kind);
      expect(router.order(route)).toEqual(["a", "b"]);
    },
  );

  test("the only candidate is asked all the same", () => {
    const router = testRouter();
    const route = routeOf([a]);
    router.order(route);
    for (let at = 0; at < 50; at++) router.fails(a);
    expect(router.order(route)).toEqual(["a"]);
  });

  test("an ill tier comes behind a healthy later one", () => {
    const router = testRouter();
    const spare = candidate("spare", { tier: 2 });
    const route = routeOf([a, spare], { strategy: "weighted" });
    router.order(route);
    for (let at = 0; at < 5; at++) router.fails(a);
    expect(router.order(route)).toEqual(["spare", "a"]);
  });
});

describe("affinity", () => {
  const route = routeOf(all, { strategy: "weighted", affinityMs: 60_000 });
  const session = (name: string, project = "default") => ({ session: name, caller: { project } });

  function answeredAt(router: ReturnType<typeof testRouter>, where: Candidate, name: string): void {
    const { affinity } = router.choose(all, route, { ...plainRequest, ...session(name) });
    if (affinity === null) throw new Error("there is no affinity");
    router.answered(affinity, where);
  }

  test("a conversation stays where it was answered, until its time is over", () => {
    const router = testRouter();
    answeredAt(router, c, "s1");
    expect(shares(50, () => router.order(route, session("s1"))[0])).toEqual({ c: 50 });
    expect(Object.keys(shares(50, () => router.order(route, session("s1", "other"))[0])).length).toBeGreaterThan(1);
    router.pass(60_001);
    expect(Object.keys(shares(50, () => router.order(route, session("s1"))[0])).length).toBeGreaterThan(1);
  });

  test("it lets go while that place is ill", () => {
    const router = testRouter();
    answeredAt(router, c, "s1");
    for (let at = 0; at < 5; at++) router.fails(c);
    expect(shares(50, () => router.order(route, session("s1"))[0])["c"]).toBeUndefined();
  });
});

test("credentials of one provider share its place by weight", () => {
  const router = testRouter(seeded(9));
  const [one, two] = ["one", "two"].map((credentialName, at) => {
    const made = candidate("m", {}, "p");
    const entry = { ...made.provider.entry, credentialName, credentialWeight: at === 0 ? 3 : 1 };
    return { ...made, provider: { ...made.provider, entry } };
  }) as [Candidate, Candidate];
  const route = routeOf([one, two, b]);
  const names = () =>
    router
      .choose(route.candidates, route, plainRequest)
      .candidates.map(({ provider }) => provider.entry.credentialName);
  expect(names().at(-1)).toBeUndefined();
  const { one: share = 0 } = shares(4_000, () => names()[0]);
  expect(share / 4_000).toBeGreaterThan(0.7);
  expect(share / 4_000).toBeLessThan(0.8);
  router.fails(one, "upstream_rate_limited", 1_000);
  expect(names()).toEqual(["two", undefined, "one"]);
});
