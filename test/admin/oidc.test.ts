// Signing in at a real OpenID provider: roles of groups, changes there, and who is refused.
import { afterAll, describe, expect, test } from "bun:test";
import { clientId, clientSecret, library, type OpenIdProvider, openIdProvider } from "../support/openid-provider.ts";
import { admin, dataIn, errorIn, type Json } from "./setting.ts";

/** Keeps cookies as a browser does, of both sides together: their names differ. */
function traveller() {
  const cookies = new Map<string, string>();
  const go = async (url: string): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { redirect: "manual", headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [name = "", value = ""] = (line.split(";")[0] ?? "").split(/=(.*)/s);
      cookies.set(name, value);
    }
    return response;
  };
  return { cookies, go };
}

describe.skipIf(library === null)(
  "a real OpenID provider (skipped: oidc-provider is not installed, see npm ci)",
  async () => {
    if (library === null) return;
    const provider: OpenIdProvider = await openIdProvider(library);
    afterAll(() => provider.stop());
    const { ask, running, answered } = await admin({
      environment: { OIDC_SECRET: clientSecret },
      yaml: `
console:
  oidc:
    issuer: ${provider.issuer}
    client_id: ${clientId}
    client_secret: \${OIDC_SECRET}
    name: Example
    roles: { platform: owner, engineers: developer, readers: viewer }
    email_domains: [example.com]
`,
    });
    await provider.open(`${running.url}/admin/api/oidc-callback`);

    /** Follows each redirect until the console, and gives its address and what the browser has then. */
    async function signIn(account: Record<string, unknown> | null, returnTo = "") {
      provider.account = account as OpenIdProvider["account"];
      const { cookies, go } = traveller();
      let url = `${running.url}/admin/api/oidc${returnTo}`;
      for (let step = 0; step < 10; step++) {
        const response = await go(url);
        const to = response.headers.get("location");
        if (to === null) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
        url = new URL(to, url).href;
        if (url.startsWith(`${running.url}/console`)) break;
      }
      const headers = { cookie: `turnpike_session=${cookies.get("turnpike_session")}`, origin: running.url };
      const call = (what: string, body?: object, csrf = "") =>
        ask(what, body, { key: null, headers: { ...headers, "x-csrf-token": csrf } });
      return { to: url.slice(running.url.length), cookies, call };
    }
    const ada = {
      sub: "ada-1",
      email: "Ada@example.com",
      email_verified: true,
      name: "Ada",
      groups: ["x", "engineers"],
    };

    test("makes a user at the first sign-in, with the role of the groups", async () => {
      const { to, call } = await signIn(ada, "?return_to=%2Frequests%3Ftab%3Dtasks");
      expect(to).toBe("/console/requests?tab=tasks");
      const session = (await call("GET session")).body;
      expect(session).toMatchObject({ actor: { kind: "user", name: "ada@example.com", sign_in: "oidc" } });
      const change = { current_password: "a password of hers", password: "a much better one" };
      const changed = await call("POST session/password", change, String(session["csrf_token"]));
      expect(errorIn(changed)).toMatchObject({ status: 403, code: "no_password" });
      expect(session["roles"]).toContain("keys:write");
      const [user] = dataIn(await ask("GET users"));
      expect(user).toMatchObject({ email: "ada@example.com", name: "Ada", role: "developer", sign_in: "oidc" });
      const [signedIn, created] = dataIn(await ask("GET audit?limit=2"));
      expect(signedIn).toMatchObject({ action: "sign_in", change: { after: { by: "oidc" } } });
      expect(created).toMatchObject({ action: "create", resource: "users", change: { after: { role: "developer" } } });
      expect((await ask("GET sign-in", undefined, { key: null })).body).toEqual({
        ...{ object: "sign_in_methods", password: true },
        oidc: { name: "Example", path: "admin/api/oidc" },
      });
    });

    test("reads groups again at each sign-in, and takes the highest role", async () => {
      const first = await signIn(ada);
      const { call } = await signIn({ ...ada, groups: ["readers", "platform"], email: "ada.l@example.com" });
      expect((await call("GET session")).body["roles"]).toEqual(["operator"]);
      const users = dataIn(await ask("GET users"));
      expect(users.map(({ email, role }) => [email, role])).toEqual([["ada.l@example.com", "owner"]]);
      await signIn({ ...ada, groups: ["readers"] });
      expect((await first.call("GET session")).body["roles"]).not.toContain("keys:write");
      const change = await ask(`PATCH users/${users[0]?.["id"]}`, { role: "owner" });
      expect(change.status).toBe(400);
    });

    const refused: [string, Record<string, unknown> | null, string][] = [
      ["declines", null, "denied"],
      ["has no group with a role", { ...ada, sub: "b", groups: ["x"] }, "no_role"],
      ["has no groups", { ...ada, sub: "b", groups: undefined }, "no_role"],
      ["has groups of another type", { ...ada, sub: "b", groups: { platform: true } }, "no_role"],
      ["has a group of objects", { ...ada, sub: "b", groups: ["constructor", "__proto__"] }, "no_role"],
      ["has an email of another domain", { ...ada, sub: "b", email: "b@evil.example" }, "email"],
      ["has two domains", { ...ada, sub: "b", email: "b@example.com@evil.example" }, "email"],
      [
        "has an email that is not verified",
        { ...ada, sub: "b", email: "b@example.com", email_verified: false },
        "email",
      ],
      ["has no email", { ...ada, sub: "b", email: undefined }, "email"],
      ["has the email of another", { ...ada, sub: "b" }, "email_taken"],
    ];
    test.each(refused)("refuses who %s", async (_what, account, problem) => {
      const { to, cookies } = await signIn(account);
      expect(to).toBe(`/console#sign_in_error=${problem}`);
      expect(cookies.has("turnpike_session")).toBe(false);
      const [newest] = dataIn(await ask("GET audit?limit=1"));
      expect(newest).toMatchObject({ action: "sign_in_failed", change: { after: { by: "oidc", reason: problem } } });
      expect(dataIn(await ask("GET users")).length).toBe(1);
    });

    test("refuses who is disabled, and who has the email of a user with a password", async () => {
      const [user] = dataIn(await ask("GET users")) as [Json];
      await ask(`PATCH users/${user["id"]}`, { disabled: true });
      expect((await signIn(ada)).to).toBe("/console#sign_in_error=disabled");
      await ask("POST users", { email: "grace@example.com", role: "viewer" });
      const grace = { ...ada, sub: "grace", email: "grace@example.com", groups: ["platform"] };
      expect((await signIn(grace)).to).toBe("/console#sign_in_error=email_taken");
      await ask("GET keys");
    });

    test("shows the secret of the client nowhere", async () => {
      const texts = [...running.log, ...running.lines, ...answered, (await ask("GET settings?limit=100")).text];
      expect(texts.filter((text) => text.includes(clientSecret))).toEqual([]);
    });
  },
);
