// Budgets over sockets: the worst case is reserved, a stream grows its reservation, and what was used is what counts.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { readRequests } from "../../src/gateway/ledger/read.ts";
import { gateway } from "../support/gateway.ts";
import { operationRequests, sendAs } from "../support/operation-requests.ts";
import { until } from "../support/until.ts";
import { upstream } from "../support/upstream.ts";

const far = await upstream();
const names = Array.from({ length: 24 }, (_, index) => `k${index}`);
const yaml = `
time_zone: Europe/Berlin
providers:
  far: { kind: compatible, base_url: "${far.url}/v1", models: [big, unpriced, free] }
  messages: { kind: anthropic, base_url: "${far.url}", credential: x, models: [claude-big] }
prices:
  shipped: false
  cost:
    - { model: big, usd: { input: 0, output: 15 } }
    - { model: claude-big, usd: { input: 0, output: 15 } }
    - { model: big, tier: priority, usd: { input: 0, output: 30 } }
    - { model: free, usd: { input: 0, output: 0 } }
    - model: "*"
      provider: sandbox
      usd: { input: 1, output: 2, characters: 15, image: 0.04, audio_minute: 0.006, video_second: 0.1, search: 0.002 }
projects:
  tight: { budgets: [{ amount: "0.03", period: month }] }
  users: { end_users: { default_rules: { budgets: [{ amount: "0.02", period: day }] } } }
keys:
${names.map((name) => `  ${name}: { secret: tp-${name}-secret, budgets: [{ amount: "10", period: month }, { amount: "20", period: total }] }`).join("\n")}
  small: { secret: tp-small-secret, budgets: [{ amount: "0.5", period: day }] }
  streaming: { secret: tp-streaming-secret, budgets: [{ amount: "0.5", period: day }] }
  one: { secret: tp-one-secret, project: tight }
  two: { secret: tp-two-secret, project: tight }
  users: { secret: tp-users-secret, project: users }
  everything: { secret: tp-everything-secret, budgets: [{ amount: "1000", period: week }] }
`;
const running = await gateway({ yaml, videoWaitScale: 0.01 });
afterAll(async () => {
  await running.stop();
  await far.stop();
});
beforeEach(() => far.clear());

const messages = [{ role: "user" as const, content: "hi" }];

const reply = (outputTokens: number) => ({
  json: {
    ...{ id: "c", object: "chat.completion", created: 1, model: "big" },
    choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: outputTokens, total_tokens: 10 + outputTokens },
  },
});

const ask = (key: string, body: object = {}, headers: Record<string, string> = {}) =>
  fetch(`${running.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer tp-${key}-secret`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "big", messages, ...body }),
  });

const spentBy = (key: string): bigint =>
  readRequests(running.dataFolder, { limit: 100_000, keyId: `file:${key}` }).reduce(
    (sum, { priceNanoDollars }) => sum + (priceNanoDollars ?? 0n),
    0n,
  );

const dollar = 1_000_000_000n;

/** Some words, and what they are said to have used. */
const streamOf = (outputTokens: number) => {
  const head = { id: "c", object: "chat.completion.chunk", created: 1, model: "big" };
  const usage = { prompt_tokens: 10, completion_tokens: outputTokens, total_tokens: 10 + outputTokens };
  const choice = (more: object) => [{ index: 0, delta: {}, finish_reason: null, ...more }];
  const records = [
    { ...head, choices: choice({ delta: { content: "ok" } }) },
    { ...head, choices: choice({ finish_reason: "stop" }) },
    { ...head, choices: [], usage },
  ];
  return { frames: [...records.map((record) => `data: ${JSON.stringify(record)}\n\n`), "data: [DONE]\n\n"] };
};

test.each([
  ["small", false],
  ["streaming", true],
])("sequential requests use at least 95 %% of a budget before the first refusal: %s", async (key, stream) => {
  far.on("*", stream ? streamOf(500) : reply(500));
  let count = 0;
  for (;;) {
    const response = await ask(key, { max_tokens: 32_000, stream });
    const text = await response.text();
    if (response.status === 429) {
      expect(text).toContain("insufficient_quota");
      expect(text).toContain("Budget of this key exceeded: $0.5 per day.");
      expect(response.headers.get("x-should-retry")).toBe("false");
      expect(Number(response.headers.get("retry-after"))).toBeLessThanOrEqual(60);
      expect(Date.parse(response.headers.get("x-turnpike-reset") ?? "")).toBeGreaterThan(Date.now());
      break;
    }
    expect(response.status).toBe(200);
    count++;
  }
  const spent = spentBy(key);
  expect(count).toBeGreaterThan(10);
  expect(spent).toBeGreaterThanOrEqual(((dollar / 2n) * 95n) / 100n);
  expect(spent).toBeLessThanOrEqual(dollar / 2n);
  // What is free passes on a spent budget.
  expect((await ask(key, { model: "free", stream })).status).toBe(200);
});

test.each([
  ["streams", true, 8n],
  ["whole replies", false, 8n],
] as const)(
  "eight agents at the same time see no refusal before most of the budget is spent: %s",
  async (_, stream, least) => {
    far.on("*", stream ? streamOf(500) : reply(500));
    const key = stream ? "k0" : "k5";
    const refusedAt: bigint[] = [];
    const agent = async (): Promise<void> => {
      while (refusedAt.length === 0) {
        const response = await ask(key, { max_tokens: 32_000, stream });
        await response.text();
        if (response.status === 429) refusedAt.push(spentBy(key));
        else expect(response.status).toBe(200);
      }
    };
    await Promise.all(Array.from({ length: 8 }, agent));
    expect(refusedAt[0]).toBeGreaterThanOrEqual(least * dollar);
    expect(spentBy(key)).toBeLessThanOrEqual(10n * dollar);
  },
);

