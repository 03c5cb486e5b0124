// Paths and methods: hints for base URLs gone wrong, what a path takes, and tricks that must not open another door.
import { describe, expect, test } from "bun:test";
import { at } from "../support/chat-stream-reader.ts";
import { says } from "../support/fixtures.ts";
import { sendRaw } from "../support/raw-http.ts";
import { answersAll, chatBody, errorOf, pathOf, rows, setting, smallest, welcome } from "./setting.ts";

const { world, bearer, send } = await setting();
const asks = rows.filter(({ kind }) => kind === "ask");
const named = rows.map((row) => ({ row, name: `${row.method} ${row.path}` }));
const json = { ...bearer, "content-type": "application/json" };

describe("a base URL gone wrong", () => {
  const ofOne = asks.filter(({ path }) => path.startsWith("/v1/"));

  test.each(ofOne.map((row) => ({ path: pathOf(row) })))("$path without /v1, and with it twice", async ({ path }) => {
    const expected = { type: "invalid_request_error", code: "not_found", param: null };
    const { message: without, ...of } = await errorOf(await send(path.replace("/v1", ""), { method: "POST" }), 404);
    expect(without).toMatch(new RegExp(`/v1 is missing.*the path is ${path}.$`));
    const { message: twice } = await errorOf(await send(`/v1${path}`, { method: "POST" }), 404);
    expect(twice).toMatch(new RegExp(`/v1 twice.*the path is ${path}.$`));
    expect(of).toEqual(path.startsWith("/v1/messages") ? { ...expected, type: "not_found_error" } : expected);
  });

  test("the list of models too", async () => {
    expect(await errorOf(await send("/models"), 404)).toMatchObject({ message: expect.stringContaining("/v1") });
    expect(await errorOf(await send("/v1/v1/models"), 404)).toMatchObject({
      message: expect.stringContaining("twice"),
    });
  });

  test.each([
    ["/v1beta/v1beta", "/v1beta", "/v1beta twice"],
    ["/v1/v1beta", "/v1beta", "/v1 before /v1beta"],
    ["/v1beta/v1", "/v1", "/v1beta before /v1"],
  ])("%s for Google's clients", async (wrong, right, words) => {
    for (const [path, method] of [
      ["/models/gemini-x:generateContent", "POST"],
      ["/models/gemini-x:streamGenerateContent?alt=sse", "POST"],
      ["/models", "GET"],
    ] as const) {
      const { message } = await errorOf(await send(`${wrong}${path}`, { method }), 404);
      expect(message).toContain(words);
      expect(message).toEndWith(`the path is ${right}${path.replace(/\?.*/, "")}.`);
    }
    const { message } = await errorOf(await send(`${wrong}/nothing`), 404);
    expect(message).toContain("/openapi.json");
  });

  test("the messages path says it in its own envelope", async () => {
    for (const path of ["/messages", "/v1/v1/messages", "/v1/messages/nothing"]) {
      const answer = await send(path, { method: "POST" });
      expect(answer.headers.get("request-id")).toBe(answer.headers.get("x-request-id"));
      const body: unknown = await answer.json();
      expect(body).toMatchObject({ type: "error", request_id: expect.any(String), error: { type: "not_found_error" } });
    }
  });

  test("paths under /v1beta say it in Google's envelope", async () => {
    for (const path of ["/v1beta/models/gpt-x:nothing", "/v1beta/nothing"]) {
      const answer = await send(path, { method: "POST" });
      const body: unknown = await answer.clone().json();
      expect(body).toMatchObject({ error: { code: answer.status, details: expect.any(Array) } });
      expect([404, 405]).toContain(answer.status);
      await errorOf(answer, answer.status);
    }
  });

  test("a colon before a verb may be encoded", async () => {
    answersAll(world.upstreams);
    const contents = [{ role: "user", parts: [{ text: "hi" }] }];
    const init = { method: "POST", headers: json, body: JSON.stringify({ contents }) };
    for (const colon of [":", "%3A", "%3a"])
      expect((await send(`/v1beta/models/gpt-x${colon}generateContent`, init)).status).toBe(200);
  });

  test("an unknown path says where the list of paths is", async () => {
    for (const path of ["/v1", "/v1/", "/v1/nothing", "/favicon.ico", "/v1/chat", "/admin/api/nothing"])
      expect(await errorOf(await send(path), 404)).toMatchObject({
        type: "invalid_request_error",
        code: "not_found",
        message: expect.stringContaining("/openapi.json"),
      });
  });
});

