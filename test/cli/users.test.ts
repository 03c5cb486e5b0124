// `turnpike users`: beside a running gateway, which follows at once.
import { afterAll, expect, test } from "bun:test";
import { place } from "./command.ts";

const here = place();
const gateway = here.start();
const url = await gateway.url();
afterAll(async () => {
  await gateway.stop();
  here.remove();
});

const users = (...words: string[]) => here.run(["users", ...words]);
const signIn = (proof: object) =>
  fetch(`${url}/admin/api/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(proof),
  });
const password = "a long enough password";

test("a user is created, invited, disabled and deleted", async () => {
  const created = await users(
    "create",
    "Ada@example.com",
    "--role",
    "viewer",
    "--days",
    "2",
    "--url",
    "https://g.example/x/",
  );
  expect({ code: created.code, err: created.err }).toEqual({ code: 0, err: "" });
  const [, invite] = /^https:\/\/g\.example\/x\/console#invite=(tpi-\w{43})\nThe link/.exec(created.out) ?? [];
  const session = await signIn({ invite, password });
  expect(session.status).toBe(201);
  const cookie = (session.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const status = async () => (await fetch(`${url}/admin/api/keys`, { headers: { cookie } })).status;
  expect(await status()).toBe(200);
  const listed = JSON.parse((await users("list", "--json")).out) as object[];
  expect(listed).toMatchObject([{ email: "ada@example.com", role: "viewer", status: "active" }]);
  expect((await users("update", "ada@example.com", "--role", "owner")).out).toBe(
    "The user ada@example.com is changed.\n",
  );
  expect((await users("disable", "ADA@example.com")).code).toBe(0);
  expect(await status()).toBe(401);
  const refused = await users("invite", "ada@example.com");
  expect({ code: refused.code, err: refused.err }).toEqual({
    code: 1,
    err: "turnpike: The user is disabled, or signs in at the OpenID provider.\n",
  });
  await users("enable", "ada@example.com");
  expect((await signIn({ email: "ada@example.com", password })).status).toBe(201);
  expect((await users("delete", "ada@example.com", "--json")).out).toContain('"deleted": true');
  expect((await users("list")).out.trim().split("\n").length).toBe(1);
}, 60_000);

test.each([
  [["create", "a@example.com"], 2, /Missing --role: one of owner, admin, developer, billing, viewer/],
  [["create", "nothing", "--role", "viewer"], 1, /Invalid 'email'/],
  [["create", "a@example.com", "--role", "root"], 1, /must be one of 'owner'/],
  [["disable", "missing@example.com"], 1, /No user has the email or ID 'missing@example\.com'/],
  [["invite"], 2, /Missing email/],
] as [string[], number, RegExp][])("%p is refused", async (words, code, message) => {
  const ended = await users(...words);
  expect({ code: ended.code, out: ended.out }).toEqual({ code, out: "" });
  expect(ended.err).toMatch(message);
});
