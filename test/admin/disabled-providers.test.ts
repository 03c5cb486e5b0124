// Providers that are disabled, the lines of what the file defines, and how much is used of the limits on a provider.
import { expect, test } from "bun:test";
import { catalogSetting } from "./catalog-setting.ts";
import { dataIn, type Json } from "./setting.ts";

const { ask, running, yaml, compatible, unused, create, chat } = await catalogSetting();
const lineOf = (text: string): number => yaml.split("\n").findIndex((line) => line.includes(text)) + 1;

test("a disabled provider gets no requests and lists no models, until it is enabled", async () => {
  const id = unused();
  await create(id);
  expect((await chat(`${id}/m`)).status).toBe(200);
  const disabled = await ask(`PATCH providers/${id}`, { config: { ...compatible, disabled: true } });
  expect(disabled.body).toMatchObject({ config: { disabled: true }, credentials: [{ name: "main" }] });
  const refused = await chat(`${id}/m`);
  expect(refused.status).toBe(404);
  expect(await refused.json()).toMatchObject({
    error: { code: "model_not_found", message: `Every provider of '${id}/m' is disabled.` },
  });
  expect(dataIn(await ask(`GET models?provider=${id}`))).toEqual([]);
  const { body } = await ask("POST routes/explain", { model: `${id}/m` });
  expect(body).toMatchObject({ candidates: [], refusal: { code: "model_not_found" } });
  expect((body["skipped"] as Json[])[0]).toMatchObject({ provider: id, code: "disabled" });
  await ask(`PATCH providers/${id}`, { config: compatible });
  expect((await chat(`${id}/m`)).status).toBe(200);
});

test("a route goes on to its other candidates", async () => {
  const id = unused();
  await create(id, { config: { ...compatible, disabled: true } });
  const candidates = [
    { provider: id, model: "m" },
    { provider: "filed", model: "f" },
  ];
  await ask("POST routes", { id: `over-${id}`, config: { candidates } });
  const response = await chat(`over-${id}`);
  expect(response.headers.get("x-turnpike-provider")).toBe("filed");
});

test("what the file defines has its line", async () => {
  expect((await ask("GET providers/filed")).body).toMatchObject({ source: "file", file_line: lineOf("filed:") });
  expect((await ask("GET routes/fixed")).body).toMatchObject({ source: "file", file_line: lineOf("fixed:") });
  const [price] = dataIn(await ask("GET prices"));
  expect(price).toMatchObject({ id: "file:price:0", file_line: lineOf("dear") });
  const id = unused();
  await create(id);
  expect((await ask(`GET providers/${id}`)).body).toMatchObject({ source: "api", file_line: null });
});

test("limits of a provider and of each credential, with what is used", async () => {
  const id = unused();
  await create(id, {
    config: { ...compatible, limits: { requests_per_minute: 100, cost_per_day: "5" } },
    credentials: [
      { name: "one", credential: "c1", limits: { concurrent_requests: 4 } },
      { name: "two", credential: "c2", weight: 0, limits: { requests_per_minute: 10 } },
    ],
  });
  expect((await chat(`${id}/m`)).status).toBe(200);
  const { body } = await ask(`GET providers/${id}`);
  expect(body["limit_use"]).toEqual([
    { credential: null, limit: "requests_per_minute", most: "100", used: "1" },
    { credential: null, limit: "cost_per_day", most: "5", used: expect.any(String) },
    { credential: "one", limit: "concurrent_requests", most: "4", used: "0" },
    { credential: "two", limit: "requests_per_minute", most: "10", used: expect.stringMatching(/^[01]$/) },
  ]);
  expect(running.url).toMatch(/^http/);
});
