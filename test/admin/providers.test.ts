// Providers through the admin API: served at once, with credentials that are never shown.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { catalogSetting, hi } from "./catalog-setting.ts";
import { dataIn, errorIn } from "./setting.ts";

const { ask, running, answered, up, compatible, unused, create, chat } = await catalogSetting();

describe("providers", () => {
  test("one that is created answers the next request, with its credential and its headers", async () => {
    up.clear();
    const { body, headers } = await create("fresh", { headers: { "x-team": "header-canary" } });
    expect(body).toEqual({
      object: "provider",
      id: "fresh",
      source: "api",
      config: compatible,
      credentials: [{ name: "main", created_at: expect.any(String) }],
      header_names: ["x-team"],
      ...{ file_line: null, health: [], limit_use: [] },
      created_at: expect.any(String),
      updated_at: expect.any(String),
      version: expect.any(Number),
    });
    expect(headers.get("etag")).toBe(`"${body["version"]}"`);
    up.on("*", hi);
    expect((await chat("fresh/m")).status).toBe(200);
    const sent = up.requests.at(-1);
    expect(sent?.headers.get("authorization")).toBe("Bearer api-canary-credential");
    expect(sent?.headers.get("x-team")).toBe("header-canary");
  });

  test("a change is served at once, and what is not named stays", async () => {
    const id = unused();
    await create(id);
    const changed = await ask(`PATCH providers/${id}`, { config: { ...compatible, models: ["other"] } });
    expect(changed.status).toBe(200);
    expect(changed.body["credentials"]).toEqual([{ name: "main", created_at: expect.any(String) }]);
    expect((await chat(`${id}/other`)).status).toBe(200);
    expect(up.requests.at(-1)?.headers.get("authorization")).toBe("Bearer api-canary-credential");
  });

  test("several credentials are stored; they are used by their weights, and a name alone keeps one", async () => {
    const id = unused();
    await create(id);
    const second = { name: "second", credential: "second-canary" };
    await ask(`PATCH providers/${id}`, { credentials: [second, { name: "main", weight: 0 }] });
    await chat(`${id}/m`);
    expect(up.requests.at(-1)?.headers.get("authorization")).toBe("Bearer second-canary");
    await ask(`PATCH providers/${id}`, {
      credentials: [
        { name: "main", weight: 1 },
        { name: "second", weight: 0 },
      ],
    });
    await chat(`${id}/m`);
    expect(up.requests.at(-1)?.headers.get("authorization")).toBe("Bearer api-canary-credential");
    const narrow = [{ name: "main", limits: { requests_per_minute: 1 } }, { name: "second" }];
    expect((await ask(`PATCH providers/${id}`, { credentials: narrow })).status).toBe(200);
    for (let at = 0; at < 2; at++) await chat(`${id}/m`);
    expect(up.requests.slice(-2).map(({ headers }) => headers.get("authorization"))).toEqual([
      "Bearer api-canary-credential",
      "Bearer second-canary",
    ]);
    const wrong = await ask(`PATCH providers/${id}`, { credentials: [{ name: "main", limits: { requests: 1 } }] });
    expect(wrong.status).toBe(400);
    const unknown = await ask(`PATCH providers/${id}`, { credentials: [{ name: "third" }] });
    expect(errorIn(unknown)).toEqual({ status: 400, code: "invalid_value", param: "credentials[0]" });
  });

  test("one that is deleted is not found any more, and can be created again", async () => {
    const { id } = (await create()).body;
    const deleted = await ask(`DELETE providers/${id}`);
    expect(deleted.body).toEqual({ object: "provider.deleted", id, deleted: true });
    expect((await ask(`GET providers/${id}`)).status).toBe(404);
    expect((await chat(`${id}/m`)).status).toBe(404);
    await create(String(id));
  });

  const wrong: [string, object, string, string][] = [
    ["an unknown kind", { config: { ...compatible, kind: "compatibel" } }, "invalid_value", "config.kind"],
    ["no address", { config: { kind: "compatible" } }, "invalid_value", "config"],
    ["an address that is none", { config: { ...compatible, base_url: "ftp://x" } }, "invalid_value", "config.base_url"],
    ["an unknown member", { config: { ...compatible, colour: 1 } }, "unknown_parameter", "config.colour"],
    [
      "a secret among the rest",
      { config: { ...compatible, credential: "x" } },
      "unknown_parameter",
      "config.credential",
    ],
    ["a wrong type", { config: { ...compatible, models: "m" } }, "invalid_type", "config.models"],
    ["a timeout of 0", { config: { ...compatible, timeout_ms: 0 } }, "invalid_value", "config.timeout_ms"],
    ["a proxy with a password", { config: { ...compatible, proxy: "http://u:p@h" } }, "invalid_value", "config.proxy"],
    ["a name with a slash", { id: "a/b" }, "invalid_value", "id"],
    ["the name of the sandbox", { id: "sandbox" }, "defined_by_built_in", "id"],
    ["a name of the file", { id: "filed" }, "defined_in_file", "id"],
    ["no config", { config: undefined }, "missing_required_parameter", "config"],
    [
      "two credentials of one name",
      {
        credentials: [
          { name: "a", credential: "x" },
          { name: "a", credential: "y" },
        ],
      },
      "invalid_value",
      "credentials",
    ],
    [
      "a path as a service account",
      { credentials: [{ name: "a", service_account: "/etc/passwd" }] },
      "invalid_value",
      "credentials[0].service_account",
    ],
    [
      "21 credentials",
      { credentials: Array.from({ length: 21 }, (_, at) => ({ name: `${at}`, credential: "x" })) },
      "invalid_value",
      "credentials",
    ],
  ];
  test.each(wrong)("refuses %s, and nothing is left of it", async (_what, body, code, param) => {
    const before = dataIn(await ask("GET providers?limit=100"));
    const answer = await ask("POST providers", { id: unused(), config: compatible, ...body });
    expect(errorIn(answer)).toEqual({ status: code.startsWith("defined") ? 409 : 400, code, param });
    expect(dataIn(await ask("GET providers?limit=100"))).toEqual(before);
  });

  test("the gateway itself is not a provider", async () => {
    const config = { kind: "compatible", base_url: "http://gateway.example/v1", models: ["m"] };
    const answer = await ask("POST providers", { id: unused(), config });
    expect(errorIn(answer)).toEqual({ status: 400, code: "invalid_value", param: "config.base_url" });
  });

  test("a name that is taken is 409", async () => {
    const { id } = (await create()).body;
    const again = await ask("POST providers", { id, config: compatible });
    expect(errorIn(again)).toEqual({ status: 409, code: "already_exists", param: "id" });
  });

  test("what the file defines is shown without secrets, and is read-only", async () => {
    const filed = await ask("GET providers/filed");
    expect(filed.body).toMatchObject({
      source: "file",
      version: null,
      config: { kind: "compatible", base_url: `${up.url}/v1`, models: ["f"] },
    });
    expect(filed.headers.get("etag")).toBeNull();
    expect((await ask("GET providers/proxied")).body["config"]).toMatchObject({ proxy: "http://127.0.0.1:9" });
    const calls = [ask("PATCH providers/filed", { config: compatible }), ask("DELETE providers/filed")];
    for (const answer of await Promise.all(calls))
      expect(errorIn(answer)).toEqual({ status: 409, code: "defined_in_file", param: "id" });
    expect((await ask("GET providers/sandbox")).body).toMatchObject({
      source: "built_in",
      config: { kind: "sandbox" },
    });
  });

  test("a provider that a route needs is not deleted", async () => {
    const { id } = (await create()).body;
    const route = await ask("POST routes", { id: "needs", config: { candidates: [{ provider: id, model: "m" }] } });
    expect(route.status).toBe(201);
    expect((await ask(`DELETE providers/${id}`)).status).toBe(400);
    await ask("DELETE routes/needs");
    expect((await ask(`DELETE providers/${id}`)).status).toBe(200);
  });

  test("a stale version is 412", async () => {
    const { id, version } = (await create()).body;
    const headers = { "if-match": `"${version}"` };
    expect((await ask(`PATCH providers/${id}`, { config: { ...compatible, models: ["b"] } }, { headers })).status).toBe(
      200,
    );
    const stale = await ask(`PATCH providers/${id}`, { config: compatible }, { headers });
    expect(errorIn(stale)).toEqual({ status: 412, code: "version_conflict", param: "if-match" });
    expect((await ask(`DELETE providers/${id}`, undefined, { headers })).status).toBe(412);
  });

  test("a test makes one call", async () => {
    const id = unused();
    await create(id, { config: { kind: "compatible", base_url: `${up.url}/v1` } });
    up.clear();
    up.on("*", { json: { object: "list", data: [{ id: "m" }, { id: "n" }] } });
    const proof = await ask(`POST providers/${id}/test`);
    expect(proof.body).toMatchObject({ object: "provider_test", ok: true, models: 2, error: null });
    up.on("*", { status: 401, json: { error: { message: "bad key api-canary-credential" } } });
    const refused = await ask(`POST providers/${id}/test`);
    expect(refused.body).toMatchObject({ ok: false, models: null, error: { code: "upstream_credentials" } });
    expect(refused.body["credentials"]).toMatchObject([
      { credential: null, status: 401, error: { message: expect.stringContaining("bad key [") } },
    ]);
    expect((await ask("POST providers/missing/test")).status).toBe(404);
    up.on("*", hi);
  });
});

test("a running request keeps its snapshot, and another start serves what is stored", async () => {
  const { id } = (await create()).body;
  const gate = Promise.withResolvers<void>();
  up.clear();
  up.on("*", async (line) => {
    await gate.promise;
    return line.play(hi);
  });
  const asking = chat(`${id}/m`);
  await up.seen(0);
  expect((await ask(`DELETE providers/${id}`)).status).toBe(200);
  gate.resolve();
  expect((await asking).status).toBe(200);
  up.on("*", hi);
});

test("no credential and no value of a header is in an answer, the log, the audit log or the store", async () => {
  await ask("GET audit?limit=100");
  await ask("GET providers?limit=100");
  const files = ["turnpike.db", "turnpike.db-wal", "ledger.db"].map((name) => {
    try {
      return readFileSync(join(running.dataFolder, name)).toString("latin1");
    } catch {
      // Not every file is there at each time.
      return "";
    }
  });
  const texts = [...answered, ...running.log, ...running.lines, ...files];
  for (const canary of ["api-canary-credential", "second-canary", "header-canary", "file-canary-credential"])
    expect({ canary, shown: texts.filter((text) => text.includes(canary)).length }).toEqual({ canary, shown: 0 });
});