describe.each(named)("$name", ({ row }) => {
  test("other methods are 405 with what it takes", async () => {
    const taken = rows.filter(({ path }) => path === row.path).map((each) => each.method);
    const allow = taken.map((method) => (method === "GET" ? "GET, HEAD" : method)).join(", ");
    const others = ["PUT", "PATCH", "DELETE", "OPTIONS", "GET", "POST"].filter(
      (method) => !taken.includes(method as never),
    );
    for (const method of others) {
      const answer = await send(pathOf(row), { method, headers: bearer });
      expect({ method, status: answer.status, allow: answer.headers.get("allow") }).toEqual({
        method,
        status: 405,
        allow,
      });
      expect(await errorOf(answer, 405)).toMatchObject({ code: "method_not_allowed", type: "invalid_request_error" });
    }
  });

  test("HEAD is GET without its body, and nothing else", async () => {
    const answer = await send(pathOf(row), { method: "HEAD", headers: bearer });
    const isRead = rows.some(({ path, method }) => path === row.path && method === "GET");
    expect(answer.status).toBe(isRead ? welcome(row) : 405);
    expect(await answer.text()).toBe("");
    if (!isRead) return;
    const got = await send(pathOf(row), { headers: bearer });
    expect(answer.headers.get("content-type")).toBe(got.headers.get("content-type"));
  });

  test("a query changes nothing", async () => {
    answersAll(world.upstreams);
    const init = smallest(row);
    const path = `${pathOf(row)}?beta=true&x=%2e%2e/admin`;
    expect((await send(path, { ...init, headers: { ...init.headers, ...bearer } })).status).toBe(welcome(row));
  });
});

describe("tricks", () => {
  /** Paths as they stand on the wire: no client library may tidy them. */
  const tricks = [
    "//v1/chat/completions",
    "/v1//chat/completions",
    "/v1/chat/completions/",
    "/v1/./chat/completions",
    "/v1/x/../chat/completions",
    "/v1/%2e%2e/v1/chat/completions",
    "/v1%2fchat/completions",
    "/v1/chat%2Fcompletions",
    "/V1/Chat/Completions",
    "/v1/chat/completions%00",
    "/v1/chat/completions;x=1",
    "/livez/../v1/chat/completions",
    "/livez%2f..%2fv1/models",
    "\\v1\\chat\\completions",
  ];

  test.each(tricks)("%s opens nothing", async (path) => {
    const body = JSON.stringify(chatBody);
    const head = ["host: turnpike", "content-type: application/json", `content-length: ${body.length}`];
    const answer = await sendRaw(
      world.gateway.url,
      [`POST ${path} HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n${body}`],
      20,
    );
    expect([400, 401, 404]).toContain(answer.status);
    expect(world.upstreams.alpha.requests).toHaveLength(0);
  });

  test("an absolute address in the request line is asked as its path", async () => {
    const line = "GET http://elsewhere.example/v1/models HTTP/1.1";
    const answer = await sendRaw(world.gateway.url, [`${line}\r\nhost: elsewhere.example\r\n\r\n`], 20);
    expect(answer.status).toBe(401);
  });

  test("a host header changes nothing", async () => {
    const answer = await sendRaw(world.gateway.url, ["GET /v1/models HTTP/1.1\r\nhost: 127.0.0.1:1\r\n\r\n"], 20);
    expect(answer.status).toBe(401);
  });

  test("a forwarded address changes nothing", async () => {
    expect((await send("/v1/models", { headers: { "x-forwarded-for": "127.0.0.1" } })).status).toBe(401);
  });
});

describe("parts of a path", () => {
  test.each(["sandbox/chat", "sandbox%2Fchat", "sandbox%2fchat"])("a model id %s is found", async (id) => {
    const answer = await send(`/v1/models/${id}`, { headers: bearer });
    expect(await answer.json()).toMatchObject({ id: "sandbox/chat" });
  });

  test("a broken percent sign is 404", async () => {
    expect(await errorOf(await send("/v1/models/%zz", { headers: bearer }), 404)).toMatchObject({ code: "not_found" });
    expect((await send("/v1/models/%ff", { headers: bearer })).status).toBe(404);
  });

  test("the engine of the path may hold an encoded slash; a name in the body wins", async () => {
    world.upstreams.alpha.on("*", says("openai-embeddings/one-float.json"));
    const post = (path: string, body: object) =>
      send(path, { method: "POST", headers: json, body: JSON.stringify(body) });
    expect((await post("/v1/engines/alpha%2Fembed-x/embeddings", { input: "hi" })).status).toBe(200);
    expect(at(world.upstreams.alpha.requests[0]?.json, "model")).toBe("embed-x");
    expect((await post("/v1/engines/nobody/embeddings", { input: "hi", model: "embed-x" })).status).toBe(200);
    const missing = await errorOf(await post("/v1/engines/nobody/embeddings", { input: "hi" }), 404);
    expect(missing).toMatchObject({ code: "model_not_found", param: "model" });
    expect((await post("/v1/engines//embeddings", { input: "hi" })).status).toBe(404);
    expect((await post("/v1/engines/a/b/embeddings", { input: "hi" })).status).toBe(404);
  });

  test("an unknown model is told by name, on one line and not at length", async () => {
    const model = `no\u0000such\r\nmodel ${"x".repeat(5_000)}`;
    const body = JSON.stringify({ ...chatBody, model });
    const error = await errorOf(await send("/v1/chat/completions", { method: "POST", headers: json, body }), 404);
    expect(String(error["message"]).length).toBeLessThan(250);
    expect(error["message"]).not.toMatch(/[\u0000-\u001f]/);
  });
});