describe("what the budget does not pay for", () => {
  test("is clamped with a warning, and refused under strict mode", async () => {
    far.on("*", reply(640_000));
    await (await ask("k1", { max_tokens: 640_000 })).text();
    far.clear();
    far.on("*", reply(100));
    const strict = await ask("k1", { max_tokens: 64_000 }, { "x-turnpike-strict": "true" });
    expect([strict.status, ((await strict.json()) as { error: { code: string } }).error.code]).toEqual([
      429,
      "insufficient_quota",
    ]);
    const clamped = await ask("k1", { max_tokens: 64_000 });
    expect(clamped.status).toBe(200);
    expect(clamped.headers.get("x-turnpike-warnings")).toBe("approximated;field=max_tokens");
    const sent = far.requests.at(-1)?.json as { max_tokens: number };
    // Half of the 0.40 dollars that are left.
    expect(sent.max_tokens).toBe(13_333);
  });

  test("needs a price", async () => {
    const response = await ask("k2", { model: "unpriced" });
    expect(response.status).toBe(403);
    expect(await response.text()).toContain("model_not_priced");
    expect((await ask("k2", { service_tier: "flex" })).status).toBe(400);
    far.on("*", reply(1_000_000));
    await (await ask("k2", { service_tier: "priority", max_tokens: 100 })).text();
    expect(spentBy("k2")).toBe(30n * dollar);
  });
});

describe("a stream", () => {
  const word = "wörd ";
  const chunk = (content: string, finish: string | null = null) => {
    const head = { id: "c", object: "chat.completion.chunk", created: 1, model: "big" };
    const choices = [{ index: 0, delta: finish === null ? { content } : {}, finish_reason: finish }];
    return `data: ${JSON.stringify({ ...head, choices })}\n\n`;
  };

  test("that its budget does not pay for ends as one that has reached its bound", async () => {
    far.on("*", reply(640_000));
    await (await ask("k3", { max_tokens: 640_000 })).text();
    const before = spentBy("k3");
    const piece = word.repeat(400);
    const frames = Array.from({ length: 400 }, () => chunk(piece));
    far.on("*", { frames: [...frames, chunk("", "stop"), "data: [DONE]\n\n"], gapMs: 2 });
    const client = new OpenAI({ apiKey: "tp-k3-secret", baseURL: `${running.url}/v1`, maxRetries: 0 });
    const stream = await client.chat.completions.create({
      ...{ model: "big", messages, stream: true, stream_options: { include_usage: true } },
    });
    let [text, finish, usage] = ["", "", 0];
    for await (const { choices, usage: result } of stream) {
      text += choices[0]?.delta.content ?? "";
      finish = choices[0]?.finish_reason ?? finish;
      usage = result?.completion_tokens ?? usage;
    }
    expect(finish).toBe("length");
    const spent = await until("the stream is settled", () => spentBy("k3") > before && spentBy("k3"));
    expect(spent).toBeLessThanOrEqual(10n * dollar);
    // A piece of the stream is forwarded whole or not at all.
    expect(spent).toBeGreaterThan(9_800_000_000n);
    expect(BigInt(usage) * 15_000n).toBe(spent - before);
    expect(text.length).toBeGreaterThan(20_000);
  });
});

test("keys of one project share its budget, and an end user has one inside its project", async () => {
  far.on("*", reply(1_000));
  expect((await ask("one", { max_tokens: 1_000 })).status).toBe(200);
  expect((await ask("two", { max_tokens: 1_000 })).status).toBe(200);
  const refused = await ask("one", { max_tokens: 1_000 });
  expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining("Budget of this project")]);
  expect((await ask("users", { max_tokens: 1_000, user: "ann" })).status).toBe(200);
  expect((await ask("users", { max_tokens: 1_000, user: "ann" })).status).toBe(429);
  expect((await ask("users", { max_tokens: 1_000, user: "bob" })).status).toBe(200);
});

test.each(Object.entries(operationRequests))(
  "%s are reserved and settled",
  async (_name, { path, body, operation }) => {
    const response = await sendAs("tp-everything-secret", running.url + path, body);
    expect([response.status, response.status === 200 ? "" : await response.text()]).toEqual([200, ""]);
    await response.text();
    const row = await until("the request is settled", () => {
      const [last] = readRequests(running.dataFolder, { limit: 1, keyId: "file:everything" });
      return last?.operation === operation && !["open", "pending"].includes(last.state) && last;
    });
    if (operation === "count") expect(row.reservedNanoDollars).toBeNull();
    else expect(row.reservedNanoDollars ?? -1n).toBeGreaterThanOrEqual(row.priceNanoDollars ?? 0n);
  },
);

test("thresholds are raised once each", async () => {
  far.on("*", reply(200_000));
  for (let count = 0; count < 3; count++) await (await ask("k4", { max_tokens: 100 })).text();
  const raised = running.log
    .map((line) => JSON.parse(line))
    .filter(({ event, id }) => event === "budget_threshold" && id === "file:k4");
  expect(raised.map(({ period, percent }) => `${period} ${percent}`)).toEqual(["month 50", "month 80"]);
});
