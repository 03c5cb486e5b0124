// Attacks on signing in at an OpenID provider: forged tokens, answers for another browser, and redirects elsewhere.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { UnsecuredJWT } from "jose";
import { safeReturn } from "../../src/http/oidc-endpoints.ts";
import { forgedProvider } from "../support/forged-provider.ts";
import { admin, dataIn } from "./setting.ts";

const provider = await forgedProvider("turnpike");
afterAll(() => provider.stop());
const { ask, running } = await admin({
  yaml: `
console:
  oidc: { issuer: "${provider.issuer}", client_id: turnpike, roles: { platform: owner } }
`,
});

beforeEach(async () => {
  Object.assign(provider, { claims: {}, usesForeignKey: false, token: null });
  // A success: the address does not wait for the failures of the test before.
  await ask("GET keys");
});

const get = (path: string, cookie = "", headers: Record<string, string> = {}) =>
  fetch(`${running.url}/admin/api/${path}`, { redirect: "manual", headers: { cookie, ...headers } });
const cookieOf = (response: Response, name: string) =>
  new RegExp(`${name}=([^;]*)`).exec(response.headers.getSetCookie().join("\n"))?.[1];

/** A browser that was sent to the provider. */
async function depart(returnTo = "") {
  const response = await get(`oidc${returnTo}`);
  const page = new URL(response.headers.get("location") ?? "");
  const query = page.searchParams;
  return { response, page, query, cookie: `turnpike_oidc=${cookieOf(response, "turnpike_oidc")}` };
}

/** Comes back with the state of this departure, unless another is given. */
async function comeBack({ query, cookie }: Awaited<ReturnType<typeof depart>>, given: Record<string, string> = {}) {
  if (!("nonce" in provider.claims)) provider.claims = { ...provider.claims, nonce: query.get("nonce") };
  const sent = new URLSearchParams({ code: "a-code", state: query.get("state") ?? "", ...given });
  const response = await get(`oidc-callback?${sent}`, cookie);
  expect(response.status).toBe(303);
  return { to: response.headers.get("location"), session: cookieOf(response, "turnpike_session"), response };
}

const problem = (name: string) => `../../console#sign_in_error=${name}`;

test("the browser is sent with state, nonce and a challenge, and each is new", async () => {
  const [one, other] = [await depart(), await depart()];
  expect(`${one.page.origin}${one.page.pathname}`).toBe(`${provider.issuer}/authorize`);
  expect(Object.fromEntries(one.query)).toEqual({
    ...{ response_type: "code", client_id: "turnpike", scope: "openid email profile" },
    redirect_uri: `${running.url}/admin/api/oidc-callback`,
    ...{ state: expect.stringMatching(/^\w{43}$/), nonce: expect.stringMatching(/^\w{43}$/) },
    ...{ code_challenge: expect.stringMatching(/^[\w-]{43}$/), code_challenge_method: "S256" },
  });
  for (const name of ["state", "nonce", "code_challenge"]) expect(one.query.get(name)).not.toBe(other.query.get(name));
  expect(one.response.headers.getSetCookie().join()).toMatch(/; HttpOnly; SameSite=Lax; Max-Age=600$/);
  // Neither is readable in the cookie.
  expect(one.cookie).not.toContain(one.query.get("nonce") ?? "");
});

test("a token that is right signs in, with the verifier of the challenge, and the cookie of the way is gone", async () => {
  const way = await depart("?return_to=/keys");
  const { to, session, response } = await comeBack(way);
  expect({ to, session }).toEqual({ to: "../../console/keys", session: expect.stringMatching(/^tpc-\w{43}$/) });
  expect(response.headers.getSetCookie().join("\n")).toMatch(/turnpike_oidc=; .*Max-Age=0/);
  expect(response.headers.getSetCookie().join("\n")).toMatch(/turnpike_session=.*HttpOnly; SameSite=Strict/);
  const form = provider.forms.at(-1);
  const challenge = new Bun.CryptoHasher("sha256").update(form?.get("code_verifier") ?? "").digest("base64url");
  expect(challenge).toBe(way.query.get("code_challenge") ?? "");
});

