// Sessions over a socket: one-time links, cookies, other origins, CSRF tokens, ends, and what the audit log says.
import { describe, expect, test } from "bun:test";
import { createSessions, createSignInToken } from "../../src/admin/sessions.ts";
import { readSettings } from "../../src/config/environment.ts";
import { openRoot, pepperOf, readExistingSecret } from "../../src/config/secrets.ts";
import { openStore } from "../../src/store/store.ts";
import { adminKey } from "../support/gateway.ts";
import { type Answer, admin, dataIn, errorIn, type Json } from "./setting.ts";

const { ask, token, running, answered } = await admin({
  yaml: "console: { session_hours: 2, session_idle_minutes: 30 }\n",
});
const none = { key: null };

async function withStore<Result>(
  work: (store: Awaited<ReturnType<typeof openStore>>, pepper: Uint8Array) => Promise<Result>,
) {
  const settings = readSettings({ TURNPIKE_DATA: running.dataFolder }, running.dataFolder);
  const store = await openStore({ dataFolder: running.dataFolder });
  try {
    return await work(store, pepperOf(await openRoot(store, readExistingSecret(settings))));
  } finally {
    await store.close();
  }
}

const link = () => withStore((store, pepper) => createSignInToken(store, pepper, Date.now()));

const cookieOf = ({ headers }: Answer) => /^(turnpike_session=tpc-\w{43});/.exec(headers.get("set-cookie") ?? "")?.[1];

/** A browser: its cookie, its origin and its token. */
async function browser(proof: object = { key: adminKey }) {
  const answer = await ask("POST session", proof, none);
  expect(answer.status).toBe(201);
  const cookie = String(cookieOf(answer));
  const own = { cookie, origin: running.url, "x-csrf-token": String(answer.body["csrf_token"]) };
  const call = (what: string, body?: unknown, headers: Record<string, string> = own) =>
    ask(what, body, { key: null, headers });
  return { answer, cookie, own, call, id: String(answer.body["id"]) };
}

