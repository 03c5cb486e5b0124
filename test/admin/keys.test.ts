// Keys and projects through the admin API: every verb, used at once, bounds from both sides, and what the file defines.

import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { admin, dataIn, errorIn, type Json } from "./setting.ts";

const yaml = `
projects:
  filed-project: { allowed_models: ["sandbox/*"] }
keys:
  filed: { secret: tp-file-key-canary, project: filed-project, allowed_models: [sandbox/chat] }
`;
const { ask, running, token } = await admin({ yaml });
let made = 0;
const unused = () => `name-${++made}`;
const create = async (body: object = {}) => {
  const answer = await ask("POST keys", { name: unused(), ...body });
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 201 });
  return answer.body;
};
const models = async (key: unknown) =>
  (await fetch(`${running.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status;
const chat = async (key: unknown) =>
  (
    await fetch(`${running.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "sandbox/chat", messages: [{ role: "user", content: "hi" }] }),
    })
  ).status;

describe("keys", () => {
  test("one that is created works at once, and its secret is shown once", async () => {
    const { secret, ...key } = await create({ rules: { allowed_operations: ["chat"] }, metadata: { team: "a" } });
    expect(secret).toMatch(/^tp-[A-Za-z0-9]{43}$/);
    expect(key).toMatchObject({
      object: "key",
      source: "api",
      project_id: "default",
      state: "active",
      version: expect.any(Number),
      metadata: { team: "a" },
      rules: { allowed_operations: ["chat"] },
    });
    expect(await chat(secret)).toBe(200);
    const got = await ask(`GET keys/${key["id"]}`);
    expect(got.body).toEqual(key);
    expect(got.text).not.toContain(String(secret));
  });

  test("a given secret and a given hash work, and are not returned", async () => {
    const own = "sk-from-another-gateway-1";
    expect((await create({ secret: own }))["secret"]).toBeNull();
    expect(await models(own)).toBe(200);
    const hashed = "sk-known-by-its-hash-only";
    await create({ secret: `sha256:${createHash("sha256").update(hashed).digest("hex")}` });
    expect(await models(hashed)).toBe(200);
    const again = await ask("POST keys", { name: unused(), secret: own });
    expect(errorIn(again)).toMatchObject({ status: 409, code: "already_exists" });
  });

  test("a change applies at once: rules, pause, expiry, project", async () => {
    const { id, secret } = await create();
    expect(await chat(secret)).toBe(200);
    await ask(`PATCH keys/${id}`, { rules: { refused_models: ["sandbox/*"] } });
    expect(await chat(secret)).toBe(403);
    await ask(`PATCH keys/${id}`, { rules: {} });
    expect(await chat(secret)).toBe(200);
    expect((await ask(`PATCH keys/${id}`, { disabled: true })).body).toMatchObject({ state: "disabled" });
    expect(await chat(secret)).toBe(401);
    expect((await ask(`PATCH keys/${id}`, { disabled: false })).body).toMatchObject({ state: "active" });
    expect(await chat(secret)).toBe(200);
    expect((await ask(`PATCH keys/${id}`, { expires_at: "2001-01-01" })).body).toMatchObject({ state: "expired" });
    expect(await chat(secret)).toBe(401);
    expect((await ask(`PATCH keys/${id}`, { expires_at: null, name: unused() })).body).toMatchObject({
      expires_at: null,
    });
    expect(await chat(secret)).toBe(200);
  });

  test("rotation keeps the id, and the old secret for its grace", async () => {
    const { id, secret } = await create();
    const rotated = await ask(`POST keys/${id}/rotate`, { grace_seconds: 3_600 });
    expect(rotated.body).toMatchObject({ id, previous_until: expect.any(String) });
    expect([await models(secret), await models(rotated.body["secret"])]).toEqual([200, 200]);
    const again = await ask(`POST keys/${id}/rotate`, {});
    expect([await models(rotated.body["secret"]), await models(again.body["secret"])]).toEqual([401, 200]);
  });

  test("revoking ends a key at once, and doing it again changes nothing", async () => {
    const { id, secret } = await create();
    const revoked = await ask(`POST keys/${id}/revoke`);
    expect(revoked.body).toMatchObject({ state: "revoked" });
    expect(await models(secret)).toBe(401);
    expect((await ask(`POST keys/${id}/revoke`)).body).toEqual(revoked.body);
    expect((await ask(`PATCH keys/${id}`, { name: unused() })).status).toBe(404);
  });

  test("a batch is made completely or not at all, with one audit entry", async () => {
    const [one, two] = [unused(), unused()];
    const batch = await ask("POST keys/batch", { keys: [{ name: one }, { name: two, metadata: { a: "b" } }] });
    expect(dataIn(batch).map(({ name }) => name)).toEqual([one, two]);
    for (const { secret } of dataIn(batch)) expect(await models(secret)).toBe(200);
    const [entry] = dataIn(await ask("GET audit?resource=keys&limit=1"));
    expect(entry).toMatchObject({ action: "batch", change: { after: { ids: dataIn(batch).map(({ id }) => id) } } });
    const third = unused();
    expect((await ask("POST keys/batch", { keys: [{ name: third }, { name: one }] })).status).toBe(409);
    expect(dataIn(await ask(`GET keys?name=${third}`))).toEqual([]);
  });

  const wrong: [string, object, string][] = [
    ["no name", { name: undefined }, "name"],
    ["a name with spaces", { name: "a b" }, "name"],
    ["a name of 65 characters", { name: "x".repeat(65) }, "name"],
    ["a secret of 7 characters", { secret: "1234567" }, "secret"],
    ["a secret of 513 characters", { secret: "x".repeat(513) }, "secret"],
    ["a hash that is none", { secret: "sha256:abc" }, "secret"],
    ["an unknown member", { admin: true }, "admin"],
    ["an unknown rule", { rules: { everything: true } }, "rules.everything"],
    ["a rule of a wrong type", { rules: { allowed_models: "x" } }, "rules.allowed_models"],
    ["an address that is none", { rules: { allowed_addresses: ["nowhere"] } }, "rules.allowed_addresses.0"],
    ["metadata of a wrong type", { metadata: { a: 1 } }, "metadata.a"],
    ["a time that is none", { expires_at: "later" }, "expires_at"],
  ];
  test.each(wrong)("refuses %s", async (_what, body, param) => {
    const answer = await ask("POST keys", { name: unused(), ...body });
    expect(answer.status).toBe(400);
    expect(String((answer.body["error"] as Json)["param"])).toContain(
      param.split(".").at(-1) === "0" ? "allowed_addresses" : param,
    );
  });

  test("a project that does not exist is refused", async () => {
    expect((await ask("POST keys", { name: unused(), project_id: "proj_nothing" })).status).toBe(404);
  });

  test.each([
    ["grace_seconds", -1, 400],
    ["grace_seconds", 2_592_001, 400],
    ["grace_seconds", 2_592_000, 200],
    ["grace_seconds", 0, 200],
    ["now", true, 400],
  ])("rotate with %s %p is %i", async (member, value, status) => {
    const { id } = await create();
    expect((await ask(`POST keys/${id}/rotate`, { [member]: value })).status).toBe(status);
  });

  test("a stale version is 412", async () => {
    const { id, version } = await create();
    const headers = { "if-match": `"${version}"` };
    expect((await ask(`PATCH keys/${id}`, { metadata: { a: "1" } }, { headers })).status).toBe(200);
    expect((await ask(`PATCH keys/${id}`, { metadata: { a: "2" } }, { headers })).status).toBe(412);
    expect((await ask(`POST keys/${id}/revoke`, undefined, { headers })).status).toBe(412);
  });

  test("are listed in pages with those of the file at the end, and filtered", async () => {
    const ids: unknown[] = [];
    for (let cursor: unknown = ""; cursor !== null; ) {
      const page = await ask(`GET keys?limit=3${cursor === "" ? "" : `&cursor=${cursor}`}`);
      ids.push(...dataIn(page).map(({ id }) => id));
      cursor = page.body["next_cursor"];
    }
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.at(-1)).toBe("file:filed");
    expect(dataIn(await ask("GET keys?limit=100")).map(({ id }) => id)).toEqual(ids);
    for (const state of ["active", "revoked", "expired", "disabled"])
      for (const key of dataIn(await ask(`GET keys?limit=100&state=${state}`))) expect(key["state"]).toBe(state);
    expect((await ask("GET keys?state=odd")).status).toBe(400);
  });

  test("a key of the file is shown without its secret, and is read-only", async () => {
    const { body, text } = await ask("GET keys/file:filed");
    expect(body).toMatchObject({
      source: "file",
      project_id: "file:filed-project",
      version: null,
      rules: { allowed_models: ["sandbox/chat"] },
    });
    expect(text).not.toContain("tp-file-key-canary");
    const calls = ["PATCH keys/file:filed", "POST keys/file:filed/rotate", "POST keys/file:filed/revoke"];
    for (const call of calls)
      expect(errorIn(await ask(call, {}))).toMatchObject({ status: 409, code: "defined_in_file" });
  });
});

