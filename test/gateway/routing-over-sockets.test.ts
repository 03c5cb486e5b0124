// Routes as clients see them: who answers after which failure, with the row in the ledger.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { readAttempts } from "../../src/gateway/ledger/read.ts";
import { says } from "../support/fixtures.ts";
import { clientKey, gateway } from "../support/gateway.ts";
import { ledgerRows } from "../support/ledger.ts";
import { upstream } from "../support/upstream.ts";

const [alpha, beta] = [await upstream(), await upstream()];
const ok = says("openai-chat/text.json");
const error = (status: number, message: string, code: string) => ({
  ...{ status, json: { error: { message, type: "invalid_request_error", code } } },
});
const tooLong = error(400, "This model's maximum context length is 8192 tokens.", "context_length_exceeded");
const unsafe = error(400, "The content was filtered.", "content_filter");
const broken = says("openai-chat/error-500.json");
const limited = { ...error(429, "Slow down.", "rate_limit_exceeded"), headers: { "retry-after": "30" } };

const running = await gateway({
  yaml: `providers:
  alpha: { kind: compatible, base_url: "${alpha.url}/v1", credentials: [{ name: one, credential: key-one, weight: 1000000 }, { name: two, credential: key-two, weight: 0 }], models: [a] }
  beta: { kind: compatible, base_url: "${beta.url}/v1", credential: key-beta, models: [b, long] }
models:
  pair: { candidates: [{ provider: beta, model: b }, { provider: alpha, model: a }] }
  spread: { candidates: [{ provider: alpha, model: a }, { provider: beta, model: b }] }
  long: { candidates: [{ provider: beta, model: long }] }
  careful: { candidates: [{ provider: alpha, model: a }], fallbacks: [{ route: long, after: [context_length, content_refusal] }] }
  pair-alpha: { candidates: [{ provider: alpha, model: a }] }
  again: { candidates: [{ provider: beta, model: again }], repeats: 2 }
  hasty: { candidates: [{ provider: beta, model: b }], total_timeout_ms: 300 }
  weighty: { strategy: weighted, candidates: [{ provider: beta, model: b }] }
  "any-*": { candidates: [{ provider: beta, model: "*" }] }
projects:
  shop: { default_model: long }
keys:
  shop: { secret: tp-shop-key, project: shop }
  narrow: { secret: tp-narrow-key, project: shop, allowed_models: [pair] }
limits: { candidate_cooldown_ms: 1000, request_ms: 60000 }
`,
});
afterAll(async () => {
  await running.stop();
  await Promise.all([alpha.stop(), beta.stop()]);
});
beforeEach(() => {
  alpha.clear();
  beta.clear();
});

