// Transactions of the store on both engines: all or nothing, one after another, and invisible to other statements.
import { afterAll, describe, expect, test } from "bun:test";
import { appendAudit, listAudit, lockAudit, verifyAudit } from "../../src/store/audit.ts";
import { failureOf } from "../../src/store/failure.ts";
import { insertKey } from "../../src/store/keys.ts";
import { readSetting, writeSetting } from "../../src/store/settings.ts";
import type { Store } from "../../src/store/store.ts";
import { engines } from "./engines.ts";

const entry = {
  atMs: 1,
  actorKind: "admin_key",
  actorId: "admin",
  actorName: "x",
  action: "create",
  resource: "keys",
  objectId: null,
  requestId: "req",
  change: "{}",
};

async function note(store: Store, action: string): Promise<void> {
  await store.transaction(async (inside) => appendAudit(inside, await lockAudit(inside), { ...entry, action }));
}

for (const engine of engines)
  describe.skipIf(engine.skipped)(engine.name, async () => {
    if (engine.skipped) return;
    const { store, second, dispose } = await engine.open();
    afterAll(dispose);

    test("gives what its work gives, and writes all of it", async () => {
      const given = await store.transaction(async (inside) => {
        await writeSetting(inside, "a", "1");
        await writeSetting(inside, "b", "2");
        return await readSetting(inside, "a");
      });
      expect([given, await readSetting(store, "a"), await readSetting(store, "b")]).toEqual(["1", "1", "2"]);
    });

    test("writes nothing where its work throws, and the error is the work's own", async () => {
      const failing = store.transaction(async (inside) => {
        await writeSetting(inside, "c", "1");
        throw new RangeError("no");
      });
      await expect(failing).rejects.toThrow(RangeError);
      expect(await readSetting(store, "c")).toBeUndefined();
      await writeSetting(store, "c", "2");
      expect(await readSetting(store, "c")).toBe("2");
    });

    test("writes nothing where a statement fails", async () => {
      const failing = store.transaction(async (inside) => {
        await writeSetting(inside, "d", "1");
        await inside.query("insert into audit_head (name, seq, hash) values ('head', 0, '')");
      });
      await expect(failing).rejects.toThrow();
      expect(await readSetting(store, "d")).toBeUndefined();
    });

    test("a number that another writer has taken fails the transaction, so that its owner begins again", async () => {
      const key = { preview: "…", createdAtMs: 1, expiresAtMs: null, rules: null };
      await insertKey(store, { id: "key_1", name: "one", hash: "h1", ...key });
      // As on PostgreSQL, where two transactions see the same last number.
      const behind = (inside: Store): Store => ({
        ...inside,
        query: (sql, values) => inside.query(sql.replaceAll("coalesce(max(version), 0) + 1", "max(version)"), values),
      });
      const inserting = store.transaction((inside) =>
        insertKey(behind(inside), { id: "key_2", name: "two", hash: "h2", ...key }),
      );
      expect(failureOf(await inserting.catch((thrown: unknown) => thrown))).toEqual({
        kind: "duplicate",
        index: "keys.version",
      });
      const again = await store.transaction((inside) =>
        insertKey(inside, { id: "key_2", name: "two", hash: "h2", ...key }),
      );
      expect(again).toMatchObject({ kind: "written" });
    });

    test("statements of others are not part of it, and are not lost with it", async () => {
      const started = Promise.withResolvers<void>();
      const failing = store.transaction(async (inside) => {
        await writeSetting(inside, "e", "1");
        started.resolve();
        for (let at = 0; at < 20; at++) await readSetting(inside, "e");
        throw new RangeError("no");
      });
      await started.promise;
      const other = writeSetting(store, "f", "1");
      await expect(failing).rejects.toThrow(RangeError);
      await other;
      expect([await readSetting(store, "e"), await readSetting(store, "f")]).toEqual([undefined, "1"]);
    });

    test("many at once on two connections lose nothing, and the audit log has no gap", async () => {
      const stores = [store, await second()];
      await Promise.all(Array.from({ length: 40 }, (_, at) => note(stores[at % 2] ?? store, `a${at}`)));
      const rows = await listAudit(store, {}, 100);
      expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: 40 }, (_, at) => 40 - at));
      expect(new Set(rows.map(({ action }) => action)).size).toBe(40);
      expect(await verifyAudit(store)).toMatchObject({ entries: 40, brokenAt: null });
    });

    test("does not begin inside another", async () => {
      await expect(store.transaction((inside) => inside.transaction(async () => 1))).rejects.toThrow("inside");
    });
  });
