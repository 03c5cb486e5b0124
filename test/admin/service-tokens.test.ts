// Service tokens over a socket: every verb, bounds from both sides, versions, and what a token may do.
import { describe, expect, test } from "bun:test";
import { admin, dataIn, errorIn } from "./setting.ts";

const { ask, token, running, answered } = await admin();
const scopes = ["audit:read"];
const create = (body: object) => ask("POST service-tokens", body);
let made = 0;
const unused = () => `name ${++made}`;

describe("create", () => {
  test("shows the secret once", async () => {
    const created = await create({ name: "ci", scopes });
    expect(created.status).toBe(201);
    const { secret, ...object } = created.body;
    expect(secret).toMatch(/^tps-[A-Za-z0-9]{43}$/);
    expect(object).toEqual({
      object: "service_token",
      id: expect.stringMatching(/^svc_\w{24}$/),
      name: "ci",
      scopes,
      preview: `tps-…${String(secret).slice(-4)}`,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
      version: 1,
    });
    const got = await ask(`GET service-tokens/${object["id"]}`);
    expect(got.body).toEqual(object);
    expect(got.headers.get("etag")).toBe('"1"');
    expect(got.headers.get("cache-control")).toBe("no-store");
  });

  const wrong: [string, object, string, string | null][] = [
    ["no name", { scopes }, "missing_required_parameter", "name"],
    ["no scopes", { name: "x" }, "missing_required_parameter", "scopes"],
    ["an empty name", { name: "", scopes }, "invalid_value", "name"],
    ["a name of 201 characters", { name: "x".repeat(201), scopes }, "invalid_value", "name"],
    ["a name that is a number", { name: 7, scopes }, "invalid_type", "name"],
    ["an empty list of scopes", { name: "x", scopes: [] }, "invalid_value", "scopes"],
    ["a scope twice", { name: "x", scopes: ["audit:read", "audit:read"] }, "invalid_value", "scopes"],
    ["an unknown scope", { name: "x", scopes: ["root"] }, "invalid_value", "scopes[0]"],
    ["a time in words", { name: "x", scopes, expires_at: "tomorrow" }, "invalid_value", "expires_at"],
    ["a day that does not exist", { name: "x", scopes, expires_at: "2031-02-30" }, "invalid_value", "expires_at"],
    ["a time in the past", { name: "x", scopes, expires_at: "2001-01-01" }, "invalid_value", "expires_at"],
    ["an unknown member", { name: "x", scopes, role: "operator" }, "unknown_parameter", "role"],
    ["a member that only the gateway sets", { name: "x", scopes, id: "svc_mine" }, "unknown_parameter", "id"],
  ];
  test.each(wrong)("refuses %s", async (_what, body, code, param) => {
    expect(errorIn(await create(body))).toEqual({ status: 400, code, param });
  });

  test("accepts the bounds", async () => {
    expect((await create({ name: "y".repeat(200), scopes })).status).toBe(201);
    const expiring = await create({ name: unused(), scopes, expires_at: "2099-12-31T23:59:59.999+01:00" });
    expect(expiring.body["expires_at"]).toBe("2099-12-31T22:59:59.999Z");
  });

  test("refuses a name that another live token has, until that one is revoked", async () => {
    const first = await create({ name: "same", scopes });
    expect(errorIn(await create({ name: "same", scopes }))).toEqual({
      status: 409,
      code: "already_exists",
      param: "name",
    });
    await ask(`POST service-tokens/${first.body["id"]}/revoke`);
    expect((await create({ name: "same", scopes })).status).toBe(201);
  });

  test.each([
    ["", 400],
    ["{", 400],
    ["[]", 400],
  ] as const)("refuses the body %j", async (body, status) => {
    const answer = await ask("POST service-tokens", body, { headers: { "content-type": "application/json" } });
    expect(answer.status).toBe(status);
  });
});

describe("list", () => {
  test("pages through all of them, the newest first", async () => {
    for (let at = 0; at < 5; at++) await create({ name: unused(), scopes });
    const all = dataIn(await ask("GET service-tokens?limit=100"));
    const times = all.map(({ created_at }) => String(created_at));
    expect(times).toEqual([...times].sort().reverse());
    const ids: unknown[] = [];
    let cursor: unknown = null;
    do {
      const page = await ask(`GET service-tokens?limit=2${cursor === null ? "" : `&cursor=${cursor}`}`);
      expect(page.body["object"]).toBe("list");
      ids.push(...dataIn(page).map(({ id }) => id));
      cursor = page.body["next_cursor"];
      expect(page.body["has_more"]).toBe(cursor !== null);
    } while (cursor !== null);
    expect(ids).toEqual(all.map(({ id }) => id));
  });

  const wrong: [string, string, string][] = [
    ["limit=0", "invalid_value", "limit"],
    ["limit=101", "invalid_value", "limit"],
    ["limit=many", "invalid_value", "limit"],
    ["limit=-1", "invalid_value", "limit"],
    ["cursor=nonsense", "invalid_value", "cursor"],
    ["cursor=WyJ4Il0", "invalid_value", "cursor"],
    [`cursor=${"a".repeat(1_001)}`, "invalid_value", "cursor"],
    ["page=2", "unknown_parameter", "page"],
  ];
  test.each(wrong)("refuses ?%s", async (query, code, param) => {
    expect(errorIn(await ask(`GET service-tokens?${query}`))).toEqual({ status: 400, code, param });
  });

  test.each(["limit=1", "limit=100"])("accepts ?%s", async (query) => {
    expect((await ask(`GET service-tokens?${query}`)).status).toBe(200);
  });

  test("a cursor of another resource is refused", async () => {
    const { body } = await ask("GET audit?limit=1");
    const answer = await ask(`GET service-tokens?cursor=${body["next_cursor"]}`);
    expect(errorIn(answer)).toEqual({ status: 400, code: "invalid_value", param: "cursor" });
  });
});

