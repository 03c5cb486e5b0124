// How users sign in: invites and passwords, and attacks on each.
import { describe, expect, test } from "bun:test";
import { openStore } from "../../src/store/store.ts";
import { adminKey } from "../support/gateway.ts";
import { inviteOf, password, people } from "./people.ts";
import { type Answer, admin, errorIn, type Json } from "./setting.ts";

const setting = await admin();
const { ask, running, answered } = setting;
const { browser, newEmail, user } = people(setting);
const none = { key: null };

describe("the own password", () => {
  const change = { current_password: password, password: "a much better one" };

  test("is changed with the present one: this session stays, the others end, and it is in the audit log", async () => {
    const mine = await user("viewer");
    const other = await browser({ email: mine.email, password });
    const answer = await mine.call("POST session/password", change);
    expect([answer.status, answer.body["actor"]]).toEqual([
      200,
      { kind: "user", id: mine.id, name: mine.email, sign_in: "password" },
    ]);
    expect((await mine.call("GET keys")).status).toBe(200);
    expect(errorIn(await other.call("GET keys"))).toMatchObject({ status: 401, code: "session_ended" });
    expect((await ask("POST session", { email: mine.email, password }, none)).status).toBe(401);
    await browser({ email: mine.email, password: change.password });
    const { data } = (await ask("GET audit")).body as { data: Json[] };
    expect(data.find(({ action }) => action === "change_password")).toMatchObject({
      ...{ resource: "users", object_id: mine.id, actor: { kind: "user", id: mine.id } },
    });
  });

  test("is not changed without the present one, by a short one, by another page, or for a caller without one", async () => {
    const mine = await user("viewer");
    const refused = async (body: Json, expected: Json) =>
      expect(errorIn(await mine.call("POST session/password", body))).toMatchObject(expected);
    await refused({ ...change, current_password: "a wrong one" }, { status: 400, param: "current_password" });
    await refused({ ...change, password: "x".repeat(11) }, { status: 400, param: "password" });
    await refused({ ...change, password: "x".repeat(257) }, { status: 400, param: "password" });
    await refused({ password: change.password }, { status: 400, param: "current_password" });
    await refused({ ...change, more: 1 }, { status: 400, code: "unknown_parameter" });
    for (const [headers, code] of [
      [{ ...mine.own, "x-csrf-token": "other" }, "csrf_token_invalid"],
      [{ ...mine.own, origin: "https://evil.example" }, "origin_not_allowed"],
    ] as const)
      expect(errorIn(await ask("POST session/password", change, { key: null, headers }))).toMatchObject({
        ...{ status: 403, code },
      });
    expect(errorIn(await ask("POST session/password", change))).toMatchObject({ status: 403, code: "no_password" });
    expect((await ask("POST session/password", change, none)).status).toBe(401);
    const operator = await browser({ key: adminKey });
    expect(errorIn(await operator.call("POST session/password", change))).toMatchObject({
      ...{ status: 403, code: "no_password" },
    });
    expect((await mine.call("GET keys")).status).toBe(200);
    await browser({ email: mine.email, password });
  });

  test("cannot be found out with a session", async () => {
    const apart = await admin();
    const mine = await people(apart).user("viewer");
    const tries = [];
    for (let count = 0; count < 7; count++)
      tries.push((await mine.call("POST session/password", { ...change, current_password: "a wrong one" })).status);
    expect(tries.slice(0, 5)).toEqual([400, 400, 400, 400, 400]);
    expect(tries).toContain(429);
    const store = await openStore({ dataFolder: apart.running.dataFolder });
    const rows = await store.query(
      "select change from audit where action = 'sign_in_failed' order by seq desc limit 1",
    );
    expect(JSON.stringify(rows)).toContain(mine.id);
    await store.close();
  });
});

