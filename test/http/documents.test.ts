// The gateway's own documents: health, the OpenAPI document, and the page that reads it.
import { describe, expect, test } from "bun:test";
import { at } from "../support/chat-stream-reader.ts";
import { says } from "../support/fixtures.ts";
import { gateway } from "../support/gateway.ts";
import { upstream } from "../support/upstream.ts";
import { adminRows } from "./rows.ts";
import { rows, setting } from "./setting.ts";

const { bearer, send, world } = await setting();
type Tree = Record<string, unknown>;

describe("health", () => {
  test("livez and readyz need no key", async () => {
    expect(await (await send("/livez")).json()).toEqual({ status: "ok" });
    expect(await (await send("/readyz")).json()).toEqual({ status: "ready" });
  });

  test("while draining, readyz is 503, livez is 200, and what is under way ends well", async () => {
    const up = await upstream();
    const yaml = `providers: { slow: { kind: compatible, base_url: "${up.url}/v1", models: [m] } }`;
    const own = await gateway({ yaml, announceMs: 500 });
    const gate = Promise.withResolvers<void>();
    up.on("*", says("openai-chat/text.sse", { gate: gate.promise, gateAfter: 2 }));
    const asking = fetch(`${own.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${own.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "slow/m", stream: true, messages: [{ role: "user", content: "hi" }] }),
    });
    await up.seen(0);
    const stopping = own.stop();
    const ready = await fetch(`${own.url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      503,
      { status: "draining", reason: "The gateway is shutting down." },
    ]);
    expect((await fetch(`${own.url}/livez`)).status).toBe(200);
    gate.resolve();
    expect(await (await asking).text()).toEndWith("data: [DONE]\n\n");
    await stopping;
    await up.stop();
  });
});

