// Users over a socket: their roles, and what a role may not do.
import { describe, expect, test } from "bun:test";
import { inviteOf, password, people } from "./people.ts";
import { admin, dataIn, errorIn, type Json } from "./setting.ts";

const setting = await admin();
const { ask, running } = setting;
const { browser, newEmail, user } = people(setting);
const none = { key: null };

describe("a user", () => {
  test("is created with a role and an invite that expires in a week", async () => {
    const email = newEmail();
    const created = await ask("POST users", { email: ` ${email.toUpperCase()} `, role: "billing" });
    const id = String(created.body["id"]);
    expect(created.body).toMatchObject({
      object: "user",
      id: expect.stringMatching(/^usr_\w{24}$/),
      ...{ email, name: email, role: "billing", status: "invited", sign_in: "password", version: expect.any(Number) },
      invite_url: expect.stringMatching(new RegExp(`^${running.url}/console#invite=tpi-\\w{43}$`)),
    });
    const days = (Date.parse(String(created.body["invite_expires_at"])) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(6.99);
    expect(days).toBeLessThanOrEqual(7);
    const read = await ask(`GET users/${id}`);
    expect(read.body["invite_url"]).toBeUndefined();
    expect(dataIn(await ask("GET users")).map((each) => each["id"])).toContain(id);
    const again = await ask("POST users", { email, role: "owner" });
    expect(errorIn(again)).toEqual({ status: 409, code: "already_exists", param: "email" });
  });

  const wrong: [string, Json, string][] = [
    ["without an email", { role: "viewer" }, "email"],
    ["with a name for an email", { email: "someone", role: "viewer" }, "email"],
    ["with spaces in the email", { email: "a b@example.com", role: "viewer" }, "email"],
    ["with an invisible sign in the email", { email: "a\u202e@example.com", role: "viewer" }, "email"],
    ["with a huge email", { email: `${"a".repeat(255)}@example.com`, role: "viewer" }, "email"],
    ["with a huge name", { email: "a@example.com", role: "viewer", name: "n".repeat(201) }, "name"],
    ["with a role that does not exist", { email: "a@example.com", role: "root" }, "role"],
    ["with a role of objects", { email: "a@example.com", role: "constructor" }, "role"],
    ["with the role of the key", { email: "a@example.com", role: "operator" }, "role"],
    ["with an invite for ever", { email: "a@example.com", role: "viewer", expires_in_days: 31 }, "expires_in_days"],
  ];
  test.each(wrong)("%s is refused", async (_what, body, param) => {
    expect(errorIn(await ask("POST users", body))).toMatchObject({ status: 400, param });
  });

  test("has any name and email of Unicode, as one spelling", async () => {
    const created = await ask("POST users", { email: "zoe\u0308@Exämple.com", role: "viewer", name: "周杰倫 <b>👩‍🚀" });
    expect(created.body).toMatchObject({ email: "zoë@exämple.com", name: "周杰倫 <b>👩‍🚀" });
    await browser({ invite: inviteOf(created), password });
    await browser({ email: "ZOË@exämple.com", password });
  });

  test("loses the rights of a role at once, and the session with the user", async () => {
    const mine = await user("admin");
    expect((await mine.call("GET audit")).status).toBe(200);
    await ask(`PATCH users/${mine.id}`, { role: "viewer" });
    expect(errorIn(await mine.call("GET audit"))).toMatchObject({ status: 403 });
    expect((await mine.call("GET session")).body["roles"]).not.toContain("audit:read");
    await ask(`PATCH users/${mine.id}`, { disabled: true });
    expect(errorIn(await mine.call("GET keys"))).toEqual({ status: 401, code: "session_ended", param: null });
    const refused = await ask("POST session", { email: mine.email, password }, none);
    expect(errorIn(refused)).toEqual({ status: 401, code: "invalid_credentials", param: null });
    await ask(`PATCH users/${mine.id}`, { disabled: false });
    // Sessions of the time before stay ended.
    expect((await mine.call("GET keys")).status).toBe(401);
    const again = await browser({ email: mine.email, password });
    await ask(`DELETE users/${mine.id}`);
    expect(errorIn(await again.call("GET keys"))).toMatchObject({ status: 401, code: "session_ended" });
  });

  test("loses an open stream with its role", async () => {
    const mine = await user("viewer");
    const response = await fetch(`${running.url}/admin/api/requests/live`, { headers: { cookie: mine.own.cookie } });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    expect((await reader.read()).done).toBe(false);
    await ask(`PATCH users/${mine.id}`, { role: "billing" });
    // Ends, and not only after the five minutes of every stream.
    for (;;) if ((await reader.read()).done) break;
    expect((await mine.call("GET session")).body["roles"]).toContain("costs:read");
  }, 30_000);

  test("is in the list of sessions and in the audit log", async () => {
    const mine = await user("owner");
    const { id } = mine.answer.body as { id: string };
    const listed = dataIn(await mine.call("GET sessions")).find((each) => each["id"] === id);
    expect(listed?.["actor"]).toEqual({ kind: "user", id: mine.id, name: mine.email });
    await mine.call("POST service-tokens", { name: `of ${mine.email}`, scopes: ["audit:read"] });
    const [newest, signIn] = dataIn(await mine.call("GET audit?limit=2"));
    expect(newest).toMatchObject({ action: "create", actor: { kind: "user", id: mine.id, name: mine.email } });
    expect(signIn).toMatchObject({ action: "sign_in", object_id: id, change: { after: { by: "invite" } } });
  });
});

describe("a role", () => {
  const writes = ["POST users", "POST service-tokens", "POST keys", "POST providers", "POST routes", "POST prices"];

  test("of a viewer changes nothing, and does not see who else there is", async () => {
    const [mine, other] = [await user("viewer"), await user("developer")];
    const self = `users/${mine.id}`;
    const tries = [
      ...["GET users", `GET ${self}`, "GET sessions", "GET audit", "GET service-tokens"],
      ...[
        `PATCH ${self} {"role":"owner"}`,
        `DELETE ${self}`,
        `POST ${self}/invite {}`,
        `POST ${self}/revoke-invite {}`,
      ],
      ...[`POST users/${other.id}/invite {}`, `PATCH users/${other.id} {"disabled":true}`],
      ...[`POST users {"email":"x@example.com","role":"owner"}`, ...writes.map((write) => `${write} {}`)],
      `POST sessions/${other.answer.body["id"]}/revoke`,
    ];
    for (const line of tries) {
      const [method = "", path = "", ...body] = line.split(" ");
      const answer = await mine.call(`${method} ${path}`, body.length === 0 ? undefined : JSON.parse(body.join(" ")));
      expect({ line, status: answer.status }).toEqual({ line, status: 403 });
    }
    expect((await ask(`GET ${self}`)).body).toMatchObject({ role: "viewer", status: "active" });
    expect((await mine.call("GET keys")).status).toBe(200);
    expect((await mine.call("GET usage")).text).not.toContain('"cost"');
  });

  test("below owner does not manage users, sessions and tokens", async () => {
    for (const role of ["admin", "developer", "billing"]) {
      const { permissions } = (await user(role)).answer.body as { permissions: Json };
      expect(Object.keys(permissions).filter((name) => /users$|sessions|tokens/.test(name))).toEqual([]);
    }
    const { permissions } = (await user("owner")).answer.body as { permissions: Json };
    expect(permissions["users"]).toEqual(["list", "get", "create", "update", "delete", "invite", "revoke-invite"]);
  });
});
