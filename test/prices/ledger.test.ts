// Every operation has its cost and its price in the ledger, and its price in a header of a whole reply.

import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { parseDecimal } from "../../src/lib/decimal.ts";
import { gateway } from "../support/gateway.ts";
import { operationRequests, sendAs } from "../support/operation-requests.ts";
import { until } from "../support/until.ts";

const yaml = `
prices:
  cost:
    - model: "*"
      provider: sandbox
      usd:
        { input: 1, cache_read: 0.1, output: "2", reasoning: 3, characters: 15, image: 0.04, audio_minute: 0.006,
          video_second: 0.1, search: 0.002, page: 0.01, request: 0.001 }
  price:
    - { model: "*", factor: 1.25 }
    - { model: gifted, factor: 0 }
models:
  gifted: { candidates: [{ provider: sandbox, model: chat }] }
`;
const running = await gateway({ yaml, videoWaitScale: 0.01 });
afterAll(() => running.stop());

interface Row {
  operation: string;
  state: string;
  cost: bigint | null;
  price: bigint | null;
  cost_version: string | null;
  price_version: string | null;
  [bucket: string]: bigint | string | null;
}

function rows(): Row[] {
  using database = new Database(join(running.dataFolder, "ledger.db"), { readonly: true, safeIntegers: true });
  return database.query("select * from requests order by n").all() as Row[];
}

/** The settled rows after the first so many. */
const settledAfter = (before: number) =>
  until("the requests are settled", () => {
    const added = rows().slice(before);
    return added.length > 0 && added.every(({ state }) => state !== "open" && state !== "pending") && added;
  });

/** Nano-dollars for so many of each, as the file above says. */
const perMany: readonly (readonly [column: string, nanoDollars: bigint, per: bigint])[] = [
  ["input_tokens", 1_000_000_000n, 1_000_000n],
  ["cache_read_tokens", 100_000_000n, 1_000_000n],
  ["cache_write_tokens", 1_000_000_000n, 1_000_000n],
  ["output_tokens", 2_000_000_000n, 1_000_000n],
  ["reasoning_tokens", 3_000_000_000n, 1_000_000n],
  ["characters", 15_000_000_000n, 1_000_000n],
  ["images", 40_000_000n, 1n],
  ["audio_ms", 6_000_000n, 60_000n],
  ["video_ms", 100_000_000n, 1_000n],
  ["searches", 2_000_000n, 1n],
  ["pages", 10_000_000n, 1n],
  ["billed_requests", 1_000_000n, 1n],
];

const up = (amount: bigint, per: bigint): bigint => (amount + per - 1n) / per;

function expected(row: Row): { cost: bigint; price: bigint } {
  const costs = perMany.map(([column, nanoDollars, per]) => up(BigInt(row[column] ?? 0) * nanoDollars, per));
  const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
  return { cost: sum(costs), price: sum(costs.map((cost) => up(cost * 125n, 100n))) };
}

describe.each(Object.entries(operationRequests))("%s", (_name, { operation, path, body }) => {
  test("are in the ledger with what they cost", async () => {
    const before = rows().length;
    const response = await sendAs(running.key, running.url + path, body);
    const text = await response.text();
    expect([response.status, text]).toEqual([200, text]);
    const added = await settledAfter(before);
    for (const row of added) {
      expect(row.operation).toBe(operation);
      expect({ cost: row.cost, price: row.price }).toEqual(expected(row));
      if (operation !== "count") expect(row.cost).toBeGreaterThan(0n);
      expect([row.cost_version, row.price_version]).toEqual([expect.stringMatching(/^\w{12}$/), expect.anything()]);
    }
    const result = response.headers.get("x-turnpike-cost");
    if (result !== null) expect(added.map(({ price }) => price)).toContain(parseDecimal(result, 9));
  });
});

const hello = { messages: [{ role: "user", content: "hi" }] };
const chat = (model: string, more: object = {}) =>
  sendAs(running.key, `${running.url}/v1/chat/completions`, { model, ...hello, ...more });

test("a whole reply tells what it costs its caller, a stream does not", async () => {
  const whole = await chat("sandbox/chat");
  await whole.text();
  expect(whole.headers.get("x-turnpike-cost")).toMatch(/^0\.\d{1,9}$/);
  const stream = await chat("sandbox/chat", { stream: true });
  await stream.text();
  expect(stream.headers.get("x-turnpike-cost")).toBeNull();
});

test("a declared price of 0 is 0, and not the absence of one", async () => {
  const before = rows().length;
  const response = await chat("gifted");
  await response.text();
  expect(response.headers.get("x-turnpike-cost")).toBe("0");
  const [row] = await settledAfter(before);
  expect(row?.price).toBe(0n);
  expect(row?.cost).toBeGreaterThan(0n);
});

test("a request that nobody answered costs its caller nothing", async () => {
  const before = rows().length;
  const response = await chat("sandbox/error");
  await response.text();
  expect(response.headers.get("x-turnpike-cost")).toBeNull();
  const [row] = await settledAfter(before);
  expect(row?.price).toBe(0n);
});

test("a header of one reply does not stay for the next", async () => {
  const priced = await chat("sandbox/chat");
  await priced.text();
  const unpriced = await gateway({ yaml: "prices: { shipped: false }" });
  try {
    for (let time = 0; time < 2; time++) {
      const response = await sendAs(unpriced.key, `${unpriced.url}/v1/chat/completions`, {
        model: "sandbox/chat",
        ...hello,
      });
      await response.text();
      expect(response.headers.get("x-turnpike-cost")).toBeNull();
    }
  } finally {
    await unpriced.stop();
  }
});