describe("update, revoke and versions", () => {
  test("changes what is given and keeps the rest", async () => {
    const { id } = (await create({ name: unused(), scopes, expires_at: "2099-01-01" })).body;
    const changed = await ask(`PATCH service-tokens/${id}`, { scopes: ["usage:read"] });
    expect(changed.body).toMatchObject({
      id,
      scopes: ["usage:read"],
      expires_at: "2099-01-01T00:00:00.000Z",
      version: 2,
    });
    expect(changed.headers.get("etag")).toBe('"2"');
    expect((await ask(`PATCH service-tokens/${id}`, { expires_at: null })).body["expires_at"]).toBeNull();
  });

  test.each(['"1"', "1", 'W/"1"', "*", '"7", "1"'])("a change with If-Match: %s is made once", async (tag) => {
    const { id } = (await create({ name: unused(), scopes })).body;
    const headers = { "if-match": tag };
    expect((await ask(`PATCH service-tokens/${id}`, { name: unused() }, { headers })).status).toBe(200);
    const second = await ask(`PATCH service-tokens/${id}`, { name: unused() }, { headers });
    if (tag === "*") expect(second.status).toBe(200);
    else expect(errorIn(second)).toEqual({ status: 412, code: "version_conflict", param: "if-match" });
  });

  test("of many editors of one version, one wins", async () => {
    const { id } = (await create({ name: unused(), scopes })).body;
    const headers = { "if-match": '"1"' };
    const editors = Array.from({ length: 12 }, () =>
      ask(`PATCH service-tokens/${id}`, { name: unused() }, { headers }),
    );
    const statuses = (await Promise.all(editors)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array<number>(11).fill(412)]);
    expect((await ask(`GET service-tokens/${id}`)).body["version"]).toBe(2);
  });

  test("a revoked token cannot be changed, and revoking again changes nothing", async () => {
    const { id } = (await create({ name: unused(), scopes })).body;
    const revoked = await ask(`POST service-tokens/${id}/revoke`);
    expect(revoked.body["revoked_at"]).toEqual(expect.any(String));
    expect((await ask(`POST service-tokens/${id}/revoke`)).body).toEqual(revoked.body);
    const change = await ask(`PATCH service-tokens/${id}`, { name: unused() });
    expect(errorIn(change)).toEqual({ status: 409, code: "token_revoked", param: null });
  });

  test.each(["GET service-tokens/svc_missing", "POST service-tokens/svc_missing/revoke"])("%s is 404", async (call) => {
    expect(errorIn(await ask(call))).toEqual({ status: 404, code: "object_not_found", param: null });
  });

  test("tokens are not deleted", async () => {
    expect((await ask("DELETE service-tokens/svc_x")).status).toBe(405);
  });
});

describe("who may", () => {
  test.each([
    ["no credential", null, "missing_api_key"],
    ["a client key", running.key, "invalid_api_key"],
    ["a text", "tps-nothing", "invalid_api_key"],
    ["a very long text", "x".repeat(600), "invalid_api_key"],
  ])("%s is 401", async (_what, key, code) => {
    const answer = await ask("GET service-tokens", undefined, { key });
    expect(errorIn(answer)).toEqual({ status: 401, code, param: null });
    // The next one is looked at, because a valid credential forgives what was before.
    await ask("GET audit?limit=1");
  });

  test("a token opens what its scopes name, and notes its use", async () => {
    const secret = await token("audit:read");
    expect((await ask("GET audit", undefined, { key: secret })).status).toBe(200);
    const refused = await ask("GET service-tokens", undefined, { key: secret });
    expect(errorIn(refused)).toEqual({ status: 403, code: "permission_denied", param: null });
    const [newest] = dataIn(await ask("GET service-tokens?limit=1"));
    expect(newest?.["last_used_at"]).toEqual(expect.any(String));
    expect(newest?.["version"]).toBe(1);
  });

  test("a revoked token and an expired one open nothing", async () => {
    const created = await create({ name: unused(), scopes });
    const key = String(created.body["secret"]);
    expect((await ask("GET audit", undefined, { key })).status).toBe(200);
    await ask(`POST service-tokens/${created.body["id"]}/revoke`);
    expect((await ask("GET audit", undefined, { key })).status).toBe(401);
    const soon = new Date(Date.now() + 1_000).toISOString();
    const expiring = String((await create({ name: unused(), scopes, expires_at: soon })).body["secret"]);
    await Bun.sleep(1_001);
    expect((await ask("GET audit", undefined, { key: expiring })).status).toBe(401);
  });
});

test("no secret is in any later answer, the log, or the audit log", async () => {
  const secrets = answered.flatMap((text) => /tps-[A-Za-z0-9]{43}/.exec(text)?.[0] ?? []);
  expect(secrets.length).toBeGreaterThan(10);
  const later = [
    (await ask("GET audit?limit=100")).text,
    (await ask("GET service-tokens?limit=100")).text,
    ...running.log,
  ];
  for (const secret of secrets) expect(later.filter((text) => text.includes(secret))).toEqual([]);
});
