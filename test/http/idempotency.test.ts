// Requests with an Idempotency-Key: each key is one call, whatever the operation, and whoever repeats it.
import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { says } from "../support/fixtures.ts";
import { gateway } from "../support/gateway.ts";
import { ledgerRows } from "../support/ledger.ts";
import { until } from "../support/until.ts";
import { upstream } from "../support/upstream.ts";
import { answersAll, chatBody, errorOf, pathOf, rows, setting, smallest, welcome } from "./setting.ts";

const { world, bearer, send, post } = await setting();
const { gateway: running, upstreams } = world;
const { alpha } = upstreams;

let made = 0;
const newKey = () => ({ "idempotency-key": `key-${++made}` });
const requestCount = () => Object.values(upstreams).reduce((sum, { requests }) => sum + requests.length, 0);

const asks = rows.filter((row) => row.method === "POST" && welcome(row) === 200 && !row.path.includes("admin"));

test.each(asks.map((row) => [row.path, row] as const))(
  "%s is answered again without a second call",
  async (_path, row) => {
    answersAll(upstreams);
    const request = smallest(row);
    const again = { ...request, headers: { ...request.headers, ...bearer, ...newKey() } };
    const first = await send(pathOf(row), again);
    const body = await first.bytes();
    expect({ status: first.status, replayed: first.headers.get("idempotency-replayed") }).toEqual({
      status: 200,
      replayed: null,
    });
    const calls = requestCount();
    const before = ledgerRows(running.dataFolder).length;
    const second = await send(pathOf(row), {
      ...again,
      headers: { ...again.headers, "x-request-id": `again-${made}` },
    });
    expect(Buffer.from(await second.bytes())).toEqual(Buffer.from(body));
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect(second.headers.get("x-request-id")).toBe(`again-${made}`);
    expect(second.headers.get("content-type")).toBe(first.headers.get("content-type") ?? "");
    expect(second.headers.get("x-turnpike-cost")).toBe("0");
    expect(requestCount()).toBe(calls);
    const [replay, ...others] = ledgerRows(running.dataFolder).slice(before);
    expect(others).toEqual([]);
    expect(replay).toMatchObject({
      state: "replayed",
      price: 0,
      cost: 0,
      inputTokens: 0,
      outputTokens: 0,
      httpStatus: 200,
    });
  },
);

test("the order of members and the boundary of a form do not matter, the content does", async () => {
  alpha.on("*", says("openai-chat/text.json"));
  const key = newKey();
  await (await post(chatBody, key)).bytes();
  const turned = Object.fromEntries(Object.entries(chatBody).reverse());
  expect((await post(turned, key)).headers.get("idempotency-replayed")).toBe("true");
  const error = await errorOf(await post({ ...chatBody, temperature: 0.5 }, key), 409);
  expect(error).toMatchObject({ code: "idempotency_conflict", param: "Idempotency-Key" });

  alpha.on("*", { json: { text: "hi" } });
  const formKey = newKey();
  const form = (audio: string) => {
    const parts = new FormData();
    parts.append("model", "gpt-x");
    parts.append("file", new File([audio], "a.wav"));
    return send("/v1/audio/transcriptions", { method: "POST", headers: { ...bearer, ...formKey }, body: parts });
  };
  expect((await form("RIFF")).headers.get("idempotency-replayed")).toBe(null);
  expect((await form("RIFF")).headers.get("idempotency-replayed")).toBe("true");
  expect(await errorOf(await form("RIFX"), 409)).toMatchObject({ code: "idempotency_conflict" });
});

