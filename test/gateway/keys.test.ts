// Keys and readiness when the store is away, and when keys that nobody has are tried in masses.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openKeys } from "../../src/gateway/policy/keys.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { hashKey } from "../../src/lib/secret.ts";
import { insertKey } from "../../src/store/keys.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { callerNamed } from "../support/callers.ts";
import { gateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";

const pepper = new Uint8Array(32);

async function setting() {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-keys-"));
  const real = await openStore({ dataFolder: folder });
  const state = { queries: 0, isAway: false };
  const store: Store = {
    ...real,
    query(sql, parameters) {
      state.queries++;
      return state.isAway ? Promise.reject(new Error("away")) : real.query(sql, parameters);
    },
  };
  const add = (key: string, name: string) =>
    insertKey(real, {
      id: name,
      name,
      hash: hashKey(pepper, key),
      preview: "",
      createdAtMs: 1,
      expiresAtMs: null,
      rules: null,
    });
  await add("first-key", "first");
  const failures: unknown[] = [];
  const keys = await openKeys({
    store,
    pepper,
    declared: { keys: new Map(), projects: new Map(), organization: null },
    clock: systemClock,
    failed: (cause) => failures.push(cause),
  });
  return {
    keys,
    state,
    add,
    failures,
    async [Symbol.asyncDispose]() {
      keys.close();
      await real.close();
      rmSync(folder, { recursive: true });
    },
  };
}

const refusalOf = async (work: () => unknown): Promise<unknown> => {
  try {
    await work();
  } catch (thrown) {
    return thrown;
  }
  throw new Error("it was accepted");
};

test("thousands of unknown keys cost a few queries, not one each", async () => {
  await using own = await setting();
  own.state.queries = 0;
  const all = Array.from({ length: 5_000 }, (_, index) => refusalOf(() => own.keys.identify(`random-${index}`)));
  for (const refusal of await Promise.all(all)) expect(refusal).toMatchObject({ status: 401 });
  expect(own.state.queries).toBeLessThan(50);
});

test("a key that another process has just made works at once", async () => {
  await using own = await setting();
  for (let index = 0; index < 5; index++) {
    await own.add(`made-${index}`, `made-${index}`);
    expect(await own.keys.identify(`made-${index}`)).toEqual(callerNamed(`made-${index}`));
  }
});

test("while the store is away, known keys work and others are 401 without waiting for it", async () => {
  await using own = await setting();
  own.state.isAway = true;
  expect(await refusalOf(() => own.keys.identify("unknown"))).toMatchObject({ status: 401, code: "invalid_api_key" });
  expect([own.keys.isBehind(), own.failures.length > 0]).toEqual([true, true]);
  expect(await own.keys.identify("first-key")).toMatchObject({ keyId: "first" });
  own.state.isAway = false;
  await own.add("later", "later");
  await until("the store is followed again", () => !own.keys.isBehind());
  expect(await own.keys.identify("later")).toMatchObject({ keyId: "later" });
}, 60_000);

test("readyz is 503 with the reason while the ledger cannot be written, and 200 when it can again", async () => {
  const running = await gateway();
  try {
    const ready = async () => {
      const answer = await fetch(`${running.url}/readyz`);
      return { status: answer.status, body: await answer.json() };
    };
    expect(await ready()).toEqual({ status: 200, body: { status: "ready" } });
    using holder = new Database(join(running.dataFolder, "ledger.db"));
    holder.run("begin immediate");
    await until("it is not ready", async () => (await ready()).status === 503);
    expect((await ready()).body).toEqual({ status: "unavailable", reason: "The ledger cannot be written." });
    expect((await fetch(`${running.url}/livez`)).status).toBe(200);
    holder.run("rollback");
    await until("it is ready", async () => (await ready()).status === 200);
  } finally {
    await running.stop();
  }
}, 60_000);
