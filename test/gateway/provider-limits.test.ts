// Limits of the operator on providers and credentials: who is passed over, for how long, and what clients get when none is left.
import { Database } from "bun:sqlite";
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { zeroUsage } from "../../src/canonical/usage.ts";
import { spentAtProvider } from "../../src/gateway/ledger/spend.ts";
import type { LedgerSettlement } from "../../src/gateway/ledger/types.ts";
import type { ResolvedIntent } from "../../src/gateway/policy/policy.ts";
import type { Candidate } from "../../src/gateway/routing/catalog.ts";
import { createProviderLimits } from "../../src/gateway/routing/provider-limits.ts";
import type { ProviderLimits } from "../../src/providers/provider.ts";
import { says } from "../support/fixtures.ts";
import { clientKey, gateway } from "../support/gateway.ts";
import { ledgerRows } from "../support/ledger.ts";
import { candidate, seeded } from "../support/routing.ts";
import { upstream } from "../support/upstream.ts";

const dayMs = 86_400_000;

/** Limits on a clock of their own. */
function onClock(spent: () => bigint = () => 0n) {
  let nowMs = 0;
  const current = () => ({ fromMs: Math.floor(nowMs / dayMs) * dayMs, untilMs: 0 });
  const limits = createProviderLimits({
    ...{ clock: { monotonicMs: () => nowMs }, windows: { current }, spent, reserveOutputTokens: 1_000 },
  });
  const admit = (candidates: readonly Candidate[], inputTokens = 0, outputTokens = 1) => {
    const needs = () => ({ ...{ images: false, tools: false, jsonSchema: false }, inputTokens, outputTokens });
    return limits.admit({ candidates, size: { needs } } as unknown as ResolvedIntent);
  };
  const over = (each: Candidate, inputTokens = 0) =>
    limits.overLimit(each, {
      needs: () => ({ ...{ images: false, tools: false, jsonSchema: false }, inputTokens, outputTokens: 1 }),
    });
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { limits, admit, over, pass };
}

function limited(model: string, limits: ProviderLimits, credential?: readonly [string, ProviderLimits]): Candidate {
  const made = candidate(model, {}, "p");
  const own = credential && { credentialName: credential[0], credentialLimits: credential[1] };
  return { ...made, provider: { ...made.provider, entry: { ...made.provider.entry, limits, ...own } } };
}

const settled = (costNanoDollars: bigint, inputTokens = 0, credential: string | null = null): LedgerSettlement =>
  ({
    ...{ provider: "p", credential, costNanoDollars, charged: true, usage: { ...zeroUsage, inputTokens } },
  }) as unknown as LedgerSettlement;