test("a second caller joins the running call, and keeps it alive when the first one leaves", async () => {
  const go = Promise.withResolvers<void>();
  alpha.next(async (line) => {
    await go.promise;
    await line.play(says("openai-chat/text.json"));
  });
  const key = newKey();
  const calls = requestCount();
  const leaving = new AbortController();
  const init = { method: "POST", headers: { ...bearer, "content-type": "application/json", ...key } };
  const body = JSON.stringify(chatBody);
  const first = send("/v1/chat/completions", { ...init, body, signal: leaving.signal }).catch(() => "left");
  await alpha.seen(0);
  const second = post(chatBody, key);
  const third = post(chatBody, key);
  expect(await errorOf(await post({ ...chatBody, temperature: 1 }, key), 409)).toMatchObject({
    code: "idempotency_conflict",
  });
  leaving.abort();
  expect(await first).toBe("left");
  // A request on another connection is read after the others.
  await (await send("/livez")).bytes();
  go.resolve();
  const [one, other] = await Promise.all([second, third]);
  expect([one.status, other.status]).toEqual([200, 200]);
  expect(await one.json()).toEqual(await other.json());
  expect(one.headers.get("idempotency-replayed")).toBe("true");
  expect(requestCount()).toBe(calls + 1);
});

test("a call that everyone has left ends, and its key is free again", async () => {
  const waits = Promise.withResolvers<void>();
  alpha.next(() => waits.promise);
  const key = newKey();
  const leaving = new AbortController();
  const init = { method: "POST", headers: { ...bearer, "content-type": "application/json", ...key } };
  const body = JSON.stringify(chatBody);
  const first = send("/v1/chat/completions", { ...init, body, signal: leaving.signal }).catch(() => "left");
  const seen = await alpha.seen(0);
  leaving.abort();
  expect(await first).toBe("left");
  await seen.aborted;
  waits.resolve();
  alpha.on("*", says("openai-chat/text.json"));
  const again = await until("the key is free", async () => {
    const answer = await post(chatBody, key);
    return answer.status === 200 && answer;
  });
  expect(again.headers.get("idempotency-replayed")).toBe(null);
});

test("a completed stream is replayed with its bytes; one that runs is not joined; one that was cut runs again", async () => {
  const stream = { ...chatBody, stream: true };
  const go = Promise.withResolvers<void>();
  alpha.next(async (line) => {
    await go.promise;
    await line.play(says("openai-chat/text.sse"));
  });
  const key = newKey();
  const first = post(stream, key);
  await alpha.seen(0);
  go.resolve();
  const answer = await first;
  const text = await answer.text();
  expect(text).toContain("[DONE]");
  const again = await post(stream, key);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(again.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(await again.text()).toBe(text);

  const held = Promise.withResolvers<void>();
  const sse = says("openai-chat/text.sse");
  alpha.next(async (line) => {
    await held.promise;
    await line.play(sse);
  });
  const other = newKey();
  const slow = post(stream, other);
  const seen = await alpha.seen(alpha.requests.length);
  const waiting = post(stream, other);
  held.resolve();
  await (await slow).text();
  const joined = await waiting;
  // It came before the stream had begun, or behind its end.
  expect([200, 409]).toContain(joined.status);
  await seen.finished;

  const cut = newKey();
  alpha.next({
    ...says("openai-chat/text.sse"),
    bytes: [Buffer.from('data: {"id":"x","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n')],
  });
  expect(await (await post(stream, cut)).text()).toContain("error");
  alpha.on("*", sse);
  const rerun = await post(stream, cut);
  expect(rerun.headers.get("idempotency-replayed")).toBe(null);
  expect(await rerun.text()).toContain("[DONE]");
});

test("a refusal of the provider is given again; a failure and a rate limit are not", async () => {
  const refusal = newKey();
  alpha.on("*", { status: 400, json: { error: { message: "no", type: "invalid_request_error" } } });
  const first = await errorOf(await post(chatBody, refusal), 400);
  const calls = requestCount();
  const second = await post(chatBody, refusal);
  expect(second.headers.get("idempotency-replayed")).toBe("true");
  expect(await errorOf(second, 400)).toEqual(first);
  expect(requestCount()).toBe(calls);
  for (const status of [500, 429]) {
    const key = newKey();
    for (const each of Object.values(upstreams)) each.on("*", { status, json: { error: { message: "later" } } });
    expect((await post(chatBody, key)).ok).toBe(false);
    for (const each of Object.values(upstreams)) each.on("*", says("openai-chat/text.json"));
    const again = await post(chatBody, key);
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([200, null]);
  }
});

test.each(["", "k".repeat(256), "grün"])(
  "a key that is not 1 to 255 printable characters is refused: %p",
  async (key) => {
    const calls = requestCount();
    const error = await errorOf(await post(chatBody, { "idempotency-key": key }), 400);
    expect(error).toMatchObject({ code: "invalid_value", param: "Idempotency-Key" });
    expect(requestCount()).toBe(calls);
  },
);

test("two callers may use the same key, and nothing of a reply is readable in the database", async () => {
  alpha.on("*", says("openai-chat/text.json"));
  const key = newKey();
  const text = await (await post(chatBody, key)).text();
  using database = new Database(join(running.dataFolder, "turnpike.db"), { readonly: true });
  const stored = JSON.stringify(database.query("select * from idempotent_calls").all());
  expect(stored).not.toContain(text.slice(0, 40));
  expect(stored).not.toContain(key["idempotency-key"]);
});

const one = await upstream();
afterAll(() => one.stop());
const yaml = (more: string) => `providers:
  one: { kind: compatible, base_url: "${one.url}/v1", credential: "sk-one", models: [gpt-x] }
keys: { other: { secret: "tp-other-key" } }
${more}
`;
const ask = (url: string, headers: Record<string, string>, body: object = { ...chatBody, model: "gpt-x" }) =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer tp-test-key", ...headers },
    body: JSON.stringify(body),
  });

