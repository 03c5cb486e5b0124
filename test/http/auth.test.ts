// Keys: every row of the table with every way to be wrong, and the same 401 for all of them.
import { describe, expect, test } from "bun:test";
import { pepperOf } from "../../src/config/secrets.ts";
import type { Endpoint } from "../../src/http/endpoint.ts";
import { hashKey, Secret } from "../../src/lib/secret.ts";
import { insertKey, revokeKey } from "../../src/store/keys.ts";
import { openStore } from "../../src/store/store.ts";
import { sendRaw } from "../support/raw-http.ts";
import { answersAll, errorOf, pathOf, rows, setting, smallest, welcome } from "./setting.ts";

const secret = "a secret for the tests";
const { world, send } = await setting({ environment: { TURNPIKE_SECRET: secret } });
const { key, dataFolder, url } = world.gateway;
const revoked = "tp-revoked-key";
const expired = "tp-expired-key";
/** A good key of somebody else. */
const live = "tp-live-key";
await addKeys();

/** Adds a revoked, an expired and another good key to the store of the running gateway. */
async function addKeys(): Promise<void> {
  const store = await openStore({ dataFolder, databaseUrl: undefined });
  const hash = (text: string) => hashKey(pepperOf(new Secret(secret)), text);
  const row = { preview: "…", rules: null, createdAtMs: 1 };
  await insertKey(store, { ...row, id: "key_r", name: "revoked", hash: hash(revoked), expiresAtMs: null });
  await revokeKey(store, "key_r", 2);
  await insertKey(store, { ...row, id: "key_e", name: "expired", hash: hash(expired), expiresAtMs: 3 });
  await insertKey(store, { ...row, id: "key_l", name: "live", hash: hash(live), expiresAtMs: null });
  await store.close();
}

const locked = rows.filter(({ access }) => access.key === "client");
const name = (row: Endpoint) => `${row.method} ${row.path}`;
const named = locked.map((row) => ({ row, name: name(row) }));
const carriersOf = ({ access }: Endpoint): readonly string[] => (access.key === "client" ? access.carriers : []);

/** Asks a row with these headers in place of a key. */
const ask = (row: Endpoint, headers: Record<string, string>, query = "") => {
  const init = smallest(row);
  return send(pathOf(row) + query, { ...init, headers: { ...init.headers, ...headers } });
};

test("the table has the rows that this file speaks of, and only health is open", () => {
  expect(locked.length).toBeGreaterThanOrEqual(8);
  expect(rows.filter(({ access }) => access.key === "none").map(({ path }) => path)).toEqual([
    "/",
    "/livez",
    "/readyz",
  ]);
});

describe.each(named)("$name", ({ row }) => {
  test("no key", async () => {
    const answer = await ask(row, {});
    expect(await errorOf(answer, 401)).toMatchObject({
      type: "authentication_error",
      code: "missing_api_key",
      param: null,
    });
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    expect(answer.headers.get("x-should-retry")).toBe("false");
  });

  const wrong: [string, Record<string, string>][] = [
    ["unknown", { authorization: "Bearer tp-unknown" }],
    ["revoked", { authorization: `Bearer ${revoked}` }],
    ["expired", { authorization: `Bearer ${expired}` }],
    ["one letter longer", { authorization: `Bearer ${key}x` }],
    ["one letter shorter", { authorization: `Bearer ${key.slice(0, -1)}` }],
    ["in other case", { authorization: `Bearer ${key.toUpperCase()}` }],
    ["10 KB long", { authorization: `Bearer ${"k".repeat(10_000)}` }],
    ["SQL", { authorization: "Bearer ' OR 1=1; DROP TABLE keys; --" }],
    ["the hash of a key", { authorization: `Bearer ${hashKey(pepperOf(new Secret(secret)), key)}` }],
    ["in another scheme", { authorization: `Basic ${btoa(`key:${key}`)}` }],
    ["without a scheme", { authorization: key }],
    ["twice in one header", { authorization: `Bearer ${key}, Bearer ${key}` }],
  ];

  test("every wrong key gets the same answer, byte for byte", async () => {
    const bodies = new Set<string>();
    for (const [what, headers] of wrong) {
      const answer = await ask(row, headers);
      const text = await answer.clone().text();
      expect({ what, ...(await errorOf(answer, 401)) }).toMatchObject({ what, code: "invalid_api_key", param: null });
      const id = answer.headers.get("x-request-id") ?? "";
      bodies.add(text.replaceAll(id, "ID"));
      for (const word of [key, revoked, expired, "k".repeat(20), "DROP"]) expect(text).not.toContain(word);
    }
    expect([...bodies]).toHaveLength(1);
  });

  test("an empty key is no key", async () => {
    for (const authorization of ["", "Bearer ", "Bearer    "])
      expect((await ask(row, { authorization })).status).toBe(401);
  });

  test("the scheme may be in any case, with spaces around the key", async () => {
    answersAll(world.upstreams);
    for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR"])
      expect((await ask(row, { authorization: `${scheme}   ${key}  ` })).status).toBe(welcome(row));
  });

  test("each carrier of the row lets in, every other one does not", async () => {
    answersAll(world.upstreams);
    const ways: Record<string, () => Promise<Response>> = {
      bearer: () => ask(row, { authorization: `Bearer ${key}` }),
      "x-api-key": () => ask(row, { "x-api-key": key }),
      "x-goog-api-key": () => ask(row, { "x-goog-api-key": key }),
      query: () => ask(row, {}, `?key=${key}`),
    };
    for (const [carrier, way] of Object.entries(ways)) {
      const { status } = await way();
      expect({ carrier, status }).toEqual({ carrier, status: carriersOf(row).includes(carrier) ? welcome(row) : 401 });
    }
  });

  test("two keys that differ are refused, the same one twice is fine", async () => {
    answersAll(world.upstreams);
    const second = carriersOf(row).find((carrier) => carrier !== "bearer");
    if (second === undefined) return;
    const both = (first: string, other: string) =>
      second === "query"
        ? ask(row, { authorization: `Bearer ${first}` }, `?key=${other}`)
        : ask(row, { authorization: `Bearer ${first}`, [second]: other });
    expect((await both(key, key)).status).toBe(welcome(row));
    for (const [first, other] of [
      [key, "tp-other"],
      ["tp-other", key],
      [key, live],
    ] as const)
      expect(await errorOf(await both(first, other), 401)).toMatchObject({ code: "invalid_api_key" });
  });
});

test("a header that comes twice is refused, also with the same key", async () => {
  const lines = [
    "GET /v1/models HTTP/1.1",
    "host: turnpike",
    `authorization: Bearer ${key}`,
    `authorization: Bearer ${key}`,
  ];
  expect((await sendRaw(url, [`${lines.join("\r\n")}\r\n\r\n`])).status).toBe(401);
  const single = lines.slice(0, 3);
  expect((await sendRaw(url, [`${single.join("\r\n")}\r\n\r\n`])).status).toBe(200);
});

test("an x-api-key where the path does not take it is not looked at", async () => {
  answersAll(world.upstreams);
  const row = rows.find(({ path }) => path === "/v1/chat/completions") as Endpoint;
  expect((await ask(row, { authorization: `Bearer ${key}`, "x-api-key": "tp-other" })).status).toBe(200);
});

test("the admin key is no client key", async () => {
  const row = rows.find(({ path }) => path === "/v1/models") as Endpoint;
  expect((await ask(row, { authorization: "Bearer tp-test-admin-key" })).status).toBe(401);
});
