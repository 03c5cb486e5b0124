// Headers of answers: the request's id, who answered, what was lost, and whether trying again can help.
import { describe, expect, test } from "bun:test";
import type { Endpoint } from "../../src/http/endpoint.ts";
import { says } from "../support/fixtures.ts";
import { surfaces } from "../support/http-client.ts";
import { answersAll, chatBody, errorOf, pathOf, rows, setting, smallest, welcome } from "./setting.ts";

const { world, bearer, send, post } = await setting();
const { alpha, beta, gamma, claude } = world.upstreams;
const named = rows.map((row) => ({ row, name: `${row.method} ${row.path}` }));

const ask = (row: Endpoint, headers: Record<string, string> = {}) => {
  const init = smallest(row);
  return send(pathOf(row), { ...init, headers: { ...init.headers, ...bearer, ...headers } });
};
const idsOf = ({ headers }: Response) => [headers.get("x-request-id"), headers.get("request-id")];

describe.each(named)("$name", ({ row }) => {
  const hasOwn = row.idHeaders.includes("request-id");

  test("a sane id of the caller is kept, on answers and on errors", async () => {
    answersAll(world.upstreams);
    for (const id of ["a", "req_123.x:y-Z", "x".repeat(128)]) {
      const good = await ask(row, { "x-request-id": id });
      expect(good.status).toBe(welcome(row));
      expect(idsOf(good)).toEqual([id, hasOwn ? id : null]);
      const bad = await ask(row, { "x-request-id": id, authorization: "Bearer wrong" });
      expect(idsOf(bad)[0]).toBe(id);
    }
  });

  test("another one is replaced, and none is repeated", async () => {
    answersAll(world.upstreams);
    const made = new Set<string>();
    for (const id of ["", "two words", "x".repeat(129), "<script>", 'a"b', "ünïcode"]) {
      const [shown] = idsOf(await ask(row, id === "ünïcode" ? { "x-request-id": "%C3%BC" } : { "x-request-id": id }));
      expect(shown).toMatch(/^req_[\w-]{22,32}$/);
      made.add(String(shown));
    }
    expect(made.size).toBe(6);
  });
});

test("a stream has its headers too", async () => {
  claude.on("*", says("anthropic-messages/text.sse"));
  const body = JSON.stringify({ ...surfaces.messages.body, stream: true });
  const headers = {
    ...surfaces.messages.headers,
    ...bearer,
    "content-type": "application/json",
    "x-request-id": "mine",
  };
  const answer = await send("/v1/messages", { method: "POST", headers, body });
  expect(idsOf(answer)).toEqual(["mine", "mine"]);
  expect(answer.headers.get("x-turnpike-provider")).toBe("claude");
  await answer.text();
});

test("replies that are under way at once keep their ids apart", async () => {
  answersAll(world.upstreams);
  const row = rows.find(({ path }) => path === surfaces.chat.path);
  if (row === undefined) throw new Error("there is no row for chat");
  const own = Array.from({ length: 20 }, (_, index) => `own-${index}`);
  const replies = await Promise.all(own.map((id) => ask(row, { "x-request-id": id })));
  expect(replies.map((reply) => idsOf(reply)[0] ?? "")).toEqual(own);
});

test("the models paths answer with request-id where the protocol has it, on errors as well", async () => {
  const version = { ...bearer, "anthropic-version": "2023-06-01" };
  for (const path of ["/v1/models", "/v1/models/nobody"]) {
    const [id, own] = idsOf(await send(path, { headers: version }));
    expect(own).toBe(id);
    expect(idsOf(await send(path, { headers: bearer }))[1]).toBeNull();
  }
});

