// A key that is revoked with `now`: its streams, whole replies, background responses and videos end, each settled once.
import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { adminOf } from "../admin/setting.ts";
import { freshDatabase, serverUrl } from "../store/engines.ts";
import { configuration, startUpstreams, startWorld, stopWorld } from "../support/fixture-gateway.ts";
import { says } from "../support/fixtures.ts";
import { gateway } from "../support/gateway.ts";
import { surfaces } from "../support/http-client.ts";
import { type LedgerRow, ledgerRows } from "../support/ledger.ts";
import { until } from "../support/until.ts";
import { upstream } from "../support/upstream.ts";
import { videoReply } from "../videos/setting.ts";

const upstreams = await startUpstreams();
const world = await startWorld(upstreams, { videoWaitScale: 0.05 });
const { ask } = await adminOf(world.gateway);
afterAll(() => stopWorld(world));

const never = new Promise<void>(() => undefined);
let made = 0;

async function newKey(): Promise<{ id: string; secret: string }> {
  const { status, body } = await ask("POST keys", { name: `ends-${++made}` });
  expect(status).toBe(201);
  return { id: String(body["id"]), secret: String(body["secret"]) };
}

function post(secret: string, path: string, body: object, url = world.gateway.url): Promise<Response> {
  const headers = {
    ...{ authorization: `Bearer ${secret}`, "content-type": "application/json" },
    "anthropic-version": "2023-06-01",
  };
  return fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
}

/** The rows since then, once all of them are settled. */
function settledSince(before: number, count: number, folder = world.gateway.dataFolder): Promise<LedgerRow[]> {
  return until(`${count} rows are settled`, () => {
    const rows = ledgerRows(folder).slice(before);
    return rows.length === count && rows.every(({ state }) => state !== "open" && state !== "pending") && rows;
  });
}

const chat = { at: "alpha", fixture: "openai-chat/text.sse", model: "gpt-x" } as const;
const claude = { at: "claude", fixture: "anthropic-messages/text.sse", model: "claude-x" } as const;
const google = { at: "google", fixture: "gemini/text.sse", model: "gemini-x" } as const;
const native = { at: "responder", fixture: "openai-responses/text.sse", model: "gpt-r" } as const;

const gemini = (model: string, query: string) => `/v1beta/models/${model}:streamGenerateContent${query}`;
const ended = "The API key was revoked.";

describe.each([
  ["chat", chat, "/v1/chat/completions", "[DONE]"],
  ["chat, translated", claude, "/v1/chat/completions", "[DONE]"],
  ["completions", chat, "/v1/completions", "[DONE]"],
  ["responses", native, "/v1/responses", "response.completed"],
  ["responses, translated", chat, "/v1/responses", "response.completed"],
  ["messages", claude, "/v1/messages", "message_stop"],
  ["messages, translated", chat, "/v1/messages", "message_stop"],
  ["gemini", google, gemini("gemini-x", "?alt=sse"), "finishReason"],
  ["gemini, translated", chat, gemini("gpt-x", "?alt=sse"), "finishReason"],
  ["gemini, as an array", google, gemini("gemini-x", ""), "finishReason"],
] as const)("a stream of %s", (name, { at, fixture, model }, path, terminator) => {
  test("ends with an error in the client's words, and its provider is left", async () => {
    const { id, secret } = await newKey();
    const before = ledgerRows(world.gateway.dataFolder).length;
    upstreams[at].clear();
    const isLegacy = path === "/v1/completions";
    // Google's text is in few events.
    const gateAfter = at === "google" ? 1 : 4;
    upstreams[at].on("*", says(isLegacy ? "openai-completions/text.sse" : fixture, { gate: never, gateAfter }));
    const surface = Object.values(surfaces).find((each) => path.startsWith(each.path.split("{")[0] ?? "")) ?? {
      body: {},
    };
    const { model: _, ...body } = surface.body as Record<string, unknown>;
    const response = await post(secret, path, path.includes("v1beta") ? body : { ...body, model, stream: true });
    expect(response.status).toBe(200);
    const reader = response.body?.getReader();
    const first = await reader?.read();
    let text = new TextDecoder().decode(first?.value);
    expect(text.length).toBeGreaterThan(0);
    expect((await ask(`POST keys/${id}/revoke`, { now: true })).body).toMatchObject({ state: "revoked" });
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read())
      text += new TextDecoder().decode(read.value);
    expect(text).toContain(ended);
    expect(text).not.toContain(terminator);
    await (await upstreams[at].seen(0)).aborted;
    const [row] = await settledSince(before, 1);
    expect({ name, ...row }).toMatchObject({
      ...{ name, state: "cancelled", errorCode: "key_revoked", httpStatus: 200, provider: at, charged: true },
    });
    expect((row?.inputTokens ?? 0) + (row?.outputTokens ?? 0)).toBeGreaterThan(0);
    expect((await post(secret, "/v1/chat/completions", { model: "gpt-x", messages: [] })).status).toBe(401);
  });
});

