// The cost of a request term by term in the admin API: by the prices under which it was admitted, also when others apply since.
import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { until } from "../support/until.ts";
import { catalogSetting } from "./catalog-setting.ts";
import type { Json } from "./setting.ts";

const { ask, token, chat, running } = await catalogSetting();
const cost = await ask("POST prices", { book: "cost", config: { model: "f", usd: { input: 1, output: 2 } } });

async function requestAfterChat(): Promise<Json> {
  const answer = await chat("fixed");
  expect(answer.status).toBe(200);
  const id = answer.headers.get("x-request-id");
  return await until("it is settled", async () => {
    const { body } = await ask(`GET requests/${id}`);
    return body["state"] === "completed" ? body : null;
  });
}

const term = (of: string, amount: number, rate: string, sum: string) => ({
  ...{ of, size: null, quality: null, amount, cost_rate: { amount: rate, per: 1_000_000 }, cost: sum },
  ...{ price_rate: null, price: sum },
});

test("terms add up to the cost, and stay as they were when prices change", async () => {
  const first = await requestAfterChat();
  const terms = [term("inputTokens", 1_000_000, "1", "1"), term("outputTokens", 1_000_000, "2", "2")];
  expect(first).toMatchObject({ cost: "3", price: "3", terms, price_rule: null });

  const folder = join(running.dataFolder, "price-books");
  const isStored = () =>
    existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(`${first["cost_version"]}_`));
  await until("its prices are stored", isStored);
  await ask(`PATCH prices/${cost.body["id"]}`, { config: { model: "f", usd: { input: 5, output: 10 } } });
  const rule = { model: "fixed", factor: 1.5, per_request: 0.01 };
  expect((await ask("POST prices", { book: "price", config: rule })).status).toBe(201);
  const second = await requestAfterChat();
  expect(second["terms"]).toMatchObject([
    { of: "inputTokens", cost_rate: { amount: "5" }, cost: "5", price: "7.5" },
    { of: "outputTokens", cost_rate: { amount: "10" }, cost: "10", price: "15" },
  ]);
  expect(second).toMatchObject({ cost: "15", price: "22.51", price_rule: { factor: "1.5", per_request: "0.01" } });
  const { body: again } = await ask(`GET requests/${first["id"]}`);
  expect(again).toMatchObject({ cost: "3", terms, price_rule: null });
});

test("who may not see costs gets no terms, and lists have none", async () => {
  const { body } = await ask("GET requests");
  const [row] = body["data"] as Json[];
  expect(row).toMatchObject({ terms: null, price_rule: null });
  const key = await token("requests:read");
  const shown = (await ask(`GET requests/${row?.["id"]}`, undefined, { key })).body;
  expect(Object.keys(shown)).not.toContainAnyValues(["terms", "price_rule", "adjustments"]);
});
