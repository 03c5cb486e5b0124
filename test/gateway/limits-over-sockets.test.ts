// Who asks is in the ledger's row, end users have limits of their own, and every answer shows what is left.
import { afterAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { readRequests } from "../../src/gateway/ledger/read.ts";
import { gateway } from "../support/gateway.ts";
import { operationRequests, sendAs } from "../support/operation-requests.ts";
import { until } from "../support/until.ts";

const yaml = `
prices: { cost: [{ model: "*", provider: sandbox, usd: { input: 1000, output: 2000 } }] }
projects:
  plain: {}
  shop:
    limits: { requests_per_minute: 1000 }
    end_users:
      default_rules: { limits: { requests_per_minute: 2 } }
      rules: { vip: { limits: { requests_per_minute: 5 } } }
      max: 3
  strict: { end_users: { required: true } }
keys:
  plain: { secret: tp-plain-key-1, project: plain }
  shop: { secret: tp-shop-key-1, project: shop }
  strict: { secret: tp-strict-key-1, project: strict }
  slow: { secret: tp-slow-key-1, limits: { requests_per_minute: 2, tokens_per_minute: 100000 } }
  polls: { secret: tp-polls-key-1, limits: { polls_per_minute: 2 } }
  again: { secret: tp-again-key-1, limits: { polls_per_minute: 2, requests_per_minute: 2 } }
  paying:
    secret: tp-paying-key-1
    limits: { requests_per_minute: 10 }
    budgets: [{ amount: "2.50", period: month }, { amount: "9", period: total }]
  single: { secret: tp-single-key-1, limits: { concurrent_requests: 1 } }
`;
const running = await gateway({ yaml, videoWaitScale: 0.01 });
afterAll(() => running.stop());

const prompt = [{ role: "user" as const, content: "hi" }];
const chat = { model: "sandbox/chat", messages: prompt };

function ask(key: string, body: object, headers: Record<string, string> = {}, path = "/v1/chat/completions") {
  return fetch(running.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

async function namesOf(requestId: string) {
  await until("the row is there", () => rowOf(requestId) !== undefined);
  return rowOf(requestId);
}

function rowOf(requestId: string) {
  const row = readRequests(running.dataFolder, { limit: 100 }).find((each) => each.requestId === requestId);
  if (row === undefined) return undefined;
  const { organization, project, keyId, endUser, session } = row;
  return { organization, project, keyId, endUser, session };
}

let count = 0;
const nextId = () => `who-${count++}`;

describe("who asks", () => {
  const own = { organization: "default", project: "file:plain", keyId: "file:plain" };
  const account = "7d4a1d0c-0b5c-4f5e-9a53-0d4f8d1b7c11";
  const session = "0f2e7c4e-54cb-4c9d-9c2f-1d9f3f6f7a00";
  test.each([
    ["nobody", {}, {}, null, null],
    ["the header first", { "x-turnpike-user": "ann" }, { safety_identifier: "bob", user: "cid" }, "ann", null],
    ["then the safety identifier", {}, { safety_identifier: "bob", user: "cid" }, "bob", null],
    ["then the user", {}, { user: "cid", metadata: { user_id: "dan" } }, "cid", null],
    ["then the metadata", {}, { metadata: { user_id: "dan" } }, "dan", null],
    [
      "the account of an agent",
      {},
      { metadata: { user_id: `user_0abc_account_${account}_session_${session}` } },
      account,
      session,
    ],
    [
      "the device of an agent without an account",
      {},
      { metadata: { user_id: `user_0abc_account__session_${session}` } },
      "user_0abc",
      session,
    ],
    [
      "the account of an agent that writes JSON",
      {},
      { metadata: { user_id: JSON.stringify({ device_id: "d", account_uuid: account, session_id: session }) } },
      account,
      session,
    ],
  ])("is %s", async (_name, headers: Record<string, string>, body, endUser, expected) => {
    const id = nextId();
    const response = await ask("tp-plain-key-1", { ...chat, ...body }, { "x-request-id": id, ...headers });
    await response.text();
    expect(response.status).toBe(200);
    expect(await namesOf(id)).toEqual({ ...own, endUser, session: expected });
  });

  test("a long name counts by its hash", async () => {
    const id = nextId();
    await ask("tp-plain-key-1", { ...chat, user: "x".repeat(4_000) }, { "x-request-id": id });
    expect((await namesOf(id))?.endUser).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  test.each(Object.entries(operationRequests))("is in the row of %s", async (_name, { path, body, operation }) => {
    const before = readRequests(running.dataFolder, { limit: 1_000 }).length;
    const response = await sendAs("tp-plain-key-1", running.url + path, body, "POST", { "x-turnpike-user": "ann" });
    await response.text();
    expect(response.status).toBe(200);
    const rows = () => readRequests(running.dataFolder, { limit: 1_000 });
    await until("the row is there", () => rows().length > before);
    const [row] = rows().filter((each) => each.operation === operation);
    expect([row?.project, row?.endUser]).toEqual(["file:plain", "ann"]);
  });
});

describe("end users", () => {
  test("are required where the project says so", async () => {
    const response = await ask("tp-strict-key-1", chat);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect([response.status, error.code]).toEqual([400, "missing_required_parameter"]);
    expect(error.message).toContain("x-turnpike-user");
    expect((await ask("tp-strict-key-1", { ...chat, user: "ann" })).status).toBe(200);
    expect((await ask("tp-strict-key-1", { model: "sandbox/video", prompt: "a" }, {}, "/v1/videos")).status).toBe(400);
  });

  test("have limits of their own, up to a number of them", async () => {
    const as = async (user: string) => (await ask("tp-shop-key-1", { ...chat, user })).status;
    expect([await as("ann"), await as("ann"), await as("ann")]).toEqual([200, 200, 429]);
    expect([await as("constructor"), await as("vip"), await as("vip"), await as("vip")]).toEqual([200, 200, 200, 200]);
    const refused = await ask("tp-shop-key-1", { ...chat, user: "dan" });
    expect(refused.status).toBe(429);
    expect(await refused.text()).toContain("already has 3 end users");
  });
});

describe("what a key asks about itself", () => {
  const get = async (key: string, path: string) => {
    const response = await fetch(running.url + path, { headers: { authorization: `Bearer ${key}` } });
    expect(response.status).toBe(200);
    return response.json();
  };

  test("is its limits and budgets, of each level", async () => {
    expect((await ask("tp-paying-key-1", { ...chat, max_tokens: 100 })).status).toBe(200);
    const spent = readRequests(running.dataFolder, { limit: 1, keyId: "file:paying" })[0]?.priceNanoDollars ?? 0n;
    expect(spent).toBeGreaterThan(0n);
    const left = 2_500_000_000n - spent;
    expect(await get("tp-paying-key-1", "/v1/usage")).toMatchObject({
      key: { id: "file:paying", name: "paying", project: "default" },
      spent_nano_dollars: String(spent),
      limits: [{ level: "key", name: "requests_per_minute", limit: 10, remaining: 9 }],
      budgets: [
        { level: "key", period: "month", left_nano_dollars: String(left), window_end: expect.any(String) },
        { level: "key", period: "total", amount_nano_dollars: "9000000000" },
      ],
    });
    const subscription = await get("tp-paying-key-1", "/v1/dashboard/billing/subscription");
    expect(subscription).toMatchObject({ object: "billing_subscription", hard_limit_usd: 2.5 });
    const billed = await get("tp-paying-key-1", "/v1/dashboard/billing/usage?start_date=2026-01-01");
    expect(billed).toEqual({ object: "list", total_usage: Number(spent) / 1e7 });
    expect(await get("tp-plain-key-1", "/v1/usage")).toMatchObject({ limits: [], budgets: [] });
  });
});

describe("what is left", () => {
  test("is in the headers of every answer, and an official SDK reads the refusal", async () => {
    const client = new OpenAI({ apiKey: "tp-slow-key-1", baseURL: `${running.url}/v1`, maxRetries: 0 });
    const { response } = await client.chat.completions.create({ ...chat, max_tokens: 100 }).withResponse();
    expect(response.headers.get("x-ratelimit-limit-requests")).toBe("2");
    expect(response.headers.get("x-ratelimit-remaining-requests")).toBe("1");
    expect(response.headers.get("x-ratelimit-reset-requests")).toMatch(/^(?:30|29\.\d+)s$/);
    expect(response.headers.get("x-ratelimit-limit-tokens")).toBe("100000");
    const messages = new Anthropic({ apiKey: "tp-slow-key-1", baseURL: running.url, maxRetries: 0 });
    const second = await messages.messages.create({ ...chat, max_tokens: 100 }).asResponse();
    expect(second.headers.get("anthropic-ratelimit-requests-remaining")).toBe("0");
    expect(Date.parse(second.headers.get("anthropic-ratelimit-tokens-reset") ?? "")).toBeGreaterThan(0);
    const refused = await client.chat.completions.create(chat).catch((thrown: unknown) => thrown);
    if (!(refused instanceof OpenAI.RateLimitError)) throw new Error(String(refused));
    expect([refused.code, refused.type]).toEqual(["rate_limit_exceeded", "rate_limit_error"]);
    expect(refused.message).toContain("Rate limit of this key exceeded: 2 requests per minute.");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(20);
    expect(refused.headers.get("x-ratelimit-remaining-requests")).toBe("0");
    expect(refused.headers.get("x-should-retry")).toBe("true");
  });

  test("polls are counted, whatever they look at", async () => {
    const headers = { authorization: "Bearer tp-polls-key-1" };
    const list = () => fetch(`${running.url}/v1/models`, { headers }).then(({ status }) => status);
    const count = { model: "sandbox/chat", messages: prompt };
    const counted = await ask("tp-polls-key-1", count, { "anthropic-version": "1" }, "/v1/messages/count_tokens");
    expect([counted.status, await list(), await list()]).toEqual([200, 200, 429]);
    expect((await ask("tp-polls-key-1", chat)).status).toBe(200);
  });

  test("replies that are given again are counted as polls, and not as requests", async () => {
    const again = () => ask("tp-again-key-1", chat, { "idempotency-key": "one" });
    const answers = [await again(), await again(), await again(), await again()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(await answers[3]?.text()).toContain("2 polls per minute");
    const other = { "idempotency-key": "two" };
    expect((await ask("tp-again-key-1", chat, other)).status).toBe(200);
    expect((await ask("tp-again-key-1", chat)).status).toBe(429);
  });

  test("a key with one request at a time gets the next one when the first is over", async () => {
    const slow = [{ role: "user", content: "[sandbox pace=50] one two three four five six" }];
    const first = await ask("tp-single-key-1", { ...chat, messages: slow, stream: true });
    const second = await ask("tp-single-key-1", chat);
    expect(second.status).toBe(429);
    expect(await second.text()).toContain("concurrency_limit_exceeded");
    await first.text();
    await until("the first is over", async () => (await ask("tp-single-key-1", chat)).status === 200);
  });
});