test("a whole reply that has not come is 401, and no other provider is asked", async () => {
  const { id, secret } = await newKey();
  const before = ledgerRows(world.gateway.dataFolder).length;
  for (const each of [upstreams.alpha, upstreams.beta]) each.clear();
  upstreams.alpha.on("*", { json: {}, gate: never, gateAfter: 0 });
  const requested = post(secret, "/v1/chat/completions", { ...surfaces.chat.body, model: "chain" });
  const seen = await upstreams.alpha.seen(0);
  await ask(`POST keys/${id}/revoke`, { now: true });
  const response = await requested;
  expect(response.status).toBe(401);
  expect(response.headers.get("x-should-retry")).toBe("false");
  expect((await response.json()) as object).toMatchObject({
    error: { type: "authentication_error", code: "key_revoked", message: ended, param: null },
  });
  await seen.aborted;
  expect(upstreams.beta.requests).toEqual([]);
  const [row] = await settledSince(before, 1);
  expect(row).toMatchObject({ state: "cancelled", errorCode: "key_revoked", httpStatus: 401, outputTokens: 0 });
});

test("a stream that has not begun is 401", async () => {
  const { id, secret } = await newKey();
  const before = ledgerRows(world.gateway.dataFolder).length;
  upstreams.claude.clear();
  upstreams.claude.on("*", says("anthropic-messages/text.sse", { gate: never, gateAfter: 0 }));
  const requested = post(secret, "/v1/messages", { ...surfaces.messages.body, stream: true });
  await upstreams.claude.seen(0);
  await ask(`POST keys/${id}/revoke`, { now: true });
  const response = await requested;
  expect(response.status).toBe(401);
  expect((await response.json()) as object).toMatchObject({ type: "error", error: { type: "authentication_error" } });
  expect(await settledSince(before, 1)).toMatchObject([{ state: "cancelled", errorCode: "key_revoked" }]);
});

test.each([
  ["disabled", (id: string) => ask(`PATCH keys/${id}`, { disabled: true })],
  ["expired", (id: string) => ask(`PATCH keys/${id}`, { expires_at: new Date(Date.now() - 1_000).toISOString() })],
  ["revoked without it", (id: string) => ask(`POST keys/${id}/revoke`)],
])("work of a key that is %s may finish", async (_name, change) => {
  const { id, secret } = await newKey();
  const gate = Promise.withResolvers<void>();
  upstreams.alpha.clear();
  upstreams.alpha.on("*", says("openai-chat/text.sse", { gate: gate.promise, gateAfter: 2 }));
  const response = await post(secret, "/v1/chat/completions", { ...surfaces.chat.body, stream: true });
  expect((await change(id)).status).toBe(200);
  expect((await post(secret, "/v1/chat/completions", surfaces.chat.body)).status).toBe(401);
  gate.resolve();
  expect(await response.text()).toEndWith("data: [DONE]\n\n");
});

test("work of a key that was revoked before ends when it is revoked with it", async () => {
  const { id, secret } = await newKey();
  upstreams.alpha.clear();
  upstreams.alpha.on("*", says("openai-chat/text.sse", { gate: never, gateAfter: 2 }));
  const response = await post(secret, "/v1/chat/completions", { ...surfaces.chat.body, stream: true });
  await ask(`POST keys/${id}/revoke`);
  expect((await ask(`POST keys/${id}/revoke`, { now: true })).body["work_ended_at"]).toBeString();
  expect(await response.text()).toContain(ended);
});