describe("the OpenAPI document", () => {
  const document = async () => (await (await send("/openapi.json", { headers: bearer })).json()) as Tree;

  test("has every row of the table and no other", async () => {
    const { paths } = (await document()) as { paths: Record<string, Tree> };
    const listed = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((each) => `${each} ${path}`),
    );
    const expected = [...rows, ...adminRows].map(
      ({ method, path }) => `${method.toLowerCase()} ${path.replace("...}", "}")}`,
    );
    expect(listed.sort()).toEqual(expected.sort());
  });

  test("has the structure of 3.1", async () => {
    const tree = await document();
    expect(tree["openapi"]).toMatch(/^3\.1\.\d+$/);
    expect(tree["info"]).toMatchObject({ title: "Turnpike", version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
    const ids = new Set<unknown>();
    for (const [path, methods] of Object.entries(tree["paths"] as Record<string, Record<string, Tree>>)) {
      expect(path).toStartWith("/");
      for (const [method, operation] of Object.entries(methods)) {
        expect(["get", "post", "patch", "delete"]).toContain(method);
        checkOperation(tree, path, operation);
        ids.add(operation["operationId"]);
      }
    }
    expect(ids.size).toBe(rows.length + adminRows.length);
  });

  test("every reference leads somewhere, and every schema is a schema", async () => {
    const tree = await document();
    for (const [where, value] of walk(tree, "#")) {
      const node = value as Tree;
      if (typeof node["$ref"] === "string")
        expect({ where, target: typeof targetOf(tree, node["$ref"]) }).toEqual({ where, target: "object" });
      if (typeof node["type"] === "string" && "properties" in node) expect(node["type"]).toBe("object");
      if (where.endsWith("/schema")) expect({ where, is: typeof value }).toEqual({ where, is: "object" });
    }
  });

  test("names the fields, bounds and defaults of the specification", async () => {
    const tree = await document();
    const field = (path: string, ...names: string[]) =>
      at(tree, "paths", path, "post", "requestBody", "content", "application/json", "schema", "properties", ...names);
    expect(JSON.stringify(field("/v1/chat/completions", "temperature"))).toMatch(/"minimum":0.*"maximum":2/);
    expect(JSON.stringify(field("/v1/messages", "max_tokens"))).toMatch(/"minimum":1/);
    const required = (path: string) =>
      at(tree, "paths", path, "post", "requestBody", "content", "application/json", "schema", "required") as string[];
    expect(required("/v1/chat/completions").sort()).toEqual(["messages", "model"]);
    expect(required("/v1/messages").sort()).toEqual(["max_tokens", "messages", "model"]);
    expect(required("/v1/embeddings").sort()).toEqual(["input", "model"]);
    expect(required("/v1/engines/{model}/embeddings")).toEqual(["input"]);
  });

  test("says where the gateway is, and which operations belong together", async () => {
    const tree = await document();
    expect(tree["servers"]).toEqual([{ url: world.gateway.url }]);
    const tags = (tree["tags"] as { name: string }[]).map(({ name }) => name);
    const used = Object.values(tree["paths"] as Record<string, Record<string, Tree>>).flatMap((methods) =>
      Object.values(methods).flatMap((operation) => operation["tags"] as string[]),
    );
    expect([...new Set(used)].sort()).toEqual(tags.sort());
  });

  test("every operation says what it answers, and errors in the envelope of its protocol", async () => {
    const tree = await document();
    for (const [path, methods] of Object.entries(tree["paths"] as Record<string, Record<string, Tree>>))
      for (const operation of Object.values(methods)) {
        const content = at(operation, "responses", "200", "content") as Tree;
        expect({ path, types: Object.keys(content).length }).not.toEqual({ path, types: 0 });
        expect({ path, bare: JSON.stringify(content).includes('{"type":"object"}') }).toEqual({ path, bare: false });
      }
    const errorOf = (path: string) => JSON.stringify(at(tree, "paths", path, "post", "responses", "404"));
    expect(errorOf("/v1/messages")).toContain("/MessageErrorResponse");
    expect(errorOf("/v1beta/models/{model}:generateContent")).toContain("/GenerateContentErrorResponse");
    const code = (name: string) => at(tree, "components", "schemas", name, "properties", "error", "properties", "code");
    expect(code("GenerateContentErrorResponse")).toMatchObject({ type: "integer" });
    expect(code("ErrorResponse")).toEqual({ type: ["string", "null"] });
    expect(Object.keys(at(tree, "paths", "/docs", "get", "responses", "200", "content") as Tree)).toEqual([
      "text/html",
    ]);
  });

  test("has each value of an enumeration and each field in one spelling", async () => {
    for (const [where, value] of walk(await document(), "#")) {
      const { enum: values, properties } = value as { enum?: unknown; properties?: Tree };
      if (Array.isArray(values)) {
        const folded = values.map((each) => String(each).toLowerCase());
        expect({ where, doubled: folded.length - new Set(folded).size }).toEqual({ where, doubled: 0 });
      }
      const names = Object.keys(properties ?? {});
      const twins = names.filter((name) => name.includes("_") && names.includes(camelCase(name)));
      expect({ where, twins }).toEqual({ where, twins: [] });
    }
  });

  test("every example is answered by the sandbox", async () => {
    const tree = await document();
    let tried = 0;
    for (const [path, methods] of Object.entries(tree["paths"] as Record<string, Record<string, Tree>>))
      for (const [method, operation] of Object.entries(methods)) {
        const example = at(operation, "requestBody", "content", "application/json", "example");
        if (example === undefined || path.endsWith("/remix") || path === "/v1/responses/compact") continue;
        tried++;
        const query =
          path.startsWith("/videoB") || path.startsWith("/jimeng")
            ? "?Action=CVSync2AsyncSubmitTask&Version=2022-08-31"
            : "";
        const values = new Map(
          (operation["parameters"] as Tree[]).map((each) => [each["name"], String(each["example"])]),
        );
        const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values.get(name) ?? ""));
        const answer = await send(filled + query, {
          method: method.toUpperCase(),
          headers: { ...bearer, "content-type": "application/json", "anthropic-version": "2023-06-01" },
          body: JSON.stringify(example),
        });
        expect({ path, status: answer.status, body: answer.status === 200 ? "" : await answer.text() }).toEqual({
          path,
          status: 200,
          body: "",
        });
      }
    expect(tried).toBeGreaterThan(25);
  });

  test("names what stored responses take behind the question mark", async () => {
    const tree = await document();
    const queryOf = (path: string, method: string) =>
      (at(tree, "paths", path, method, "parameters") as Tree[]).flatMap((each) =>
        each["in"] === "query" ? [each["name"]] : [],
      );
    const one = "/v1/responses/{response_id}";
    expect(queryOf(one, "get")).toEqual(["include[]", "stream", "starting_after"]);
    expect(queryOf(`${one}/input_items`, "get")).toEqual(["include[]", "after", "limit", "order"]);
    expect(queryOf(one, "delete")).toEqual([]);
    const limit = (at(tree, "paths", `${one}/input_items`, "get", "parameters") as Tree[]).find(
      (each) => each["name"] === "limit",
    );
    expect(limit?.["schema"]).toEqual({ type: "integer", minimum: 1, maximum: 100, default: 20 });
  });
});

