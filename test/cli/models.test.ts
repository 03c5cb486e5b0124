// `turnpike models`, `providers` and `routes`: they agree with what the gateway does with the same configuration.
import { afterAll, expect, test } from "bun:test";
import { upstream } from "../support/upstream.ts";
import { place } from "./command.ts";

const first = await upstream();
const second = await upstream();
first.on("GET /v1/models", { json: { data: [{ id: "shared" }] } });
first.on("POST /v1/chat/completions", { status: 500, json: { error: { message: "broken" } } });
second.on("GET /v1/models", { json: { data: [{ id: "shared" }, { id: "own" }] } });
second.on("POST /v1/chat/completions", {
  json: {
    id: "c",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
  },
});
const here = place(`providers:
  first: { kind: compatible, base_url: "${first.url}/v1", credential: sk-canary-of-models }
  second: { kind: compatible, base_url: "${second.url}/v1" }
  ears: { kind: deepgram, base_url: "${first.url}", credential: sk-canary-of-models, models: [nova-3] }
  silent: { kind: compatible, base_url: "${first.url}/none" }
models:
  smart:
    candidates:
      - { provider: ears, model: nova-3 }
      - { provider: first, model: a }
      - { provider: second, model: b }
`);
afterAll(async () => {
  here.remove();
  await first.stop();
  await second.stop();
});

async function json(...words: string[]) {
  const { code, out, err } = await here.run([...words, "--json"]);
  expect(err).toBe("");
  expect(out).not.toContain("canary");
  return { code, value: JSON.parse(out) };
}