describe("an invite", () => {
  test("shows whom it is for, and works once", async () => {
    const email = newEmail();
    const invite = inviteOf(await ask("POST users", { email, role: "viewer", name: "Ada" }));
    const shown = await ask("POST invite", { invite }, none);
    expect(shown.body).toMatchObject({ object: "invite", email, name: "Ada", expires_at: expect.any(String) });
    const tries = await Promise.all([1, 2, 3].map(() => ask("POST session", { invite, password }, none)));
    expect(tries.map(({ status }) => status).sort()).toEqual([201, 401, 401]);
    expect(errorIn(tries.find(({ status }) => status === 401) as Answer)).toMatchObject({ code: "invite_expired" });
    await ask("GET keys");
    expect(errorIn(await ask("POST invite", { invite }, none))).toMatchObject({ status: 401, code: "invite_expired" });
    await ask("GET keys");
  });

  test("ends when it is revoked, replaced or too old, and with its user", async () => {
    const created = await ask("POST users", { email: newEmail(), role: "viewer" });
    const path = `users/${created.body["id"]}`;
    const invite = async (body: Json = {}) => inviteOf(await ask(`POST ${path}/invite`, body));
    const isGone = async (token: string) => {
      const answer = await ask("POST session", { invite: token, password }, none);
      expect(errorIn(answer)).toMatchObject({ status: 401, code: "invite_expired" });
      await ask("GET keys");
    };
    const second = await invite();
    await isGone(inviteOf(created));
    expect((await ask(`POST ${path}/revoke-invite`)).body["invite_expires_at"]).toBeNull();
    await isGone(second);
    const third = await invite({ expires_in_days: 1 });
    const store = await openStore({ dataFolder: running.dataFolder });
    await store.query("update users set invite_expires_at_ms = $1 where id = $2", [
      Date.now(),
      String(created.body["id"]),
    ]);
    await store.close();
    await isGone(third);
    const fourth = await invite();
    await ask(`PATCH ${path}`, { disabled: true });
    await isGone(fourth);
    expect(errorIn(await ask(`POST ${path}/invite`, {}))).toMatchObject({ status: 400 });
    await ask(`PATCH ${path}`, { disabled: false });
    await isGone(fourth);
    const fifth = await invite();
    await ask(`DELETE ${path}`);
    await isGone(fifth);
  });

  test("for a user with a password sets a new one, and ends the sessions of the old", async () => {
    const mine = await user("viewer");
    const invite = inviteOf(await ask(`POST users/${mine.id}/invite`, {}));
    expect((await mine.call("GET keys")).status).toBe(200);
    await browser({ invite, password: "another password" });
    expect((await mine.call("GET keys")).status).toBe(401);
    expect((await ask("POST session", { email: mine.email, password }, none)).status).toBe(401);
    await browser({ email: mine.email, password: "another password" });
  });

  test("of a page of another origin is refused, and is not used up", async () => {
    const invite = inviteOf(await ask("POST users", { email: newEmail(), role: "viewer" }));
    const headers = { origin: "https://evil.example" };
    for (const path of ["session", "invite"]) {
      const body = path === "session" ? { invite, password } : { invite };
      expect(errorIn(await ask(`POST ${path}`, body, { key: null, headers }))).toMatchObject({
        code: "origin_not_allowed",
      });
    }
    await browser({ invite, password });
  });
});