describe("who answered", () => {
  test("provider, the upstream's model and attempts", async () => {
    alpha.on("*", says("openai-chat/error-429.json"));
    beta.on("*", says("openai-chat/error-503.json"));
    gamma.on("*", says("openai-chat/text.json"));
    const { headers } = await post({ ...chatBody, model: "chain" });
    expect(["provider", "model", "attempts", "warnings"].map((name) => headers.get(`x-turnpike-${name}`))).toEqual([
      "gamma",
      "gpt-c",
      "3",
      null,
    ]);
  });

  test("warnings name the fields; strict makes them errors, in any case of its word", async () => {
    answersAll(world.upstreams);
    const lossy = { ...chatBody, model: "claude-x", seed: 1, frequency_penalty: 1 };
    const { headers } = await post(lossy);
    expect(headers.get("x-turnpike-warnings")).toMatch(/dropped;field=seed/);
    expect(headers.get("x-turnpike-warnings")).toMatch(/field=frequency_penalty/);
    for (const strict of ["true", "TRUE"]) {
      const error = await errorOf(await post(lossy, { "x-turnpike-strict": strict }), 400);
      expect(error).toMatchObject({
        code: "unsupported_parameter",
        param: expect.stringMatching(/seed|frequency_penalty/),
      });
    }
    expect((await post(lossy, { "x-turnpike-strict": "false" })).status).toBe(200);
    expect((await post({ ...chatBody, seed: 1 }, { "x-turnpike-strict": "true" })).status).toBe(200);
  });

  test("the same on an error of a provider, nothing of it where none was asked", async () => {
    alpha.on("*", says("openai-chat/error-400.json"));
    const ours = (answer: Response) => [...answer.headers.keys()].filter((name) => name.startsWith("x-turnpike"));
    expect(ours(await post(chatBody)).sort()).toEqual([
      "x-turnpike-attempts",
      "x-turnpike-model",
      "x-turnpike-provider",
    ]);
    for (const answer of [await post({ ...chatBody, model: "unknown" }), await send("/v1/models", { headers: bearer })])
      expect(ours(answer)).toEqual([]);
  });
});

describe("whether to try again", () => {
  const table = [
    { what: "error-400", status: 400, again: "false", wait: null },
    { what: "error-401", status: 502, again: "false", wait: null },
    { what: "error-429", status: 429, again: "true", wait: "1" },
    { what: "error-500", status: 502, again: "true", wait: null },
    { what: "error-503", status: 503, again: "true", wait: "1" },
  ];
  test.each(table)("$what: x-should-retry $again", async ({ what, status, again, wait }) => {
    alpha.on("*", says(`openai-chat/${what}.json`));
    const answer = await post(chatBody);
    expect([answer.status, answer.headers.get("x-should-retry"), answer.headers.get("retry-after")]).toEqual([
      status,
      again,
      wait,
    ]);
  });

  const waits: [string, Record<string, string>, string, string | null][] = [
    ["seconds", { "retry-after": "7" }, "7", "7000"],
    ["milliseconds win", { "retry-after": "9", "retry-after-ms": "1500" }, "2", "1500"],
    ["a minute is the most", { "retry-after": "1000000000" }, "60", "60000"],
    ["the past is now", { "retry-after": "-5" }, "1", "0"],
    ["nonsense is as good as nothing", { "retry-after": "soon" }, "1", null],
  ];
  test.each(waits)("%s", async (_name, headers, seconds, milliseconds) => {
    alpha.on("*", says("openai-chat/error-429.json", { headers }));
    const answer = await post(chatBody);
    expect([answer.headers.get("retry-after"), answer.headers.get("retry-after-ms")]).toEqual([seconds, milliseconds]);
  });

  test("a date is a wait from now", async () => {
    const headers = { "retry-after": new Date(Date.now() + 20_000).toUTCString() };
    alpha.on("*", says("openai-chat/error-429.json", { headers }));
    const seconds = Number((await post(chatBody)).headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(15);
    expect(seconds).toBeLessThanOrEqual(20);
  });
});

test("answers that are written anew carry no length or encoding of the upstream", async () => {
  alpha.on(
    "*",
    says("openai-chat/text.json", {
      headers: { "set-cookie": "a=b", server: "up", "x-ratelimit-limit-requests": "1" },
    }),
  );
  const { headers } = await post(chatBody);
  for (const name of ["set-cookie", "server", "x-ratelimit-limit-requests"]) expect(headers.get(name)).toBeNull();
});

test("headers of the caller do not travel to the upstream", async () => {
  answersAll(world.upstreams);
  await post(chatBody, { cookie: "a=b", "x-forwarded-for": "1.2.3.4", "x-secret": "s", "openai-organization": "org" });
  const seen = alpha.requests[0]!.headers;
  for (const name of ["cookie", "x-forwarded-for", "x-secret", "x-request-id", "openai-organization"])
    expect({ name, value: seen.get(name) }).toEqual({ name, value: null });
  expect(seen.get("authorization")).toBe("Bearer canary-alpha");
});