function checkOperation(tree: Tree, path: string, operation: Tree): void {
  expect(operation["operationId"]).toMatch(/^[a-zA-Z][a-zA-Z0-9]+$/);
  expect(operation["summary"]).toMatch(/\S/);
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const parameters = operation["parameters"] as Tree[];
  expect(parameters.filter((each) => each["in"] === "path").map((each) => each["name"] as string)).toEqual(
    inPath as string[],
  );
  for (const each of parameters) {
    if (each["in"] === "query") expect(each).toMatchObject({ description: expect.stringMatching(/\S/) });
    else expect(each).toMatchObject({ required: true, schema: { type: "string" } });
  }
  for (const [status, answer] of Object.entries(operation["responses"] as Record<string, Tree>)) {
    expect(status).toMatch(/^[1-5]\d\d$/);
    expect(answer["description"]).toMatch(/\S/);
  }
  const schemes = Object.keys(at(tree, "components", "securitySchemes") as Tree);
  for (const way of operation["security"] as Tree[])
    for (const name of Object.keys(way)) expect(schemes).toContain(name);
}

const camelCase = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

function* walk(value: unknown, where: string): Generator<[string, unknown]> {
  if (typeof value !== "object" || value === null) return;
  yield [where, value];
  for (const [name, inner] of Object.entries(value)) yield* walk(inner, `${where}/${name}`);
}

function targetOf(tree: Tree, reference: string): unknown {
  return at(tree, ...reference.replace("#/", "").split("/"));
}

describe("the page", () => {
  const html = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

  test("a browser without a key, or with a wrong one, gets a page that asks for one, and 401", async () => {
    for (const path of ["/docs", "/docs?key=wrong"]) {
      const answer = await send(path, { headers: { accept: html } });
      expect([answer.status, answer.headers.get("content-type")]).toEqual([401, "text/html; charset=utf-8"]);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
      const text = await answer.text();
      expect(text).toContain("key");
      expect(text).not.toContain("wrong");
    }
  });

  test("anybody else without a key gets the error, and so does a browser elsewhere", async () => {
    expect(await (await send("/docs")).json()).toMatchObject({ error: { code: "missing_api_key" } });
    const elsewhere = await send("/openapi.json", { headers: { accept: html } });
    expect([elsewhere.status, elsewhere.headers.get("content-type")]).toEqual([401, "application/json; charset=utf-8"]);
    expect((await send("/v1/models", { headers: { accept: html } })).headers.get("content-type")).toContain("json");
  });

  test("with a key it is the page; nothing can be loaded from elsewhere, nor framed", async () => {
    const answer = await send(`/docs?key=${world.gateway.key}`, { headers: { accept: html } });
    expect(answer.status).toBe(200);
    const policy = answer.headers.get("content-security-policy") ?? "";
    for (const rule of ["default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"])
      expect(policy).toContain(rule);
    expect([answer.headers.get("x-content-type-options"), answer.headers.get("referrer-policy")]).toEqual([
      "nosniff",
      "no-referrer",
    ]);
    const text = await answer.text();
    expect(text).not.toMatch(/(?:src|href)="https?:/);
    expect(text).not.toContain("innerHTML");
    expect(text).not.toContain(world.gateway.key);
  });
});