describe("signing in", () => {
  test("with the admin key gives a cookie that scripts cannot read, and the CSRF token", async () => {
    const { answer, call } = await browser();
    expect(answer.headers.get("set-cookie")).toMatch(
      /^turnpike_session=tpc-\w{43}; HttpOnly; SameSite=Strict; Max-Age=7200$/,
    );
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.body).toMatchObject({
      object: "current_session",
      id: expect.stringMatching(/^ses_\w{24}$/),
      actor: { kind: "admin_key", id: "admin", name: "admin key" },
      roles: ["operator"],
      csrf_token: expect.stringMatching(/^[\da-f]{64}$/),
    });
    const { created_at, expires_at, idle_expires_at, permissions } = answer.body as Record<string, string>;
    expect(Date.parse(expires_at ?? "") - Date.parse(created_at ?? "")).toBe(2 * 3_600_000);
    expect(Date.parse(idle_expires_at ?? "") - Date.parse(created_at ?? "")).toBe(30 * 60_000);
    expect((permissions as unknown as Json)["keys"]).toContain("create");
    expect((await call("GET session")).body).toEqual(answer.body);
  });

  test("with a service token gives its scopes and no more, and ends with the token", async () => {
    const { call, answer } = await browser({ key: await token("audit:read") });
    expect(answer.body).toMatchObject({ roles: ["audit:read"], permissions: { audit: ["list", "get", "verify"] } });
    expect((await call("GET audit")).status).toBe(200);
    expect(errorIn(await call("GET keys"))).toEqual({ status: 403, code: "permission_denied", param: null });
    const { id } = answer.body["actor"] as Json;
    await ask(`POST service-tokens/${id}/revoke`);
    expect(errorIn(await call("GET audit"))).toEqual({ status: 401, code: "session_ended", param: null });
  });

  test("with a link works once", async () => {
    const secret = await link();
    const tries = await Promise.all([1, 2, 3].map(() => ask("POST session", { token: secret }, none)));
    expect(tries.map(({ status }) => status).sort()).toEqual([201, 401, 401]);
    const refused = tries.find(({ status }) => status === 401) as Answer;
    expect(errorIn(refused)).toEqual({ status: 401, code: "sign_in_link_expired", param: null });
    await ask("GET audit?limit=1");
  });

  test("with a link fails after 30 minutes", async () => {
    const [old, young] = await withStore(async (store, pepper) => [
      await createSignInToken(store, pepper, Date.now() - 30 * 60_000),
      await createSignInToken(store, pepper, Date.now() - 29 * 60_000),
    ]);
    expect((await ask("POST session", { token: old }, none)).status).toBe(401);
    expect((await ask("POST session", { token: young }, none)).status).toBe(201);
  });

  const wrong: [string, unknown, number, string][] = [
    ["nothing", {}, 400, "missing_required_parameter"],
    ["both", { key: adminKey, token: "x" }, 400, "missing_required_parameter"],
    ["a client key", { key: running.key }, 401, "invalid_api_key"],
    ["an unknown link", { token: "tpl-x" }, 401, "sign_in_link_expired"],
    ["an unknown member", { key: adminKey, user: "x" }, 400, "unknown_parameter"],
    ["a number", { key: 7 }, 400, "invalid_type"],
  ];
  test.each(wrong)("with %s is refused", async (_what, body, status, code) => {
    const answer = await ask("POST session", body, none);
    expect(errorIn(answer)).toMatchObject({ status, code });
    expect(answer.headers.get("set-cookie")).toBeNull();
    await ask("GET audit?limit=1");
  });

  test("from a page of another origin is refused", async () => {
    const headers = { origin: "https://evil.example" };
    const answer = await ask("POST session", { key: adminKey }, { ...none, headers });
    expect(errorIn(answer)).toEqual({ status: 403, code: "origin_not_allowed", param: "origin" });
  });

  test("from a page with https sets a cookie for https", async () => {
    const headers = { origin: running.url.replace("http:", "https:") };
    const answer = await ask("POST session", { key: adminKey }, { ...none, headers });
    expect(answer.headers.get("set-cookie")).toMatch(/; Secure$/);
  });

  test("again replaces the session", async () => {
    const { call, cookie } = await browser();
    const next = await ask("POST session", { key: adminKey }, { key: null, headers: { cookie } });
    expect(cookieOf(next)).not.toBe(cookie);
    expect((await call("GET session")).status).toBe(401);
  });

  test("that fails is in the audit log, and slows the address down", async () => {
    const answers: Answer[] = [];
    for (let at = 0; at < 7; at++) answers.push(await ask("POST session", { key: "wrong" }, none));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 429, 429]);
    expect(Number(answers.at(-1)?.headers.get("retry-after"))).toBeGreaterThan(0);
    await Bun.sleep(Number(answers.at(-1)?.headers.get("retry-after-ms")));
    const entries = dataIn(await ask("GET audit?resource=sessions&limit=100"));
    const failed = entries.filter(({ action }) => action === "sign_in_failed");
    expect(failed[0]).toMatchObject({
      actor: { kind: "anonymous", id: "127.0.0.1" },
      change: { after: { by: "key" } },
    });
  });
});

