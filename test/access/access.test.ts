// What keys and projects may do: operations, models, providers, tags and addresses, on every path.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { readProjectRules } from "../../src/gateway/policy/rules.ts";
import { gateway } from "../support/gateway.ts";
import { operationRequests, sendAs } from "../support/operation-requests.ts";
import { upstream } from "../support/upstream.ts";

const first = await upstream();
const second = await upstream();
const running = await gateway({
  environment: { TURNPIKE_TRUSTED_PROXIES: "127.0.0.1" },
  yaml: `
providers:
  near: { kind: compatible, base_url: "${first.url}/v1", models: [fast, large], tags: { region: eu } }
  far: { kind: compatible, base_url: "${second.url}/v1", models: [fast, huge], tags: { region: us } }
models:
  smart: { candidates: [{ provider: far, model: fast }, { provider: near, model: fast }] }
projects:
  europe: { required_tags: { region: eu }, allowed_models: ["*"] }
  closed: { allowed_operations: [] }
keys:
  free: { secret: tp-free-key-1 }
  nothing: { secret: tp-nothing-key-1, project: closed }
  chat: { secret: tp-chat-key-1, allowed_operations: [chat] }
  some: { secret: tp-some-key-1, allowed_models: ["sm*", near/large], refused_models: [small] }
  without-fast: { secret: tp-without-key-1, refused_models: [fast] }
  eu: { secret: tp-eu-key-1, project: europe }
  far-only: { secret: tp-far-key-1, allowed_providers: [far] }
  not-far: { secret: tp-not-far-key-1, refused_providers: [far] }
  home: { secret: tp-home-key-1, allowed_addresses: [10.0.0.0/8, "fd00::/8"] }
  ended: { secret: tp-ended-key-1, expires_at: "2020-01-01T00:00:00Z" }
  imported: { secret: "sha256:${new Bun.CryptoHasher("sha256").update("a-key-of-before").digest("hex")}" }
`,
});
afterAll(async () => {
  await running.stop();
  await Promise.all([first.stop(), second.stop()]);
});

const answer = (model: string) => ({
  json: { id: "c", object: "chat.completion", created: 1, model, choices: [choice], usage },
});
const choice = { index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" };
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

beforeEach(() => {
  for (const up of [first, second]) {
    up.clear();
    up.on("POST /v1/chat/completions", answer("fast"));
  }
});

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly provider: string | null;
}

async function chat(key: string, model: string, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(`${running.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
  });
  const body = (await response.json()) as { error?: { code?: string } };
  const provider = response.headers.get("x-turnpike-provider");
  return { status: response.status, code: body.error?.code, provider };
}

describe.each(Object.entries(operationRequests))("%s", (_name, { operation, path, body }) => {
  test("are refused where the project allows no operation", async () => {
    const response = await sendAs("tp-nothing-key-1", running.url + path, body);
    expect([response.status, await response.text()]).toEqual([403, expect.stringContaining("operation_not_allowed")]);
  });

  test("pass for a key that may do this, and for no other", async () => {
    const response = await sendAs("tp-chat-key-1", running.url + path, body);
    await response.text();
    expect(response.status).toBe(operation === "chat" ? 200 : 403);
  });
});

describe("models", () => {
  test.each([
    ["smart", 200],
    ["near/large", 200],
    ["far/huge", 403],
    ["small", 403],
    ["Smart", 403],
  ])("%s is %p for a key with patterns", async (model, status) => {
    expect(await chat("tp-some-key-1", model)).toMatchObject({ status, ...(status === 403 && notAllowed) });
  });

  test("a refused model is not reached under another name", async () => {
    for (const model of ["fast", "near/fast", "smart"])
      expect(await chat("tp-without-key-1", model)).toMatchObject({ status: 403, code: "model_not_allowed" });
    expect(first.requests.length + second.requests.length).toBe(0);
    expect(await chat("tp-without-key-1", "near/large")).toMatchObject({ status: 200 });
  });

  test("the list shows what the key can use", async () => {
    const list = async (key: string): Promise<string[]> => {
      const response = await fetch(`${running.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
      return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
    };
    expect(await list("tp-some-key-1")).toEqual(["smart"]);
    expect(await list("tp-eu-key-1")).not.toContain("huge");
    expect(await list("tp-free-key-1")).toContain("huge");
    const one = await fetch(`${running.url}/v1/models/huge`, { headers: { authorization: "Bearer tp-eu-key-1" } });
    expect(one.status).toBe(404);
  });
});
const notAllowed = { code: "model_not_allowed" };