const nowSeconds = Math.floor(Date.now() / 1000);
const forged: [string, Record<string, unknown>][] = [
  ["another nonce", { nonce: "another" }],
  ["no nonce", { nonce: undefined }],
  ["another audience", { aud: "another" }],
  ["no audience", { aud: undefined }],
  ["several audiences without a party", { aud: ["turnpike", "another"] }],
  ["another party", { azp: "another" }],
  ["another issuer", { iss: "https://accounts.evil.example" }],
  ["an end in the past", { exp: nowSeconds - 120 }],
  ["no end", { exp: undefined }],
  ["a begin in the future", { nbf: nowSeconds + 600 }],
  ["no subject", { sub: undefined }],
];
describe("an ID token", () => {
  const isRefused = async () => {
    const { to, session } = await comeBack(await depart());
    expect({ to, session }).toEqual({ to: problem("unavailable"), session: undefined });
    const [newest] = dataIn(await ask("GET audit?limit=1"));
    expect(newest).toMatchObject({
      action: "sign_in_failed",
      change: { after: { by: "oidc", reason: "unavailable" } },
    });
  };
  test.each(forged)("with %s is refused", async (_what, claims) => {
    provider.claims = claims;
    await isRefused();
  });
  test("that is signed with another key is refused", async () => {
    provider.usesForeignKey = true;
    await isRefused();
  });
  test("that is not signed is refused", async () => {
    const way = await depart();
    provider.token = new UnsecuredJWT({
      iss: provider.issuer,
      aud: "turnpike",
      sub: "eve",
      nonce: way.query.get("nonce"),
    })
      .setIssuedAt()
      .setExpirationTime("5m")
      .encode();
    expect((await comeBack(way)).to).toBe(problem("unavailable"));
  });
  test("that is missing is refused", async () => {
    provider.token = "";
    await isRefused();
  });
});

describe("an answer", () => {
  test("for another browser does not sign this one in", async () => {
    const [attacker, victim] = [await depart(), await depart()];
    const before = provider.forms.length;
    // The attacker's code and state in the victim's browser.
    const crossed = await comeBack({ ...attacker, cookie: victim.cookie });
    expect({ to: crossed.to, session: crossed.session }).toEqual({ to: problem("expired"), session: undefined });
    expect((await comeBack({ ...attacker, cookie: "" })).to).toBe(problem("expired"));
    expect((await comeBack({ ...attacker, cookie: `${attacker.cookie}x` })).session).toBeUndefined();
    expect((await comeBack({ ...attacker, cookie: "turnpike_oidc=AAAA" })).to).toBe(problem("expired"));
    expect(provider.forms.length).toBe(before);
  });

  test("of another provider is refused before the code is sent", async () => {
    const before = provider.forms.length;
    const { to } = await comeBack(await depart(), { iss: "https://accounts.evil.example" });
    expect({ to, forms: provider.forms.length }).toEqual({ to: problem("unavailable"), forms: before });
  });

  test("with an error shows none of its text", async () => {
    const { to } = await comeBack(await depart(), { error: "<script>", error_description: "call 555-1234" });
    expect(to).toBe(problem("denied"));
  });

  test("that fails often makes the address wait", async () => {
    const answers: Response[] = [];
    for (let at = 0; at < 7; at++) answers.push(await get("oidc-callback?code=x&state=y"));
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303, 303, 303, 429, 429]);
    await Bun.sleep(Number(answers.at(-1)?.headers.get("retry-after-ms")));
  });
});

const returns: [string, string][] = [
  ["/requests?tab=tasks&range=7d", "/requests?tab=tasks&range=7d"],
  ["/keys", "/keys"],
  ...[
    ...["//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)", ".evil.example"],
    ...["/../../v1/models", "/%2e%2e/x/..", "@evil.example", "/x#token=tpl-1", "/\tx", "", `/${"a".repeat(3_000)}`],
  ].map((bad): [string, string] => [bad, ""]),
];
test.each(returns)("the way back to %p leads into the console", (given, place) => {
  expect(safeReturn(given)).toBe(place);
  const to = new URL(`../../console${safeReturn(given)}`, "https://gateway.example/prefix/admin/api/oidc-callback");
  expect(`${to.origin}${to.pathname}`).toStartWith("https://gateway.example/prefix/console");
});

test("a provider that answers wrong, or not at all, is named in the log, and the page says so", async () => {
  const broken = await forgedProvider("turnpike");
  const own = await admin({
    yaml: `console: { oidc: { issuer: "${broken.issuer}", client_id: turnpike, roles: { platform: owner } } }`,
  });
  const to = async () => {
    const response = await fetch(`${own.running.url}/admin/api/oidc`, { redirect: "manual" });
    return response.headers.get("location");
  };
  broken.metadata = { issuer: "https://accounts.evil.example" };
  expect(await to()).toBe(problem("unavailable"));
  broken.metadata = { token_endpoint: "http://192.0.2.1/token" };
  expect(await to()).toBe(problem("unavailable"));
  broken.metadata = {};
  expect(await to()).toStartWith(`${broken.issuer}/authorize?`);
  broken.stop();
  expect(own.running.log.join("\n")).toContain("another issuer");
  expect(own.running.log.join("\n")).toContain("no valid token_endpoint");
});