async function ask(model: string, more: object = {}, key = clientKey) {
  const response = await fetch(`${running.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }], ...more }),
  });
  const body = (await response.json()) as { error?: { code: string } };
  const row = ledgerRows(running.dataFolder).at(-1);
  return {
    status: response.status,
    code: body.error?.code,
    provider: response.headers.get("x-turnpike-provider"),
    model: response.headers.get("x-turnpike-model"),
    attempts: Number(response.headers.get("x-turnpike-attempts")),
    ledger: [row?.state, row?.upstreamModel],
  };
}

const keysOf = () => alpha.requests.map(({ headers }) => headers.get("authorization"));

describe("fallbacks of a route", () => {
  test.each([
    ["a context that is too short", tooLong],
    ["refused content", unsafe],
  ])("follow %s", async (_name, refusal) => {
    alpha.on("*", refusal);
    beta.on("*", ok);
    const seen = await ask("careful");
    expect(seen).toMatchObject({ status: 200, provider: "beta", model: "long", attempts: 2 });
    expect(seen.ledger).toEqual(["completed", "long"]);
  });

  const filtered = (content: string) => ({
    json: {
      ...{ id: "1", object: "chat.completion", created: 1, model: "a" },
      choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "content_filter" }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    },
  });

  test("follow a whole reply that ended because its content was refused", async () => {
    alpha.on("*", filtered("I ca"));
    beta.on("*", ok);
    const seen = await ask("careful");
    expect(seen).toMatchObject({ status: 200, provider: "beta", model: "long", attempts: 2 });
    expect(readAttempts(running.dataFolder, String(Object(ledgerRows(running.dataFolder).at(-1)).id))).toMatchObject([
      { provider: "alpha", outcome: "possible", errorCode: "content_policy_violation" },
    ]);
    expect(await ask("spread")).toMatchObject({ status: 200, provider: "alpha" });
  });

  test("of a fallback its own refusal is the reply", async () => {
    alpha.on("*", filtered(""));
    beta.on("*", filtered(""));
    expect(await ask("careful")).toMatchObject({ status: 200, provider: "beta", attempts: 2 });
  });

  const chunk = (delta: object, finish: string | null) =>
    `data: ${JSON.stringify({
      ...{ id: "1", object: "chat.completion.chunk", created: 1, model: "a" },
      choices: [{ index: 0, delta, finish_reason: finish }],
    })}\n\n`;

  async function streamedBy(model: string, answered?: () => void): Promise<{ provider: string | null; text: string }> {
    const response = await fetch(`${running.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${clientKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model, stream: true, messages: [{ role: "user", content: "hi" }] }),
    });
    answered?.();
    return { provider: response.headers.get("x-turnpike-provider"), text: await response.text() };
  }
  const events = (...chunks: string[]) => ({
    ...{ status: 200, headers: { "content-type": "text/event-stream" } },
    ...{ frames: [...chunks, "data: [DONE]\n\n"], gapMs: 10 },
  });

  test("follow a stream that ends so before it has content, and no other one", async () => {
    beta.on("*", says("openai-chat/text.sse"));
    const start = chunk({ role: "assistant", content: "" }, null);
    alpha.on("*", events(start, chunk({}, "content_filter")));
    expect((await streamedBy("careful")).provider).toBe("beta");
    const answered = Promise.withResolvers<void>();
    alpha.on("*", async (line) => {
      await line.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n");
      await line.write(start + chunk({ content: "Once upon" }, null));
      // Only what the client has received cannot be taken back.
      await answered.promise;
      await line.write(`${chunk({}, "content_filter")}data: [DONE]\n\n`);
      line.end();
    });
    const late = await streamedBy("careful", answered.resolve);
    expect(late.provider).toBe("alpha");
    expect(late.text).toContain("Once upon");
    expect(late.text).toContain("content_filter");
    alpha.on("*", says("openai-chat/text.sse"));
    const plain = await streamedBy("careful");
    expect([plain.provider, plain.text]).toEqual(["alpha", (await streamedBy("pair-alpha")).text]);
  });

  test("do not follow other failures", async () => {
    alpha.on("*", broken, broken);
    const seen = await ask("careful");
    expect(seen).toMatchObject({ status: 502, provider: "alpha", attempts: 1 });
    expect(seen.ledger[0]).toBe("failed");
    expect(beta.requests).toEqual([]);
  });

  test("are not asked where the first candidate answers", async () => {
    alpha.on("*", ok);
    expect(await ask("careful")).toMatchObject({ status: 200, provider: "alpha", attempts: 1 });
  });
});

test("`default` is the default model of the project, with its rules, in the ledger too", async () => {
  beta.on("*", ok);
  expect(await ask("default", {}, "tp-shop-key")).toMatchObject({ status: 200, provider: "beta", model: "long" });
  expect(ledgerRows(running.dataFolder).at(-1)?.model).toBe("long");
  expect(await ask("default", {}, "tp-narrow-key")).toMatchObject({ status: 403, code: "model_not_allowed" });
  expect(await ask("default")).toMatchObject({ status: 404, code: "model_not_found" });
});

test("the same candidate is asked again where the route says so, and no other one is", async () => {
  beta.on("*", broken, broken, ok);
  expect(await ask("again")).toMatchObject({ status: 200, provider: "beta", attempts: 3 });
});

test("one deadline holds for all attempts", async () => {
  beta.on("*", (line) => line.closed);
  const seen = await ask("hasty");
  expect(seen).toMatchObject({ status: 504, code: "upstream_timeout", attempts: 1 });
  expect(seen.ledger[0]).toBe("failed");
});

test("a pattern asks for the model that the client named", async () => {
  beta.on("*", ok);
  expect(await ask("any-thing")).toMatchObject({ status: 200, model: "any-thing" });
});

describe("credentials", () => {
  test("a rate limit goes on to the other one, and that one is asked first while it lasts", async () => {
    alpha.on("*", limited, ok, ok);
    expect(await ask("spread")).toMatchObject({ status: 200, provider: "alpha", attempts: 2 });
    expect(await ask("spread")).toMatchObject({ status: 200, provider: "alpha", attempts: 1 });
    expect(keysOf()).toEqual(["Bearer key-one", "Bearer key-two", "Bearer key-two"]);
  });

  test("a server that fails is not asked under the other one", async () => {
    alpha.on("*", broken, ok);
    beta.on("*", ok);
    expect(await ask("spread")).toMatchObject({ status: 200, provider: "beta", attempts: 2 });
    expect(alpha.requests.length).toBe(1);
  });
});

test("an upstream that fails again and again is asked last, and the log says so once", async () => {
  beta.on("*", ...Array.from({ length: 5 }, () => broken));
  alpha.on("*", ...Array.from({ length: 7 }, () => ok));
  for (const attempts of [2, 2, 2, 2, 2, 1, 1])
    expect(await ask("pair")).toMatchObject({ status: 200, provider: "alpha", attempts });
  const opened = running.log.map((line) => JSON.parse(line)).filter(({ change }) => change === "breaker_opened");
  expect(opened).toEqual([expect.objectContaining({ event: "upstream_changed", provider: "beta", model: "b" })]);
});
