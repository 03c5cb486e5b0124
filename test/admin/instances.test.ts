// Two instances on one PostgreSQL: editors of one version meet, the audit log has no gap, and tokens and keys hold on both.
import { afterAll, describe, expect, test } from "bun:test";
import { freshDatabase, serverUrl } from "../store/engines.ts";
import { gateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { adminOf } from "./setting.ts";

describe.skipIf(serverUrl === undefined)("on PostgreSQL", async () => {
  if (serverUrl === undefined) return;
  const database = await freshDatabase();
  const environment = { DATABASE_URL: database.url, TURNPIKE_SECRET: "a-secret-that-is-shared" };
  const running = [await gateway({ environment }), await gateway({ environment })] as const;
  afterAll(async () => {
    await Promise.all(running.map((each) => each.stop()));
    await database.drop();
  });
  const [one, other] = [await adminOf(running[0]), await adminOf(running[1])];
  const asks = [one.ask, other.ask];
  const spread = (at: number) => asks[at % 2] ?? one.ask;
  /** Asks again while others hold the store or all of its connections for longer than a statement waits, as the errors ask for. */
  const patiently =
    (ask: typeof one.ask): typeof one.ask =>
    async (...given) => {
      const answer = await ask(...given);
      if (!["store_busy", "store_unavailable"].includes(Object(answer.body["error"]).code)) return answer;
      return await patiently(ask)(...given);
    };

  test("of many editors of one version, one wins", async () => {
    const { id } = (await one.ask("POST service-tokens", { name: "edited", scopes: ["audit:read"] })).body;
    const headers = { "if-match": '"1"' };
    const edits = Array.from({ length: 16 }, (_, at) =>
      spread(at)(`PATCH service-tokens/${id}`, { name: `edited ${at}` }, { headers }),
    );
    const statuses = (await Promise.all(edits)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array<number>(15).fill(412)]);
  });

  test("changes of keys, routes and tokens at the same time are all made, and the chain is valid", async () => {
    const config = { candidates: [{ provider: "sandbox", model: "chat" }] };
    const changes = Array.from({ length: 30 }, (_, at) => [
      patiently(spread(at))("POST keys", { name: `key-${at}` }),
      patiently(spread(at + 1))("POST routes", { id: `route-${at}`, config }),
      patiently(spread(at))("POST service-tokens", { name: `token ${at}`, scopes: ["audit:read"] }),
    ]).flat();
    const statuses = (await Promise.all(changes)).map(({ status }) => status);
    expect(statuses).toEqual(Array<number>(90).fill(201));
    expect((await other.ask("POST audit/verify")).body).toMatchObject({ valid: true, broken_at: null });
  });

  test("a key that is revoked on one is refused by the other when it looks again", async () => {
    const { id, secret } = (await one.ask("POST keys", { name: "shared" })).body;
    const status = async () =>
      (await fetch(`${running[1].url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } })).status;
    expect(await status()).toBe(200);
    await one.ask(`POST keys/${id}/revoke`);
    const startMs = performance.now();
    await until("the other instance refuses it", async () => (await status()) === 401);
    expect(performance.now() - startMs).toBeLessThan(10_000);
  });

  test("a token that is revoked on one is refused by the other at once", async () => {
    const { id, secret } = (await one.ask("POST service-tokens", { name: "shared", scopes: ["audit:read"] })).body;
    const key = String(secret);
    expect((await other.ask("GET audit", undefined, { key })).status).toBe(200);
    await one.ask(`POST service-tokens/${id}/revoke`);
    expect((await other.ask("GET audit", undefined, { key })).status).toBe(401);
  });
});
