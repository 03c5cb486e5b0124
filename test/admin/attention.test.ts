// What needs attention, and budgets with their forecast, as a script reads them.
import { expect, test } from "bun:test";
import { budgetSpentAt } from "../../src/gateway/policy/budget-forecast.ts";
import type { BudgetStatus } from "../../src/gateway/policy/budgets.ts";
import { admin, dataIn } from "./setting.ts";

const day = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * day).toISOString();
const { ask, token, running } = await admin({
  yaml: `
providers:
  gone: { kind: compatible, base_url: "http://127.0.0.1:9/v1", models: [small] }
models:
  covered:
    candidates:
      - { provider: gone, model: small }
      - { provider: sandbox, model: chat }
  cheap: { candidates: [{ provider: sandbox, model: embed }] }
prices:
  cost: [{ model: chat, usd: { input: 3, output: 15 } }]
  price: [{ model: dear, usd: { input: 1, output: 1 } }]
time_zone: Asia/Tokyo
keys:
  ending: { secret: tp-ending, expires_at: "${inDays(3)}" }
  lasting: { secret: tp-lasting, expires_at: "${inDays(30)}" }
limits: { breaker_failures: 3 }
`,
});

async function chat(model: string, key = running.key) {
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const answer = await fetch(`${running.url}/v1/chat/completions`, { method: "POST", headers, body });
  await answer.text();
  return answer.status;
}

const { body: spender } = await ask("POST keys", {
  name: "spender",
  rules: { budgets: [{ amount: "1", period: "month" }] },
});
await ask("POST keys", { name: "rich", rules: { budgets: [{ amount: "1000", period: "day" }] } });
expect(await chat("sandbox/chat", String(spender["secret"]))).toBeLessThan(500);
for (let at = 0; at < 4; at++) expect(await chat("covered")).toBe(200);
await chat("sandbox/error");

const found = async (key?: string) =>
  dataIn(await ask("GET attention?limit=100", undefined, key === undefined ? {} : { key }));
const ofKind = async (kind: string) => (await found()).filter((each) => each["kind"] === kind);

test("a first candidate that fails while another answers is an outage that is hidden", async () => {
  expect(await ofKind("route.outage_hidden")).toMatchObject([
    {
      resource: "routes",
      object_id: "covered",
      severity: "warning",
      since: expect.any(String),
      figures: { provider: "gone", model: "small", answered_by: "sandbox/chat", first_error: expect.any(String) },
    },
  ]);
});

test("a provider that is avoided is reported once, with its first error", async () => {
  const [failing, ...more] = await ofKind("provider.failing");
  expect(more).toEqual([]);
  expect(failing).toMatchObject({ severity: "failing", resource: "providers", object_id: "gone" });
  expect(String(failing?.["message"])).toContain("First error:");
  expect(await ofKind("provider.errors")).toMatchObject([{ object_id: "sandbox", figures: { errors: 1 } }]);
});

test("keys that expire within a week, and no others", async () => {
  expect((await ofKind("key.expiring")).map(({ name }) => name)).toEqual(["ending"]);
});

test("budgets have their window in the time zone of the file, and the largest share first", async () => {
  const [first, ...others] = dataIn(await ask("GET budgets"));
  expect(first).toMatchObject({ level: "key", name: "spender", period: "month", amount: "1" });
  expect(Number(first?.["share"])).toBeGreaterThan(0);
  expect(String(first?.["window_start"])).toEndWith("T15:00:00.000Z");
  expect(others.map(({ name }) => name)).toEqual(["rich"]);
  expect(dataIn(await ask(`GET budgets?id=${spender["id"]}`))).toHaveLength(1);
  expect(dataIn(await ask("GET budgets?level=project"))).toEqual([]);
});

test("shows only what the caller may list, and the worst first", async () => {
  const keys = await found(await token("keys:read"));
  expect(new Set(keys.map(({ resource }) => resource))).toEqual(new Set(["keys"]));
  const ranks = (await found()).map(({ severity }) => severity);
  expect(ranks).toEqual(ranks.toSorted());
});

const atMs = Date.UTC(2026, 10, 11);
const budget = (spent: bigint, period: { fromMs: number; untilMs: number }): BudgetStatus =>
  ({ spent, limit: 100n, counter: { level: "key", id: "k", meter: "price", ...period } }) as unknown as BudgetStatus;
const november = { fromMs: Date.UTC(2026, 10, 1), untilMs: Date.UTC(2026, 11, 1) };
const given = { nowMs: atMs, createdAtMs: null, spentSince: () => 30n };

test("a budget is spent on the day that its rate gives, if its window is not over before", () => {
  expect(budgetSpentAt(budget(50n, november), given)).toBe(atMs + 10 * day);
  expect(budgetSpentAt(budget(20n, november), given)).toBeNull();
  expect(budgetSpentAt(budget(0n, november), given)).toBeNull();
  expect(budgetSpentAt(budget(100n, november), given)).toBe(atMs);
  // Created two days ago: 50 in two days, not in ten.
  expect(budgetSpentAt(budget(50n, november), { ...given, createdAtMs: atMs - 2 * day })).toBe(atMs + 2 * day);
  // For all time: at the rate of the last thirty days.
  const total = { fromMs: 0, untilMs: Number.MAX_SAFE_INTEGER };
  expect(budgetSpentAt(budget(70n, total), given)).toBe(atMs + 30 * day);
});