test("a background response is canceled", async () => {
  const { id, secret } = await newKey();
  const before = ledgerRows(world.gateway.dataFolder).length;
  upstreams.responder.clear();
  upstreams.responder.on("*", says("openai-responses/text.sse", { gate: never, gateAfter: 4 }));
  const request = { model: "gpt-r", input: "hi", background: true, stream: true };
  const response = await post(secret, "/v1/responses", request);
  const reader = response.body?.getReader();
  const first = new TextDecoder().decode((await reader?.read())?.value);
  const responseId = /"id":"(resp_\w+)"/.exec(first)?.[1];
  await upstreams.responder.seen(0);
  await ask(`POST keys/${id}/revoke`, { now: true });
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read());
  expect(await settledSince(before, 1)).toMatchObject([{ state: "cancelled", errorCode: "key_revoked" }]);
  using database = new Database(`${world.gateway.dataFolder}/turnpike.db`, { readonly: true });
  const stored = await until("its row says so", () => {
    const row = database.query("select state from responses where id = ?").get(responseId ?? "") as { state: string };
    return row.state !== "in_progress" && row.state !== "queued" && row;
  });
  expect(stored.state).toBe("cancelled");
});

const videoYaml = (url: string) =>
  `providers:\n  openai: { kind: openai, base_url: "${url}/v1", credential: "canary", models: [sora-2] }\n`;

test("videos are canceled, also one that its provider has not answered", async () => {
  const up = await upstream();
  const first = await gateway({
    yaml: `${videoYaml(up.url)}  vidu: { kind: vidu, base_url: "${up.url}/ent/v2", credential: c, models: [viduq3-pro] }\n`,
  });
  const admin = await adminOf(first);
  const { id, secret } = (await admin.ask("POST keys", { name: "films" })).body;
  up.on("POST /v1/videos", { json: videoReply() });
  up.on("GET /v1/videos/video_up", { json: videoReply({ status: "in_progress" }) });
  const gate = Promise.withResolvers<void>();
  up.on("POST /ent/v2/text2video", { json: { task_id: "vidu-1", state: "created" }, gate: gate.promise, gateAfter: 0 });
  up.on("POST /ent/v2/tasks/vidu-1/cancel", { json: {} });
  const path = "/v1/videos";
  expect((await post(String(secret), path, { model: "sora-2", prompt: "x" }, first.url)).status).toBe(200);
  const pending = post(String(secret), path, { model: "viduq3-pro", prompt: "x" }, first.url);
  await until("the provider is asked", () => up.requests.find((each) => each.path.endsWith("text2video")));
  await admin.ask(`POST keys/${id}/revoke`, { now: true });
  await until("both tasks are over", async () => {
    const tasks = (await admin.ask("GET tasks")).body["data"] as { state: string }[];
    return tasks.length === 2 && tasks.every(({ state }) => state === "cancelled");
  });
  gate.resolve();
  expect((await pending).status).toBe(502);
  await until("the provider is left", () => up.requests.find((each) => each.path.endsWith("/cancel")));
  const rows = await settledSince(0, 2, first.dataFolder);
  expect(rows.map(({ state, errorCode }) => [state, errorCode])).toEqual([
    ["cancelled", "cancelled"],
    ["cancelled", "cancelled"],
  ]);
  await first.stop();
  await up.stop();
});

describe.skipIf(serverUrl === undefined)("on PostgreSQL", () => {
  test("another instance ends its stream, its background response and its video", async () => {
    const database = await freshDatabase();
    const environment = { DATABASE_URL: database.url, TURNPIKE_SECRET: "a-secret-that-is-shared" };
    const yaml = configuration(upstreams);
    const [one, other] = [await gateway({ yaml, environment }), await gateway({ yaml, environment })];
    const admin = await adminOf(one);
    const { id, secret } = (await admin.ask("POST keys", { name: "shared" })).body;
    upstreams.alpha.clear();
    upstreams.responder.clear();
    upstreams.alpha.on("*", says("openai-chat/text.sse", { gate: never, gateAfter: 2 }));
    upstreams.responder.on("*", says("openai-responses/text.sse", { gate: never, gateAfter: 4 }));
    const stream = { ...surfaces.chat.body, stream: true };
    const response = await until("the other instance knows the key", async () => {
      const answer = await post(String(secret), "/v1/chat/completions", stream, other.url);
      return answer.status === 200 && answer;
    });
    const background = { model: "gpt-r", input: "hi", background: true };
    expect((await post(String(secret), "/v1/responses", background, other.url)).status).toBe(200);
    await upstreams.responder.seen(0);
    await admin.ask(`POST keys/${id}/revoke`, { now: true });
    expect(await response.text()).toContain(ended);
    const rows = await settledSince(0, 2, other.dataFolder);
    expect(rows.map(({ state }) => state)).toEqual(["cancelled", "cancelled"]);
    await Promise.all([one.stop(), other.stop()]);
    await database.drop();
  });
});
