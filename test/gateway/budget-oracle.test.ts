// What clients were charged, what budgets hold and what the ledger has are the same, also after the process was killed at random.
import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChildGateway, spawnGateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";

const isFull = process.env["TURNPIKE_TEST_FULL"] === "1";
const kills = isFull ? 50 : 2;
const clients = isFull ? 64 : 12;
const limit = 400_000_000n;

const folder = mkdtempSync(join(tmpdir(), "turnpike-test-budget-"));

/** Answers with a usage within the bound that it is sent, fails now and then, and cuts streams. */
const far = Bun.serve({
  port: 0,
  async fetch(request) {
    const body = (await request.json()) as { max_tokens?: number; stream?: boolean; model: string };
    const dice = Math.random();
    if (dice < 0.1) return Response.json({ error: { message: "failed" } }, { status: 500 });
    if (request.url.endsWith("/embeddings")) {
      const usage = { prompt_tokens: 5, total_tokens: 5 };
      return Response.json({
        object: "list",
        model: body.model,
        data: [{ object: "embedding", index: 0, embedding: [1] }],
        usage,
      });
    }
    const output = 1 + Math.floor(Math.random() * (body.max_tokens ?? 500));
    const usage = { prompt_tokens: 5, completion_tokens: output, total_tokens: 5 + output };
    const head = { id: "c", created: 1, model: body.model };
    if (body.stream !== true) {
      const message = { role: "assistant", content: "ok" };
      const choices = [{ index: 0, message, finish_reason: "stop" }];
      return Response.json({ ...head, object: "chat.completion", choices, usage });
    }
    const record = (value: object) =>
      `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...value })}\n\n`;
    const choice = (more: object) => [{ index: 0, delta: {}, finish_reason: null, ...more }];
    const parts = [
      record({ choices: choice({ delta: { content: "ok ".repeat(20) } }) }),
      ...(dice < 0.2
        ? []
        : [record({ choices: choice({ finish_reason: "stop" }) }), record({ choices: [], usage }), "data: [DONE]\n\n"]),
    ];
    return new Response(parts.join(""), { headers: { "content-type": "text/event-stream" } });
  },
});
afterAll(async () => {
  await far.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

const yaml = `
providers:
  far: { kind: compatible, base_url: "http://127.0.0.1:${far.port}/v1", models: [big, embed] }
prices:
  shipped: false
  cost: [{ model: "*", usd: { input: 1, output: 50 } }]
projects:
  shared: { budgets: [{ amount: "0.4", period: month }] }
keys:
  one: { secret: tp-one-secret, project: shared }
  two: { secret: tp-two-secret, project: shared, budgets: [{ amount: "0.3", period: total }] }
`;

interface Sums {
  readonly rows: bigint;
  readonly spend: bigint;
  readonly open: bigint;
}

function sums(): Sums {
  using database = new Database(join(folder, "ledger.db"), { readonly: true, safeIntegers: true });
  const one = (sql: string): bigint => BigInt(Object(database.query(sql).get()).n ?? 0);
  return {
    rows: one("select sum(price) as n from requests where project = 'file:shared'"),
    spend: one("select sum(price) as n from spend where level = 'project' and id = 'file:shared'"),
    open: one("select count(*) as n from requests where state = 'open'"),
  };
}

async function client(url: string, isOver: () => boolean, number: number): Promise<void> {
  const key = number % 2 === 0 ? "tp-one-secret" : "tp-two-secret";
  while (!isOver()) {
    const isEmbedding = Math.random() < 0.2;
    const path = isEmbedding ? "/v1/embeddings" : "/v1/chat/completions";
    const chat = {
      model: "big",
      messages: [{ role: "user", content: "hi" }],
      stream: Math.random() < 0.5,
      max_tokens: 40,
    };
    const body = isEmbedding ? { model: "embed", input: "hi" } : chat;
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "x-turnpike-user": `u${number}`,
    };
    const status = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) })
      .then(async (response) => {
        await response.text();
        return response.status;
      })
      .catch(() => null);
    // The process was killed, or the budget is spent.
    if (status === null || status === 429) return;
  }
}

async function budgetOf(gateway: ChildGateway) {
  const response = await fetch(`${gateway.url}/v1/usage`, { headers: { authorization: "Bearer tp-one-secret" } });
  const { budgets } = (await response.json()) as {
    budgets: { spent_nano_dollars: string; reserved_nano_dollars: string }[];
  };
  const [budget] = budgets;
  return { spent: BigInt(budget?.spent_nano_dollars ?? 0), reserved: BigInt(budget?.reserved_nano_dollars ?? 0) };
}

test("rows, roll-ups and budgets agree after each kill, and nothing is spent beyond the budget", async () => {
  for (let round = 0; round <= kills; round++) {
    const gateway = await spawnGateway({ yaml, dataFolder: folder });
    const before = sums();
    // What the process before had left open is charged, and what was spent is found again.
    expect(before.spend).toBe(before.rows);
    expect(await budgetOf(gateway)).toEqual({ spent: before.rows, reserved: 0n });
    let isOver = false;
    const working = Promise.all(
      Array.from({ length: clients }, (_, number) => client(gateway.url, () => isOver, number)),
    );
    if (round < kills) {
      await until("some requests are answered", () => sums().rows > before.rows || before.rows > (limit * 9n) / 10n);
      await gateway.kill();
      isOver = true;
      await working;
      await gateway.stop();
      continue;
    }
    await working;
    await until("all requests are settled", () => sums().open === 0n);
    const after = sums();
    expect(after.spend).toBe(after.rows);
    expect(await budgetOf(gateway)).toEqual({ spent: after.rows, reserved: 0n });
    expect(after.rows).toBeLessThanOrEqual(limit);
    expect(after.rows).toBeGreaterThanOrEqual((limit * 95n) / 100n);
    await gateway.stop();
  }
}, 600_000);