test("a reply outlives the process; another key of the gateway does not get it", async () => {
  one.on("*", says("openai-chat/text.json"));
  const dataFolder = mkdtempSync(join(tmpdir(), "turnpike-test-"));
  const first = await gateway({ yaml: yaml(""), dataFolder });
  const key = { "idempotency-key": "outlives" };
  const text = await (await ask(first.url, key)).text();
  await first.stop();
  const second = await gateway({ yaml: yaml(""), dataFolder });
  const again = await ask(second.url, key);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(await again.text()).toBe(text);
  const other = await ask(second.url, { ...key, authorization: "Bearer tp-other-key" });
  expect([other.status, other.headers.get("idempotency-replayed")]).toEqual([200, null]);
  await second.stop();
  rmSync(dataFolder, { recursive: true });
});

test("a reply that is too large is not stored, and where nothing is stored the key is ignored with a warning", async () => {
  one.on("*", says("openai-chat/text.json"));
  const large = { ...chatBody, model: "gpt-x" };
  const small = await gateway({ yaml: yaml("limits: { idempotency_reply_bytes: 1024 }") });
  one.on("*", {
    json: {
      id: "x",
      object: "chat.completion",
      created: 1,
      model: "gpt-x",
      choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "a".repeat(2_000) } }],
    },
  });
  for (const _ of [1, 2]) {
    const answer = await ask(small.url, { "idempotency-key": "large" }, large);
    expect([answer.status, answer.headers.get("idempotency-replayed")]).toEqual([200, null]);
  }
  await small.stop();
  const without = await gateway({ yaml: yaml("responses: { retention_days: 0 }") });
  for (const _ of [1, 2]) {
    const answer = await ask(without.url, { "idempotency-key": "ignored" });
    expect([answer.status, answer.headers.get("idempotency-replayed")]).toEqual([200, null]);
    expect(answer.headers.get("x-turnpike-warnings")).toContain("ignored;field=Idempotency-Key");
  }
  const strict = await ask(without.url, { "idempotency-key": "ignored", "x-turnpike-strict": "true" });
  expect(await errorOf(strict, 400)).toMatchObject({ code: "unsupported_parameter", param: "Idempotency-Key" });
  await without.stop();
});
