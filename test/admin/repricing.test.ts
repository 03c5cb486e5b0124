// Repricing through the admin API and the command line of a running gateway: figures, budgets, audit, refusals.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { ledgerRows } from "../support/ledger.ts";
import { until } from "../support/until.ts";
import { catalogSetting } from "./catalog-setting.ts";
import { dataIn, errorIn, type Json } from "./setting.ts";

const { ask, token, running, chat } = await catalogSetting();
const since = { since: "2026-01-01" };
const cheap = await ask("POST prices", { book: "cost", config: { model: "f", usd: { input: 1, output: 2 } } });
const poor = await ask("POST keys", { name: "poor", rules: { budgets: [{ amount: "20", period: "day" }] } });

const settled = (count: number) =>
  until(
    "all are settled",
    () => ledgerRows(running.dataFolder).filter(({ state }) => state === "completed").length === count,
  );
const usageSums = async () => dataIn(await ask("GET usage"))[0];

async function asPoor(path: string, body?: object): Promise<Response> {
  return fetch(`${running.url}${path}`, {
    headers: { authorization: `Bearer ${poor.body["secret"]}`, "content-type": "application/json" },
    ...(body && { method: "POST", body: JSON.stringify(body) }),
  });
}

const hello = { model: "fixed", max_tokens: 10, messages: [{ role: "user", content: "hi" }] };

test("a preview, a booking, and what follows: usage, the request, budgets, the audit log", async () => {
  expect((await chat("fixed")).status).toBe(200);
  expect((await asPoor("/v1/chat/completions", hello)).status).toBe(200);
  await settled(2);
  expect(await usageSums()).toMatchObject({ requests: 2, cost: "6", price: "6" });
  const change = { config: { model: "f", usd: { input: 5, output: 10 } } };
  expect((await ask(`PATCH prices/${cheap.body["id"]}`, change)).status).toBe(200);

  const preview = await ask("POST prices/preview", since);
  expect(preview.body).toMatchObject({
    object: "repricing",
    repricing: null,
    total: { requests: 2, changed: 2, booked_cost: "6", new_cost: "30", booked_price: "6", new_price: "30" },
  });
  expect((preview.body["groups"] as Json[]).map(({ model, new_price }) => [model, new_price])).toEqual([
    ["fixed", "15"],
    ["fixed", "15"],
  ]);
  expect((await ask("POST prices/preview", { ...since, key_id: poor.body["id"] })).body).toMatchObject({
    total: { requests: 1 },
  });
  expect(await usageSums()).toMatchObject({ price: "6" });

  const booked = await ask("POST prices/reprice", since);
  expect(booked.body).toMatchObject({ repricing: 1, total: { changed: 2, new_price: "30" } });
  expect(await usageSums()).toMatchObject({ requests: 2, cost: "30", price: "30", unpriced: 0 });
  const byKey = dataIn(await ask("GET series?metric=requests,cost,price&group_by=key"));
  expect(byKey.map(({ total }) => total)).toEqual([
    { requests: 1, cost: "15", price: "15" },
    { requests: 1, cost: "15", price: "15" },
  ]);
  const [row] = dataIn(await ask(`GET requests?key_id=${poor.body["id"]}`));
  expect(row).toMatchObject({ price: "3", adjustments: null });
  const { body: one } = await ask(`GET requests/${row?.["id"]}`);
  expect(one["adjustments"]).toMatchObject([{ repricing: 1, price: "12", cost: "12" }]);

  // $15 of $20 are spent now.
  expect(await (await asPoor("/v1/usage")).json()).toMatchObject({ budgets: [{ left_nano_dollars: "5000000000" }] });
  const [entry] = dataIn(await ask("GET audit?resource=prices"));
  expect(entry).toMatchObject({ action: "reprice", actor: { kind: "admin_key" } });
  expect(JSON.stringify(entry)).toContain("2026-01-01");
  expect((await ask("POST prices/reprice", since)).body).toMatchObject({ repricing: null, total: { changed: 0 } });
});

test("the command line books too, and the running gateway follows", async () => {
  await ask(`PATCH prices/${cheap.body["id"]}`, { config: { model: "f", usd: { input: 6, output: 10 } } });
  const run = (...words: string[]) => {
    const env = {
      PATH: process.env["PATH"] ?? "",
      TURNPIKE_DATA: running.dataFolder,
      TURNPIKE_CONFIG: join(running.dataFolder, "..", "turnpike.yaml"),
    };
    const command = [process.execPath, join(import.meta.dir, "../../src/main.ts"), "prices", "reprice", ...words];
    const { stdout, stderr, exitCode } = Bun.spawnSync(command, { env });
    return { out: `${stdout}${stderr}`, exitCode };
  };
  const preview = run("--since", "2026-01-01");
  expect(preview).toMatchObject({ exitCode: 0 });
  expect(preview.out).toContain("--book books the differences");
  expect(run("--book")).toMatchObject({ exitCode: 2, out: expect.stringContaining("--book requires --since") });
  expect(run("--since", "2026-01-01", "--version", "nothing", "--book")).toMatchObject({ exitCode: 1 });
  const booked = run("--since", "2026-01-01", "--book", "--json");
  expect(JSON.parse(booked.out)).toMatchObject({ repricing: 3, total: { changed: 2, newPrice: "32000000000" } });
  await until("the budget follows", async () => (await (await asPoor("/v1/usage")).text()).includes('"16000000000"'));
  expect(await usageSums()).toMatchObject({ price: "32" });
  const [entry] = dataIn(await ask("GET audit?resource=prices"));
  expect(entry).toMatchObject({ action: "reprice", actor: { kind: "command_line" } });
  // The ledger accepts requests as before, although another process has written it.
  expect((await chat("fixed")).status).toBe(200);
  await settled(3);
});

test("bad bodies and other roles are refused", async () => {
  for (const body of [{}, { since: "yesterday" }, { ...since, until: 3 }, { ...since, other: 1 }])
    expect((await ask("POST prices/preview", body)).status).toBe(400);
  const key = await token("prices:write", "catalog:read");
  for (const verb of ["preview", "reprice"])
    expect(errorIn(await ask(`POST prices/${verb}`, since, { key }))).toMatchObject({ status: 403 });
});
