// `POST routes/explain`: the order that requests then have, what a key gets, and why candidates are left out.
import { expect, test } from "bun:test";
import { upstream } from "../support/upstream.ts";
import { hi } from "./catalog-setting.ts";
import { admin, errorIn, type Json } from "./setting.ts";

const up = await upstream();
up.on("*", hi);
const at = (name: string, more = "") =>
  `  ${name}: { kind: compatible, base_url: "${up.url}/${name}/v1", models: [m]${more} }`;
const { ask, running, token } = await admin({
  yaml: `
providers:
${at("plain")}
${at("blind", ", model_capabilities: [{ models: ['*'], image_input: false, context_tokens: 1000 }]")}
${at("abroad", ", tags: { region: us }")}
  capped:
    kind: compatible
    base_url: "${up.url}/capped/v1"
    models: [m]
    limits: { requests_per_minute: 1 }
    credentials: [{ name: one, credential: sk-canary-one, weight: 3 }, { name: two, credential: sk-canary-two }]
models:
  smart:
    strategy: weighted
    affinity_seconds: 300
    aliases: [clever]
    candidates:
      - { provider: plain, model: m, weight: 3 }
      - { provider: blind, model: m, weight: 9 }
      - { provider: abroad, model: m, tier: 2 }
    fallbacks: [{ route: capped }]
  cheap:
    strategy: cheapest
    candidates: [{ provider: plain, model: m }, { provider: blind, model: m }]
  capped: { candidates: [{ provider: capped, model: m }] }
  fragile: { candidates: [{ provider: abroad, model: broken }, { provider: plain, model: m }] }
prices:
  cost:
    - { model: m, provider: plain, usd: { input: 3, output: 15 } }
    - { model: m, provider: blind, usd: { input: 1, output: 2 } }
  price: [{ model: cheap, factor: 2 }]
keys:
  narrow: { secret: tp-narrow-key-of-the-file, allowed_models: [smart, cheap], refused_providers: [abroad, capped] }
`,
});

async function explain(body: object, options: { key?: string } = {}) {
  const answer = await ask("POST routes/explain", body, options);
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  expect(answer.text).not.toContain("canary");
  const { candidates, skipped, ...rest } = answer.body as { candidates: Json[]; skipped: Json[] } & Json;
  const names = candidates.map(({ provider, credential, code }) =>
    [provider, credential, code].filter(Boolean).join(" "),
  );
  const left = Object.fromEntries(skipped.map(({ provider, code }) => [provider, code]));
  return { candidates, skipped, names, left, ...rest } as Json & { candidates: Json[]; names: string[]; left: Json };
}

test("tiers, weights and shares, with the price of each candidate", async () => {
  const { names, candidates, route, refusal } = await explain({ model: "clever" });
  expect({ route, refusal }).toEqual({
    route: { name: "smart", strategy: "weighted", aliases: ["clever"], affinity_seconds: 300, repeats: 0 },
    refusal: null,
  });
  expect(names).toEqual([
    ...["blind chosen_by_weighted", "plain next_by_weighted", "abroad later_tier"],
    ...["capped one after_error", "capped two after_error"],
  ]);
  expect(candidates).toMatchObject([
    { share: 0.75, weight: 9, supports: { images: false, max_input_tokens: 1000 }, state: "available" },
    { share: 0.25, cost_per_million: { input: "3", output: "15" } },
    { share: null, tier: 2, cost_per_million: { input: null, output: null } },
    { limits: [{ requests_per_minute: 1 }] },
    {},
  ]);
});

test("what the request needs leaves candidates out", async () => {
  const images = await explain({ model: "smart", images: true });
  expect(images.names[0]).toBe("plain chosen_by_weighted");
  expect(images.left).toMatchObject({ blind: "lacks_images" });
  const long = await explain({ model: "smart", input_tokens: 5000 });
  expect(long.left).toMatchObject({ blind: "context_too_short" });
  expect(JSON.stringify(long["skipped"])).toContain("It accepts 1000 input tokens, and the request has 5000.");
});

test("what a key gets: its rules leave candidates out, or refuse the model", async () => {
  const { body } = await ask("GET keys?limit=100");
  const id = String((body["data"] as Json[]).find(({ name }) => name === "narrow")?.["id"]);
  const allowed = await explain({ model: "smart", key_id: id });
  expect(allowed.names).toEqual(["blind chosen_by_weighted", "plain next_by_weighted"]);
  expect(allowed.left).toMatchObject({ abroad: "not_permitted", capped: "not_permitted" });
  const refused = await explain({ model: "capped", key_id: id });
  expect(refused["refusal"]).toMatchObject({ code: "model_not_allowed" });
  const chat = await fetch(`${running.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: "Bearer tp-narrow-key-of-the-file", "content-type": "application/json" },
    body: JSON.stringify({ model: "capped", messages: [{ role: "user", content: "hi" }] }),
  });
  expect(await chat.json()).toMatchObject({ error: refused["refusal"] as object });
  const unknown = await ask("POST routes/explain", { model: "smart", key_id: "key_unknown" });
  expect(errorIn(unknown)).toMatchObject({ status: 400, param: "key_id" });
});

test("the cheapest first, with what its caller pays", async () => {
  const { names, candidates } = await explain({ model: "cheap" });
  expect(names).toEqual(["blind chosen_by_cheapest", "plain next_by_cheapest"]);
  expect(candidates[0]).toMatchObject({ price_per_million: { input: "2", output: "4" } });
});

test("limits that are reached, and upstreams that fail, as the next request meets them", async () => {
  const send = (model: string) =>
    fetch(`${running.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${running.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
    });
  expect((await send("capped")).status).toBe(200);
  const over = await explain({ model: "capped" });
  expect(over).toMatchObject({ candidates: [], left: { capped: "over_requests_per_minute" } });
  expect(over["refusal"]).toMatchObject({ code: "overloaded" });
  expect((await send("capped")).status).toBe(503);

  up.clear();
  up.on("POST /abroad/v1/chat/completions", {
    status: 404,
    json: { error: { message: "gone", code: "model_not_found" } },
  });
  up.on("*", hi);
  expect((await send("fragile")).headers.get("x-turnpike-provider")).toBe("plain");
  const { names, candidates } = await explain({ model: "fragile" });
  expect(names).toEqual(["plain chosen_by_ordered", "abroad cooling_down"]);
  expect(candidates[1]).toMatchObject({
    state: "set_aside",
    last_error: { status: 404, message: expect.stringContaining("gone") },
  });
});

test("an unknown name, one of a provider, and one without the operation", async () => {
  expect(await explain({ model: "unheard-of" })).toMatchObject({
    ...{ found: null, route: null, candidates: [] },
    refusal: { code: "model_not_found" },
  });
  expect((await explain({ model: "plain/m" })).names).toEqual(["plain chosen_by_ordered"]);
  expect(await explain({ model: "smart", operation: "video" })).toMatchObject({
    candidates: [],
    refusal: { code: "unsupported_parameter" },
  });
});

test("a token that reads the catalog may ask, another one may not", async () => {
  const allowed = await explain({ model: "cheap" }, { key: await token("catalog:read") });
  expect(allowed.names).toHaveLength(2);
  const denied = await ask("POST routes/explain", { model: "smart" }, { key: await token("usage:read") });
  expect(denied.status).toBe(403);
});