describe("providers and tags", () => {
  test("bind every candidate of a route, fallbacks too", async () => {
    expect(await chat("tp-free-key-1", "smart")).toMatchObject({ status: 200, provider: "far" });
    expect(await chat("tp-eu-key-1", "smart")).toMatchObject({ status: 200, provider: "near" });
    expect(await chat("tp-not-far-key-1", "smart")).toMatchObject({ status: 200, provider: "near" });
    second.on("POST /v1/chat/completions", { status: 503, json: { error: { message: "busy" } } });
    first.clear();
    expect(await chat("tp-far-key-1", "smart")).toMatchObject({ status: 503, provider: "far" });
    expect(first.requests).toHaveLength(0);
  });

  test("without a candidate that may be asked, nothing is", async () => {
    expect(await chat("tp-eu-key-1", "huge")).toMatchObject({ status: 403, code: "model_not_allowed" });
    expect(second.requests).toHaveLength(0);
  });
});

describe("addresses", () => {
  test.each([
    ["10.1.2.3", 200],
    ["10.1.2.3:5555", 200],
    ["203.0.113.9, 10.1.2.3", 200],
    ["[fd00::1]:4711", 200],
    ["::ffff:10.0.0.1", 200],
    ["10.1.2.3, 203.0.113.9", 403],
    ["203.0.113.9, 127.0.0.1", 403],
    ["", 403],
    ["nonsense", 403],
  ])("behind a trusted proxy, '%s' is %p", async (forwarded, status) => {
    const { status: got, code } = await chat("tp-home-key-1", "near/fast", { "x-forwarded-for": forwarded });
    expect([got, code]).toEqual([status, status === 403 ? "ip_not_allowed" : undefined]);
  });

  test("hold for paths that ask no model", async () => {
    const response = await fetch(`${running.url}/v1/models`, { headers: { authorization: "Bearer tp-home-key-1" } });
    expect(response.status).toBe(403);
  });

  test("without trusted proxies, the header is ignored", async () => {
    const own = await gateway({ yaml: 'keys: { home: { secret: tp-home-key-2, allowed_addresses: ["127.0.0.1"] } }' });
    const forwarded = { authorization: "Bearer tp-home-key-2", "x-forwarded-for": "203.0.113.9" };
    const response = await fetch(`${own.url}/v1/models`, { headers: forwarded });
    expect(response.status).toBe(200);
    await own.stop();
  });

  test("links have the scheme that a trusted proxy names", async () => {
    const links = async (headers: Record<string, string>): Promise<unknown> => {
      const response = await fetch(`${running.url}/openapi.json`, {
        headers: { authorization: "Bearer tp-free-key-1", ...headers },
      });
      return ((await response.json()) as { servers: { url: string }[] }).servers[0]?.url;
    };
    expect(await links({ "x-forwarded-proto": "https" })).toBe(running.url.replace("http:", "https:"));
    expect(await links({ "x-forwarded-proto": "ftp" })).toBe(running.url);
  });
});

test("addresses of end users cannot be set, because they would not be checked", () => {
  const rules = { allowed_addresses: ["10.0.0.0/8"] };
  const read = (project: object) => readProjectRules(JSON.stringify(project));
  expect(() => read({ end_users: { default_rules: rules } })).toThrow();
  expect(() => read({ end_users: { rules: { ann: rules } } })).toThrow();
  expect(read({ ...rules, key_defaults: rules })).toMatchObject(rules);
});

test("an expired key of the file is refused", async () => {
  expect(await chat("tp-ended-key-1", "smart")).toMatchObject({ status: 401, code: "invalid_api_key" });
});

test("a key that is declared by its hash is accepted as it was, and its hash is no key", async () => {
  expect(await chat("a-key-of-before", "smart")).toMatchObject({ status: 200 });
  const hash = new Bun.CryptoHasher("sha256").update("a-key-of-before").digest("hex");
  for (const key of [`sha256:${hash}`, hash]) expect(await chat(key, "smart")).toMatchObject({ status: 401 });
});