describe("the limits themselves", () => {
  test("requests per minute refill evenly", () => {
    const { admit, over, pass } = onClock();
    const each = limited("m", { requestsPerMinute: 2 });
    for (let at = 0; at < 2; at++) admit([each])?.release?.();
    expect(over(each)).toBe("over_requests_per_minute");
    pass(30_000);
    expect(over(each)).toBeNull();
  });

  test("a request that is canceled before it is sent takes nothing", () => {
    const { admit, over } = onClock();
    const each = limited("m", { requestsPerMinute: 1, tokensPerMinute: 10, concurrentRequests: 1 });
    admit([each], 9)?.cancel?.();
    expect(over(each, 9)).toBeNull();
  });

  test("tokens are estimated first and corrected by the settlement", () => {
    const { admit, over, pass } = onClock();
    const each = limited("m", { tokensPerMinute: 1_000 });
    const reservation = admit([each], 900);
    expect(over(each, 500)).toBe("over_tokens_per_minute");
    reservation?.settle?.(settled(0n, 100));
    reservation?.release?.();
    expect(over(each, 500)).toBeNull();
    const large = admit([each], 100);
    large?.settle?.(settled(0n, 2_000));
    large?.release?.();
    expect(over(each, 1)).toBe("over_tokens_per_minute");
    pass(120_000);
    expect(over(each, 1)).toBeNull();
  });

  test("a cost per day counts what the ledger has, ends with the day, and belongs to its credential", () => {
    const { admit, over, pass } = onClock(() => 6n);
    const [one, other] = [
      limited("m", {}, ["one", { costPerDay: 10n }]),
      limited("m", {}, ["other", { costPerDay: 10n }]),
    ] as const;
    expect([over(one), over(other)]).toEqual([null, null]);
    const reservation = admit([one]);
    reservation?.settle?.(settled(5n, 0, "one"));
    expect([over(one), over(other)]).toEqual(["over_cost_per_day", null]);
    pass(dayMs);
    expect(over(one)).toBeNull();
  });

  test("attempts that failed cost too", () => {
    const { admit, over } = onClock();
    const each = limited("m", { costPerDay: 10n });
    expect(over(each)).toBeNull();
    admit([each])?.settle?.(settled(0n), [{ provider: "p", credential: null, costNanoDollars: 10n } as never]);
    expect(over(each)).toBe("over_cost_per_day");
  });

  test("the place moves with the request to the next candidate", () => {
    const { admit, over } = onClock();
    const [one, two] = [limited("m", { concurrentRequests: 1 }), candidate("free")] as const;
    const reservation = admit([one, two]);
    expect(over(one)).toBe("over_concurrent_requests");
    expect(reservation?.attempt?.(one)).toBe(true);
    expect(reservation?.attempt?.(two)).toBe(true);
    expect(over(one)).toBeNull();
    const second = admit([one, two]);
    expect(reservation?.attempt?.(one)).toBe(false);
    for (const each of [second, reservation]) each?.release?.();
    expect(over(one)).toBeNull();
  });

  test("10,000 seeded cases never exceed the concurrency, and leave nothing", () => {
    const first = Number(process.env["TURNPIKE_TEST_SEED"] ?? 1);
    for (let seed = first; seed < first + 10_000; seed++) {
      const random = seeded(seed);
      const { admit, limits, pass } = onClock();
      const all = [
        limited("a", { concurrentRequests: 3 }, ["x", { concurrentRequests: 2 }]),
        limited("a", { concurrentRequests: 3 }, ["y", { concurrentRequests: 2, requestsPerMinute: 50 }]),
        candidate("free"),
      ];
      const running = new Set<NonNullable<ReturnType<typeof admit>>>();
      const uses = () => all.flatMap(({ provider }) => limits.uses(provider.entry));
      // A few of them are long.
      for (let step = seed % 500 === 0 ? 500 : 12; step > 0; step--) {
        pass(random() * 500);
        const pick = all[Math.floor(random() * all.length)] as Candidate;
        const [some] = running;
        if (random() < 0.4) running.add(admit([pick, ...all]) as NonNullable<ReturnType<typeof admit>>);
        else if (some !== undefined && random() < 0.5) some.attempt?.(pick);
        else if (some !== undefined) {
          if (random() < 0.5) some.settle?.(settled(1n, Math.floor(random() * 100), "x"));
          if (random() < 0.2) some.cancel?.();
          else some.release?.();
          running.delete(some);
        }
        for (const { limit, most, used } of uses())
          if (limit === "concurrentRequests" && (used > most || used < 0))
            throw new Error(`${used} of ${most} requests in progress: TURNPIKE_TEST_SEED=${seed}`);
      }
      for (const each of running) each.release?.();
      for (const { limit, used } of uses()) if (limit === "concurrentRequests") expect(used).toBe(0);
    }
  });
});

const [alpha, beta] = [await upstream(), await upstream()];
const ok = says("openai-chat/text.json");
const running = await gateway({
  yaml: `providers:
  narrow: { kind: compatible, base_url: "${alpha.url}/v1", models: [m], limits: { concurrent_requests: 2 } }
  capped:
    kind: compatible
    base_url: "${alpha.url}/v1"
    models: [m]
    credentials:
      - { name: one, credential: key-one, weight: 1000000, limits: { requests_per_minute: 1 } }
      - { name: two, credential: key-two, weight: 0 }
  dear: { kind: compatible, base_url: "${alpha.url}/v1", models: [costly], limits: { cost_per_day: "0.000001" } }
  spare: { kind: compatible, base_url: "${beta.url}/v1", models: [m] }
models:
  pair: { candidates: [{ provider: narrow, model: m }, { provider: spare, model: m }] }
  alone: { candidates: [{ provider: narrow, model: m }] }
  patient: { candidates: [{ provider: narrow, model: m }], queue: { max_requests: 100, max_wait_ms: 60000 } }
  two-keys: { candidates: [{ provider: capped, model: m }] }
  daily: { candidates: [{ provider: dear, model: costly }], fallbacks: [{ route: rest }] }
  rest: { candidates: [{ provider: spare, model: m }] }
prices: { shipped: false, cost: [{ model: costly, usd: { input: 1, output: 1 } }] }
`,
});
afterAll(async () => {
  await running.stop();
  await Promise.all([alpha.stop(), beta.stop()]);
});
beforeEach(() => {
  alpha.clear();
  beta.clear();
  beta.on("*", ok);
});

