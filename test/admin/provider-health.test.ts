// The state of providers and credentials: in the admin API, in its test of every credential, and as gauges.
import { beforeEach, expect, test } from "bun:test";
import { metricsText, samplesOf, sampleValue } from "../telemetry/scrape.ts";
import { catalogSetting, hi } from "./catalog-setting.ts";
import { dataIn } from "./setting.ts";

const { ask, running, up, compatible, unused, create, chat } = await catalogSetting();
beforeEach(() => {
  up.clear();
  up.on("*", hi);
});

interface State {
  [member: string]: unknown;
  models: State[];
}
const healthOf = async (id: string): Promise<State[]> =>
  (await ask(`GET providers/${id}`)).body["health"] as unknown as State[];

/** A provider with a route, so that the state of its model is stored. */
async function routed(credentials: object[] = [{ name: "main", credential: "api-canary-credential" }]) {
  const id = unused();
  await create(id, { credentials });
  const route = await ask("POST routes", { id: `to-${id}`, config: { candidates: [{ provider: id, model: "m" }] } });
  expect(route.status).toBe(201);
  return id;
}

const failing = { status: 500, json: { error: { message: "out of order, key api-canary-credential" } } };

test("an open breaker shows until when, why, and how many requests failed", async () => {
  const id = await routed();
  await chat(`to-${id}`);
  up.clear();
  up.on("*", failing);
  for (let n = 0; n < 5; n++) await chat(`to-${id}`);
  const [{ models: [model] = [], ...credential } = { models: [] }] = await healthOf(id);
  // A response that was understood is not a fault of the credential.
  expect(credential).toMatchObject({ credential: null, state: "available", breaker: "closed", until: null });
  expect(model).toMatchObject({ model: "m", state: "breaker_open", breaker: "open", in_flight: 0, requests: 6 });
  expect(model?.["error_rate"]).toBeCloseTo(5 / 6, 3);
  expect(Date.parse(String(model?.["until"]))).toBeGreaterThan(Date.now());
  expect(model?.["last_error"]).toMatchObject({ code: "upstream_failed", status: 500 });
  expect(JSON.stringify(model)).toContain("out of order");
  expect(JSON.stringify(model)).not.toContain("api-canary-credential");
});

test("a rate limit is of its credential, and shows when it ends", async () => {
  const id = await routed([
    { name: "one", credential: "first-canary" },
    { name: "two", credential: "second-canary", weight: 0 },
  ]);
  up.clear();
  up.on("*", { status: 429, json: { error: { message: "slow" } }, headers: { "retry-after": "30" } }, hi);
  expect((await chat(`to-${id}`)).status).toBe(200);
  const states = await healthOf(id);
  expect(states).toMatchObject([
    { credential: "one", state: "rate_limited", last_error: { code: "upstream_rate_limited", status: 429 } },
    { credential: "two", state: "available", last_error: null },
  ]);
  expect(Date.parse(String(states[0]?.["until"]))).toBeWithin(Date.now() + 20_000, Date.now() + 31_000);
});

test("a model that the provider does not have is set aside, is a gauge, and comes back with an answer", async () => {
  const id = await routed();
  up.clear();
  up.on("*", { status: 404, json: { error: { message: "no such model", code: "model_not_found" } } });
  expect((await chat(`to-${id}`)).status).toBe(404);
  const [{ models } = { models: [] }] = await healthOf(id);
  expect(models).toMatchObject([{ model: "m", state: "set_aside", last_error: { status: 404 } }]);
  const aside = async (): Promise<number> =>
    sampleValue(await metricsText(running), "turnpike_upstream_models_set_aside", {
      provider: id,
      credential: "default",
    });
  expect(await aside()).toBe(1);
  up.clear();
  up.on("*", hi);
  expect((await chat(`to-${id}`)).status).toBe(200);
  expect((await healthOf(id))[0]?.models).toMatchObject([{ state: "available", until: null }]);
  expect(await aside()).toBe(0);
  const events = running.log.map((line) => JSON.parse(line)).filter(({ provider }) => provider === id);
  expect(events.map(({ event }) => event)).toContain("candidate_usable");
});