describe("a password", () => {
  const lengths: [string, string, number][] = [
    ["of 11 characters", "a".repeat(11), 400],
    ["of 11 characters outside the first plane", "🔑".repeat(11), 400],
    ["of 12 characters", "🔑".repeat(12), 201],
    ["of 256 characters", "b".repeat(256), 201],
    ["of 257 characters", "b".repeat(257), 400],
    ["of a megabyte", "b".repeat(1_000_000), 400],
  ];
  test.each(lengths)("%s", async (_what, chosen, status) => {
    const email = newEmail();
    const invite = inviteOf(await ask("POST users", { email, role: "viewer" }));
    const answer = await ask("POST session", { invite, password: chosen }, none);
    expect(answer.status).toBe(status);
    if (status === 400) expect(errorIn(answer)).toMatchObject({ param: "password" });
    // What was refused has not used the invite up.
    else await browser({ email, password: chosen.normalize("NFD") });
    if (status === 400) await browser({ invite, password });
  });

  test("replaces a session of the same browser, whose secret was set by another", async () => {
    const mine = await user("viewer");
    const fixed = mine.own.cookie;
    const again = await browser({ email: mine.email, password }, fixed);
    expect(again.own.cookie).not.toBe(fixed);
    expect((await mine.call("GET keys")).status).toBe(401);
    const unknown = await browser({ email: mine.email, password }, `turnpike_session=tpc-${"a".repeat(43)}`);
    expect(unknown.own.cookie).not.toContain("aaaa");
  });

  test("that is wrong is slowed down, audited with the user, and answered as for nobody", async () => {
    const own = await admin();
    const created = await own.ask("POST users", { email: "ada@example.com", role: "viewer" });
    const attempt = (email: string) => own.ask("POST session", { email, password: "wrong password" }, none);
    const [known, unknown] = [await attempt("ada@example.com"), await attempt("nobody@example.com")];
    expect(known.text.replace(/req_[\w-]+/g, "")).toBe(unknown.text.replace(/req_[\w-]+/g, ""));
    const rest: number[] = [];
    for (let at = 0; at < 5; at++) rest.push((await attempt("ada@example.com")).status);
    expect(rest).toEqual([401, 401, 401, 429, 429]);
    const store = await openStore({ dataFolder: own.running.dataFolder });
    const rows = (await store.query("select change from audit where action = 'sign_in_failed' order by seq")) as {
      change: string;
    }[];
    await store.close();
    const changes = rows.map(({ change }) => (JSON.parse(change) as { after: Json }).after);
    expect(changes.slice(0, 2)).toEqual([{ by: "password", user: created.body["id"] }, { by: "password" }]);
    expect(JSON.stringify(changes)).not.toContain("@");
  });

  test("takes as long for a user who does not exist", async () => {
    const mine = await user("viewer");
    const msOf = async (email: string) => {
      await ask("GET keys");
      const before = performance.now();
      await ask("POST session", { email, password: "wrong password" }, none);
      return performance.now() - before;
    };
    const times: { known: number[]; unknown: number[] } = { known: [], unknown: [] };
    for (let at = 0; at < 4; at++) {
      times.known.push(await msOf(mine.email));
      times.unknown.push(await msOf("nobody@example.com"));
    }
    // A hash takes some 20 ms of work; an answer without one takes less than a tenth of that.
    expect(Math.min(...times.unknown)).toBeGreaterThan(Math.min(...times.known) / 2);
    await ask("GET keys");
  });
});

const bodies: [string, Json][] = [
  ["an email without a password", { email: "a@example.com" }],
  ["a password alone", { password }],
  ["an email and an invite", { email: "a@example.com", invite: "tpi-x", password }],
  ["a key and a password", { key: adminKey, password }],
];
test.each(bodies)("signing in with %s is refused", async (_what, body) => {
  expect(errorIn(await ask("POST session", body, none))).toMatchObject({
    status: 400,
    code: "missing_required_parameter",
  });
});

test("no store, log, audit entry or later answer has a password or the token of an invite", async () => {
  const created = await ask("POST users", { email: newEmail(), role: "viewer" });
  const invite = inviteOf(created);
  await browser({ invite, password });
  const store = await openStore({ dataFolder: running.dataFolder });
  const rows = Bun.inspect([await store.query("select * from users"), await store.query("select * from audit")]);
  await store.close();
  expect(rows).toContain("$argon2id$");
  const users = (await ask("GET users?limit=100")).text;
  const later = [rows, users, (await ask("GET audit?limit=100")).text, ...running.log, ...running.lines];
  for (const secret of [invite, password]) expect(later.filter((text) => text.includes(secret))).toEqual([]);
  expect(answered.filter((text) => text.includes("argon2") || text.includes(password))).toEqual([]);
  expect(answered.filter((text) => text.includes(invite)).length).toBe(1);
});