describe("projects", () => {
  test("rules of a project hold for its keys at once, and new keys inherit its defaults", async () => {
    const rules = { key_defaults: { allowed_operations: ["chat"] } };
    const project = (await ask("POST projects", { name: unused(), rules })).body;
    expect(project).toMatchObject({ object: "project", source: "api", organization_id: "default", rules });
    const { id, secret, rules: own } = await create({ project_id: project["id"] });
    expect(own).toEqual({ allowed_operations: ["chat"] });
    expect(await chat(secret)).toBe(200);
    const changed = await ask(`PATCH projects/${project["id"]}`, { rules: { refused_models: ["*"] } });
    expect(changed.body["rules"]).toEqual({ refused_models: ["*"] });
    expect(await chat(secret)).toBe(403);
    expect(errorIn(await ask(`DELETE projects/${project["id"]}`))).toMatchObject({
      status: 409,
      code: "project_in_use",
    });
    await ask(`POST keys/${id}/revoke`);
    expect((await ask(`DELETE projects/${project["id"]}`)).status).toBe(200);
    expect((await ask(`GET projects/${project["id"]}`)).status).toBe(404);
  });

  test("those of the file and the default one are listed; the file's are read-only", async () => {
    const listed = dataIn(await ask("GET projects?limit=100"));
    expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining(["default", "file:filed-project"]));
    for (const call of ["PATCH projects/file:filed-project", "DELETE projects/file:filed-project"])
      expect(errorIn(await ask(call, {}))).toMatchObject({ status: 409, code: "defined_in_file" });
    expect((await ask("DELETE projects/default")).status).toBe(409);
  });

  test.each([
    ["no name", {}, "name"],
    ["a name with a slash", { name: "a/b" }, "name"],
    ["an unknown rule", { name: "x", rules: { all: 1 } }, "rules.all"],
  ])("refuses %s", async (_what, body, param) => {
    expect(errorIn(await ask("POST projects", body))).toMatchObject({ status: 400, param });
  });

  test("a name that is taken is 409, a stale version 412", async () => {
    const name = unused();
    const { id, version } = (await ask("POST projects", { name })).body;
    expect((await ask("POST projects", { name })).status).toBe(409);
    const headers = { "if-match": `"${version}"` };
    expect((await ask(`PATCH projects/${id}`, { name: unused() }, { headers })).status).toBe(200);
    expect((await ask(`PATCH projects/${id}`, { name: unused() }, { headers })).status).toBe(412);
  });
});

test("scopes, and no secret in lists, the audit log or the log", async () => {
  const { secret } = await create({ secret: "a-given-secret-canary" });
  expect(secret).toBeNull();
  const reader = { key: await token("keys:read") };
  expect((await ask("GET keys", undefined, reader)).status).toBe(200);
  expect((await ask("POST keys", { name: unused() }, reader)).status).toBe(403);
  const shown = (await create())["secret"];
  const texts = [
    ...(await Promise.all(
      ["keys", "projects", "audit"].map(async (path) => (await ask(`GET ${path}?limit=100`)).text),
    )),
    ...running.log,
  ];
  for (const canary of ["a-given-secret-canary", "tp-file-key-canary", String(shown)])
    expect(texts.filter((text) => text.includes(canary))).toEqual([]);
});