test("faults of the request and of the client are not those of the provider", async () => {
  const id = await routed();
  up.clear();
  up.on("*", { status: 400, json: { error: { message: "bad request" } } });
  for (let n = 0; n < 6; n++) expect((await chat(`to-${id}`)).status).toBe(400);
  up.clear();
  up.on("*", (line) => line.closed);
  const left = Array.from({ length: 6 }, async () => {
    const leaving = new AbortController();
    const body = JSON.stringify({ model: `to-${id}`, messages: [{ role: "user", content: "hi" }] });
    const headers = { authorization: `Bearer ${running.key}`, "content-type": "application/json" };
    const requested = fetch(`${running.url}/v1/chat/completions`, {
      method: "POST",
      headers,
      body,
      signal: leaving.signal,
    });
    await up.seen(0);
    leaving.abort();
    await requested.catch(() => undefined);
  });
  await Promise.all(left);
  await Promise.all(up.requests.map(({ aborted }) => aborted));
  const [state] = await healthOf(id);
  expect(state).toMatchObject({ state: "available", requests: 0, error_rate: null, last_error: null });
  expect(state?.models).toMatchObject([{ state: "available", breaker: "closed", requests: 0 }]);
});

test("a test uses every credential, and shows each with its status and without secrets", async () => {
  const id = unused();
  await create(id, {
    config: { kind: "compatible", base_url: `${up.url}/v1` },
    credentials: [
      { name: "one", credential: "first-canary" },
      { name: "two", credential: "second-canary" },
    ],
  });
  up.clear();
  up.on("*", async (line) => {
    const isFirst = line.request.headers.get("authorization") === "Bearer first-canary";
    const message = "the key second-canary at https://internal.example is not valid";
    await line.play(isFirst ? { json: { data: [{ id: "m" }] } } : { status: 401, json: { error: { message } } });
  });
  const { body } = await ask(`POST providers/${id}/test`);
  expect(body).toMatchObject({
    object: "provider_test",
    ok: false,
    models: 1,
    error: { code: "upstream_credentials" },
  });
  expect(body["credentials"]).toEqual([
    { credential: "one", ok: true, status: 200, models: 1, duration_ms: expect.any(Number), error: null },
    {
      ...{ credential: "two", ok: false, status: 401, models: null, duration_ms: expect.any(Number) },
      error: { code: "upstream_credentials", message: expect.stringContaining("is not valid") },
    },
  ]);
  expect(JSON.stringify(body)).not.toMatch(/canary|internal\.example/);
  // A test is not traffic.
  expect((await healthOf(id)).map(({ requests }) => requests)).toEqual([0, 0]);
});

test("the gauges have one series for each state of each credential, and the list shows the same", async () => {
  const id = await routed();
  await chat(`to-${id}`);
  const samples = samplesOf(await metricsText(running)).filter(
    ({ name, labels }) => name === "turnpike_upstream_state" && labels["provider"] === id,
  );
  expect(samples.map(({ labels, value }) => [labels["credential"], labels["state"], value])).toEqual([
    ["default", "available", "1"],
    ["default", "half_open", "0"],
    ["default", "breaker_open", "0"],
    ["default", "rate_limited", "0"],
  ]);
  const listed = dataIn(await ask("GET providers?limit=100")).find((each) => each["id"] === id);
  expect(listed?.["health"]).toMatchObject([{ state: "available", requests: 1, error_rate: 0 }]);
});

test("a change of a provider is audited without its state", async () => {
  const id = await routed();
  await chat(`to-${id}`);
  await ask(`PATCH providers/${id}`, { config: { ...compatible, models: ["m", "n"] } });
  const [entry] = dataIn(await ask("GET audit?limit=1"));
  expect(JSON.stringify(entry)).toContain('"n"');
  expect(JSON.stringify(entry)).not.toContain("health");
});