test("the candidates of a route are those that a request is sent to, in the same order", async () => {
  const { value } = await json("routes", "explain", "smart");
  expect(value).toMatchObject({ model: "smart", operation: "chat", found: "route" });
  expect(value.candidates).toMatchObject([
    { provider: "first", model: "a" },
    { provider: "second", model: "b" },
  ]);
  expect(value.skipped).toMatchObject([
    { provider: "ears", model: "nova-3", reason: expect.stringContaining("'chat'") },
    { provider: "silent", model: null, reason: "The route does not name it." },
    { provider: "sandbox", model: null },
  ]);

  const gateway = here.start({ TURNPIKE_KEY: "tp-a-client-key" });
  const chat = async (model: string) => {
    first.requests.length = 0;
    second.requests.length = 0;
    const response = await fetch(`${await gateway.url()}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: "Bearer tp-a-client-key", "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
    });
    const posts = [first, second].map(({ requests }) => requests.filter(({ method }) => method === "POST").length);
    return { status: response.status, provider: response.headers.get("x-turnpike-provider"), posts };
  };
  expect(await chat("smart")).toEqual({ status: 200, provider: "second", posts: [1, 1] });
  expect(await chat("second/anything")).toEqual({ status: 200, provider: "second", posts: [0, 1] });
  await gateway.stop();
});

test("a prefix, a listed name, and one that no list has", async () => {
  expect((await json("routes", "explain", "second/own")).value).toMatchObject({
    found: "prefix",
    candidates: [{ provider: "second", model: "own" }],
  });
  expect((await json("routes", "explain", "shared")).value).toMatchObject({
    found: "listed",
    candidates: [{ provider: "first" }, { provider: "second" }],
  });
  expect((await json("routes", "explain", "unheard-of")).value).toMatchObject({
    found: "unlisted",
    candidates: [{ provider: "silent", model: "unheard-of" }],
  });
  const video = await json("routes", "explain", "second/own", "--operation", "video");
  expect(video).toMatchObject({ code: 1, value: { candidates: [] } });
});

test("the text says who is asked and why others are not", async () => {
  const { out } = await here.run(["routes", "explain", "smart"]);
  expect(out).toContain("It is a route of the configuration.");
  expect(out).toMatch(/1\. {2}first\/a .*\n2\. {2}second\/b /);
  expect(out).toMatch(/Not asked:\near.*operation 'chat'/);
  expect(out).toContain("The model list of provider 'silent' is not available.");
});

test("a route is explained with its settings, in the order of its tiers, also by an alias or a pattern", async () => {
  const there = place(`providers:
  second: { kind: compatible, base_url: "${second.url}/v1" }
  capped:
    kind: compatible
    base_url: "${first.url}/v1"
    limits: { cost_per_day: "2.50" }
    credentials: [{ name: main, credential: sk-main, limits: { requests_per_minute: 60 } }]
models:
  careful:
    strategy: weighted
    aliases: [wary]
    candidates:
      - { provider: second, model: b, tier: 2 }
      - { provider: capped, model: c, weight: 3, supports: { tools: false, max_input_tokens: 1000 } }
    fallbacks: [{ route: "any-*", after: [content_refusal] }]
  "any-*": { candidates: [{ provider: second, model: "*" }] }
`);
  const { out } = await there.run(["routes", "explain", "wary", "--offline"]);
  expect(out).toContain("The route is 'careful'.\nStrategy: weighted.\nAliases: wary.\n");
  expect(out).toMatch(
    /1\. {2}capped\/c .*credential main, weight 3, no tools, at most 1000 input tokens, \$2\.5 per day, 60 requests per minute/,
  );
  expect(out).toMatch(/2\. {2}second\/b .*tier 2/);
  expect(out).toMatch(/3\. {2}second\/.* after content_refusal/);
  const { out: text } = await there.run(["routes", "explain", "any-thing", "--offline", "--json"]);
  there.remove();
  expect(JSON.parse(text)).toMatchObject({
    route: { name: "any-*", strategy: "ordered" },
    candidates: [{ provider: "second", model: "any-thing", tier: 1, weight: 1, after: null, limits: [] }],
  });
});

test("models: routes first, then what is listed; without the network only what is declared", async () => {
  const { value } = await json("models");
  expect(value.unavailable).toEqual(["silent"]);
  expect(value.models[0]).toEqual({
    model: "smart",
    source: "route",
    owner: "turnpike",
    candidates: ["first/a", "second/b"],
  });
  const names = value.models.map(({ model }: { model: string }) => model);
  for (const name of ["shared", "first/shared", "second/shared", "own", "nova-3", "sandbox/chat"])
    expect(names).toContain(name);
  first.requests.length = 0;
  const offline = await json("models", "--offline");
  expect(offline.value.models.map(({ model }: { model: string }) => model)).not.toContain("shared");
  expect(first.requests).toHaveLength(0);
});

test("providers: kind, address, source and how many models; routes: their candidates", async () => {
  const { code, out } = await here.run(["providers", "list", "--json"], {
    OPENAI_API_KEY: "sk-canary",
    OPENAI_BASE_URL: `${first.url}/v1`,
  });
  expect(code).toBe(0);
  expect(out).not.toContain("canary");
  expect(JSON.parse(out)).toMatchObject([
    { name: "first", kind: "compatible", baseUrl: `${first.url}/v1`, source: "file", models: 1 },
    { name: "second", models: 2 },
    { name: "ears", kind: "deepgram", models: 1 },
    { name: "silent", models: null },
    { name: "openai", source: "environment", models: 1 },
    { name: "sandbox", source: "built in", baseUrl: null },
  ]);
  expect((await json("routes", "list")).value).toEqual([
    {
      name: "smart",
      candidates: [
        { provider: "ears", model: "nova-3" },
        { provider: "first", model: "a" },
        { provider: "second", model: "b" },
      ],
    },
  ]);
});

test("providers and routes that were written through the admin API are in the lists, and checked by doctor with their credential", async () => {
  const there = place();
  const environment = { TURNPIKE_ADMIN_KEY: "tp-an-admin-key" };
  const gateway = there.start(environment);
  const write = async (path: string, body: object) => {
    const response = await fetch(`${await gateway.url()}/admin/api/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${environment.TURNPIKE_ADMIN_KEY}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(response.status, await response.clone().text()).toBe(201);
  };
  const config = { kind: "compatible", base_url: `${second.url}/v1` };
  await write("providers", { id: "added", config, credentials: [{ name: "main", credential: "sk-canary-added" }] });
  await write("routes", { id: "team", config: { candidates: [{ provider: "added", model: "own" }] } });

  second.requests.length = 0;
  const providers = await there.run(["providers", "list", "--json"]);
  expect(JSON.parse(providers.out)).toContainEqual(
    expect.objectContaining({ name: "added", source: "api", models: 2 }),
  );
  const explained = await there.run(["routes", "explain", "team", "--json"]);
  expect(JSON.parse(explained.out)).toMatchObject({
    found: "route",
    candidates: [{ provider: "added", model: "own" }],
  });
  const doctor = await there.run(["doctor", "--json"]);
  expect(JSON.parse(doctor.out).checks).toContainEqual(
    expect.objectContaining({ name: "provider added", status: "ok" }),
  );
  const sent = second.requests.map(({ headers }) => headers.get("authorization"));
  expect(new Set(sent)).toEqual(new Set(["Bearer sk-canary-added"]));
  expect(`${providers.out}${explained.out}${doctor.out}`).not.toContain("canary");
  expect(await gateway.stop()).toBe(0);
  there.remove();
});

test("what a key would get: its rules decide, by name or ID, and an unknown key is refused", async () => {
  const there = place(`models:
  open: { candidates: [{ provider: sandbox, model: chat }] }
projects: { team: { allowed_models: [open] } }
keys: { ci: { secret: tp-key-of-the-file, project: team } }
`);
  try {
    const gateway = there.start({ TURNPIKE_KEY: "tp-a-client-key" });
    await gateway.url();
    const made = await there.run(["keys", "create", "--name", "narrow", "--allow-model", "sandbox/*", "--json"]);
    expect(made.err).toBe("");
    expect(await gateway.stop()).toBe(0);
    const { id } = JSON.parse(made.out);
    const explained = async (model: string, key: string) => {
      const { out } = await there.run(["routes", "explain", model, "--key", key, "--offline", "--json"]);
      const { key_id: keyId, refusal, candidates } = JSON.parse(out);
      return { keyId, refusal: refusal?.code ?? null, count: candidates.length };
    };
    expect(await explained("open", "ci")).toEqual({ keyId: "file:ci", refusal: null, count: 1 });
    expect(await explained("sandbox/chat", "ci")).toMatchObject({ refusal: "model_not_allowed" });
    expect(await explained("sandbox/chat", "narrow")).toEqual({ keyId: id, refusal: null, count: 1 });
    expect(await explained("open", id)).toMatchObject({ refusal: "model_not_allowed" });
    const unknown = await there.run(["routes", "explain", "open", "--key", "nothing", "--offline"]);
    expect(unknown.code).not.toBe(0);
    expect(unknown.err).toContain("'nothing'");
  } finally {
    there.remove();
  }
});