async function ask(model: string) {
  const response = await fetch(`${running.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${clientKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model, max_tokens: 10, messages: [{ role: "user", content: "hi" }] }),
  });
  const body = (await response.json()) as { error?: { code: string } };
  const { headers, status } = response;
  return { status, code: body.error?.code, provider: headers.get("x-turnpike-provider"), headers };
}

/** Holds requests of the first provider until it is opened. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>();
  let now = 0;
  let most = 0;
  alpha.on("*", async (line) => {
    most = Math.max(most, ++now);
    await promise;
    now--;
    await line.play(ok);
  });
  return { open: resolve, most: () => most };
}

describe("over sockets", () => {
  test("beyond its concurrency the next candidate is asked, with the reason in the trace", async () => {
    const { open } = held();
    const first = [ask("pair"), ask("pair")];
    await alpha.seen(1);
    const third = await ask("pair");
    expect(third.provider).toBe("spare");
    const row = ledgerRows(running.dataFolder).find(({ provider }) => provider === "spare");
    expect(String(Object(row).passedOver)).toContain("over_concurrent_requests");
    open();
    expect((await Promise.all(first)).map(({ provider }) => provider)).toEqual(["narrow", "narrow"]);
    expect((await ask("pair")).provider).toBe("narrow");
  });

  test("where no other candidate is left it is a 503 with Retry-After", async () => {
    const { open } = held();
    const busy = [ask("alone"), ask("alone")];
    await alpha.seen(1);
    const refused = await ask("alone");
    expect([refused.status, refused.code, refused.headers.get("retry-after")]).toEqual([503, "overloaded", "1"]);
    open();
    await Promise.all(busy);
  });

  test("a burst waits in the queue of its route, and no more than allowed are in progress", async () => {
    let [now, most] = [0, 0];
    alpha.on("*", async (line) => {
      most = Math.max(most, ++now);
      await Bun.sleep(2);
      now--;
      await line.play(ok);
    });
    const all = await Promise.all(Array.from({ length: 40 }, () => ask("patient")));
    expect(all.filter(({ status }) => status !== 200)).toEqual([]);
    expect(most).toBe(2);
  });

  test("a credential over its requests leaves the place to the other one", async () => {
    alpha.on("*", ok);
    for (let at = 0; at < 3; at++) expect((await ask("two-keys")).status).toBe(200);
    expect(alpha.requests.map(({ headers }) => headers.get("authorization"))).toEqual([
      "Bearer key-one",
      "Bearer key-two",
      "Bearer key-two",
    ]);
  });

  test("a provider that has cost enough today is passed over for the fallback", async () => {
    alpha.on("*", ok);
    expect((await ask("daily")).provider).toBe("dear");
    expect((await ask("daily")).provider).toBe("spare");
  });
});

test("what a provider has cost since a time is summed from the ledger, with failed attempts", () => {
  using database = new Database(":memory:");
  database.run("create table requests (n integer primary key, at_ms, provider, credential, cost)");
  database.run("create table attempts (id, provider, credential, cost)");
  const hex = (ms: number) => ms.toString(16).padStart(12, "0");
  const idAt = (ms: number) => `${hex(ms).slice(0, 8)}-${hex(ms).slice(8)}-7000-8000-000000000000`;
  for (let at = 0; at < 100; at++)
    database.run("insert into requests values (?, ?, 'p', ?, 1)", [at + 5, at * 1_000, at % 2 === 0 ? "one" : "two"]);
  database.run("insert into requests values (200, 99000, 'q', null, 7)");
  for (const ms of [10_000, 60_000]) database.run("insert into attempts values (?, 'p', 'one', 100)", [idAt(ms)]);
  const spent = spentAtProvider(database);
  expect([spent("p", null, 50_000), spent("p", "two", 50_000), spent("q", null, 0)]).toEqual([150n, 25n, 7n]);
  expect([spent("p", null, 0), spent("p", null, 500_000)]).toEqual([300n, 0n]);
});