describe("a session", () => {
  test("changes what its caller may, with origin and token, and is named in the audit log", async () => {
    const { call } = await browser();
    const created = await call("POST service-tokens", { name: "by session", scopes: ["audit:read"] });
    expect(created.status).toBe(201);
    const [newest] = dataIn(await ask("GET audit?limit=1"));
    expect(newest).toMatchObject({ action: "create", actor: { kind: "admin_key" } });
  });

  const body = { name: "never", scopes: ["audit:read"] };
  const cases: [string, (own: Record<string, string>) => Record<string, string | undefined>, string][] = [
    ["without an origin", (own) => ({ ...own, origin: undefined }), "origin_not_allowed"],
    ["of another origin", (own) => ({ ...own, origin: "https://evil.example" }), "origin_not_allowed"],
    ["of another port", (own) => ({ ...own, origin: "http://127.0.0.1:1" }), "origin_not_allowed"],
    ["of no origin", (own) => ({ ...own, origin: "null" }), "origin_not_allowed"],
    ["that a browser calls cross-site", (own) => ({ ...own, "sec-fetch-site": "cross-site" }), "origin_not_allowed"],
    ["without a token", (own) => ({ ...own, "x-csrf-token": undefined }), "csrf_token_invalid"],
    ["with another token", (own) => ({ ...own, "x-csrf-token": "0".repeat(64) }), "csrf_token_invalid"],
  ];
  test.each(cases)("refuses a change %s", async (_what, change, code) => {
    const { call, own } = await browser();
    const headers = Object.entries(change(own)).filter((entry): entry is [string, string] => entry[1] !== undefined);
    expect(errorIn(await call("POST service-tokens", body, Object.fromEntries(headers)))).toMatchObject({
      status: 403,
      code,
    });
    expect(errorIn(await call("DELETE session", undefined, Object.fromEntries(headers)))).toMatchObject({ code });
  });

  test("of one browser does not accept the token of another", async () => {
    const [mine, other] = [await browser(), await browser()];
    const headers = { ...mine.own, "x-csrf-token": other.own["x-csrf-token"] };
    expect(errorIn(await mine.call("POST service-tokens", body, headers))).toMatchObject({
      code: "csrf_token_invalid",
    });
  });

  test("ends when it signs out", async () => {
    const { call, id } = await browser();
    const ended = await call("DELETE session");
    expect(ended.body).toEqual({ object: "session.deleted", id, deleted: true });
    expect(ended.headers.get("set-cookie")).toMatch(/^turnpike_session=; .*Max-Age=0/);
    expect(errorIn(await call("GET session"))).toEqual({ status: 401, code: "session_ended", param: null });
  });

  test("can be listed and ended by the operator", async () => {
    const { call, id } = await browser();
    const listed = dataIn(await ask("GET sessions?limit=100")).find((each) => each["id"] === id);
    expect(listed).toMatchObject({ object: "session", address: "127.0.0.1", revoked_at: null });
    expect((await ask(`POST sessions/${id}/revoke`)).body["revoked_at"]).toEqual(expect.any(String));
    expect((await call("GET session")).status).toBe(401);
  });

  test("a key in a header counts before the cookie", async () => {
    const { cookie } = await browser();
    const key = await token("audit:read");
    expect((await ask("GET keys", undefined, { key, headers: { cookie } })).status).toBe(403);
    expect((await ask("GET session", undefined, { key, headers: { cookie } })).body).toMatchObject({
      id: null,
      roles: ["audit:read"],
      csrf_token: null,
    });
  });
});

test("ends after its time, and earlier without a request", async () => {
  await withStore(async (store, pepper) => {
    let nowMs = Date.now();
    const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
    const times = () => ({ absoluteMs: 7_200_000, idleMs: 1_800_000 });
    const sessions = createSessions({ store, pepper, clock, times });
    const who = { kind: "admin_key", id: "admin", name: "admin key", roles: ["operator"] } as const;
    const visitor = { address: "192.0.2.1", userAgent: "", requestId: "req_1" };
    const open = async () =>
      (await sessions.begin({ principal: who, credential: "x", by: "key" }, visitor, null)).secret;
    const idle = await open();
    nowMs += 1_799_999;
    const used = await open();
    expect(await sessions.find(used)).toBeDefined();
    expect(await sessions.find(idle)).toBeDefined();
    nowMs += 1_800_000;
    expect(await sessions.find(idle)).toBeUndefined();
    const busy = await open();
    for (let at = 0; at < 7; at++) {
      nowMs += 1_000_000;
      expect({ at, live: (await sessions.find(busy)) !== undefined }).toEqual({ at, live: true });
    }
    nowMs += 200_000;
    expect(await sessions.find(busy)).toBeUndefined();
  });
});

test("the store has no secret of a session, and no answer but the first shows one", async () => {
  const { cookie } = await browser();
  const secret = cookie.split("=")[1] ?? "";
  const rows = await withStore(async (store) => Bun.inspect(await store.query("select * from sessions")));
  expect(rows).not.toContain(secret);
  const later = [(await ask("GET sessions?limit=100")).text, (await ask("GET audit?limit=100")).text, ...running.log];
  expect(later.filter((text) => text.includes(secret))).toEqual([]);
  expect(answered.filter((text) => text.includes(secret)).length).toBe(1);
});
