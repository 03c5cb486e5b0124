// Routes, models and prices through the admin API: served at once, here and on another instance, and read-only where the file has them.
import { describe, expect, test } from "bun:test";
import { freshDatabase, serverUrl } from "../store/engines.ts";
import { gateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { catalogSetting, chatOf } from "./catalog-setting.ts";
import { adminOf, dataIn, errorIn, type Json } from "./setting.ts";

const { ask, token, yaml, compatible, create, chat } = await catalogSetting();

describe("routes and models", () => {
  test("a route is served at once, and listed among the models", async () => {
    const config = { candidates: [{ provider: "filed", model: "f" }] };
    const created = await ask("POST routes", { id: "team/smart", config });
    expect(created.body).toMatchObject({ object: "route", id: "team/smart", source: "api", config });
    expect((await chat("team/smart")).status).toBe(200);
    const model = (await ask("GET models/team%2Fsmart")).body;
    expect(model).toMatchObject({ kind: "route", candidates: config.candidates });
    const models = dataIn(await ask("GET models?provider=filed&limit=100"));
    expect(models.map(({ id }) => id)).toEqual(["filed/f", "fixed", "team/smart"]);
    expect(dataIn(await ask("GET models?kind=route")).map(({ id }) => id)).toContain("fixed");
    const own = dataIn(await ask("GET models?provider=sandbox&limit=100")).map(({ id }) => id);
    expect(own).toContain("sandbox/chat");
    expect(own).not.toContain("sandbox/sandbox/chat");
    const other = { candidates: [{ provider: "sandbox", model: "chat" }] };
    expect((await ask("PATCH routes/team%2Fsmart", { config: other })).body["config"]).toEqual(other);
    expect((await ask("DELETE routes/team%2Fsmart")).status).toBe(200);
    expect((await chat("team/smart")).status).toBe(404);
  });

  test.each([
    ["an unknown provider", { candidates: [{ provider: "nope", model: "f" }] }, "config.candidates[0].provider"],
    ["no candidate", { candidates: [] }, "config.candidates"],
  ])("a route with %s is refused", async (_what, config, param) => {
    expect(errorIn(await ask("POST routes", { id: "bad", config }))).toMatchObject({ status: 400, param });
    expect((await ask("GET routes/bad")).status).toBe(404);
  });

  test("a route of the file is read-only", async () => {
    expect((await ask("GET routes/fixed")).body).toMatchObject({ source: "file" });
    const config = { candidates: [{ provider: "filed", model: "f" }] };
    expect((await ask("PATCH routes/fixed", { config })).status).toBe(409);
    expect((await ask("POST routes", { id: "fixed", config })).status).toBe(409);
  });

  test.each(["GET models?kind=odd", "GET models?owner=x", "GET routes?provider=x"])("%s is 400", async (call) => {
    expect((await ask(call)).status).toBe(400);
  });
});

describe("prices", () => {
  const cost = (input: string) => ({ model: "f", provider: "filed", usd: { input, output: input } });

  test("a cost applies to the next request, and a change to the one after it", async () => {
    const paid = async (model: string) => (await chat(model)).headers.get("x-turnpike-cost");
    const created = await ask("POST prices", { book: "cost", config: cost("1.5") });
    expect(created.body).toMatchObject({ object: "price", source: "api", book: "cost", config: cost("1.5") });
    expect(await paid("filed/f")).toBe("3");
    await ask(`PATCH prices/${created.body["id"]}`, { config: cost("0.25") });
    expect(await paid("filed/f")).toBe("0.5");
    const rule = await ask("POST prices", {
      book: "price",
      config: { model: "filed/f", factor: "1.5", per_request: "0.01" },
    });
    expect(await paid("filed/f")).toBe("0.76");
    expect((await ask(`DELETE prices/${rule.body["id"]}`)).status).toBe(200);
    expect(await paid("filed/f")).toBe("0.5");
    await ask(`DELETE prices/${created.body["id"]}`);
    expect(await paid("filed/f")).toBeNull();
  });

  test("the effective list has the rows of the API first, then the file's and those that are shipped", async () => {
    const created = await ask("POST prices", { book: "cost", config: cost("7") });
    const { body } = await ask("POST prices/effective");
    const rows = body["rows"] as Json[];
    expect(rows[0]).toMatchObject({ book: "cost", model: "f", of: "inputTokens", per: 1_000_000, usd: "7" });
    expect(rows.length).toBeGreaterThan(400);
    expect(rows.at(-1)).toMatchObject({ book: "price", model: "dear", of: "everything", factor: "2" });
    await ask(`DELETE prices/${created.body["id"]}`);
    expect((await ask("POST prices/effective")).body["cost_version"]).not.toBe(body["cost_version"]);
  });

  test("what the file has is listed and read-only", async () => {
    const [filed] = dataIn(await ask("GET prices"));
    expect(filed).toMatchObject({ id: "file:price:0", source: "file", book: "price", config: { model: "dear" } });
    expect((await ask("DELETE prices/file:price:0")).status).toBe(409);
  });

  test.each([
    ["a negative amount", "cost", { model: "f", usd: { input: -1 } }],
    ["an unknown bucket", "cost", { model: "f", usd: { thoughts: 1 } }],
    ["ten decimals", "cost", { model: "f", usd: { input: "0.1234567891" } }],
    ["a rule in the cost book", "cost", { model: "f", factor: "2" }],
    ["neither rows nor a rule", "price", { model: "f" }],
    ["both", "price", { model: "f", usd: { input: 1 }, factor: "2" }],
  ])("refuses %s", async (_what, book, config) => {
    const before = await ask("GET prices");
    expect((await ask("POST prices", { book, config })).status).toBe(400);
    expect((await ask("GET prices")).body).toEqual(before.body);
  });

  test("refuses two between which nothing can choose", async () => {
    const first = await ask("POST prices", { book: "cost", config: cost("1") });
    expect((await ask("POST prices", { book: "cost", config: cost("2") })).status).toBe(400);
    await ask(`DELETE prices/${first.body["id"]}`);
  });
});

test("scopes: who reads may not write, and who writes one may not write another", async () => {
  const reader = { key: await token("catalog:read") };
  expect((await ask("GET providers", undefined, reader)).status).toBe(200);
  expect((await ask("POST providers", { id: "x", config: compatible }, reader)).status).toBe(403);
  const writer = { key: await token("routes:write") };
  const { id } = (await create()).body;
  expect((await ask(`DELETE providers/${id}`, undefined, writer)).status).toBe(403);
  expect((await ask("GET routes", undefined, writer)).status).toBe(200);
});

test.skipIf(serverUrl === undefined)(
  "another instance serves a change within two seconds",
  async () => {
    const database = await freshDatabase();
    const environment = { DATABASE_URL: database.url, TURNPIKE_SECRET: "a-secret-that-is-shared" };
    const [one, other] = [await gateway({ yaml, environment }), await gateway({ yaml, environment })];
    const { ask: askOne } = await adminOf(one);
    const created = await askOne("POST providers", { id: "shared", config: compatible });
    expect(created.status).toBe(201);
    await until("the other instance serves it", async () => (await chatOf(other, "shared/m")).status === 200);
    await Promise.all([one.stop(), other.stop()]);
    await database.drop();
  },
  30_000,
);
