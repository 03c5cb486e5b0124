// One suite for every table group, the same on both engines.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { catalogVersion, listCatalog, putCatalogEntry, removeCatalogEntry } from "../../src/store/catalog.ts";
import {
  findKeyByHash,
  insertKey,
  keysVersion,
  listKeys,
  type NewKey,
  revokeKey,
  rotateKey,
  updateKey,
  upsertKeyByName,
} from "../../src/store/keys.ts";
import { insertProject, listProjects, removeProject, updateProject } from "../../src/store/projects.ts";
import { readSetting, writeSetting, writeSettingIfAbsent } from "../../src/store/settings.ts";
import { engines, type OpenedStore } from "./engines.ts";

const key = (name: string, change: Partial<NewKey> = {}): NewKey => ({
  id: `key_${name}`,
  name,
  hash: `hash of ${name}`,
  preview: "tp-…abcd",
  createdAtMs: 1_760_000_000_000,
  expiresAtMs: null,
  rules: null,
  ...change,
});

for (const engine of engines) {
  describe.skipIf(engine.skipped)(engine.name, () => {
    let opened: OpenedStore;
    beforeEach(async () => {
      opened = await engine.open();
    });
    afterEach(async () => {
      await opened?.dispose();
    });

    test("a key is found by its hash and comes back as it was written", async () => {
      const { store } = opened;
      const written = await insertKey(store, key("a", { expiresAtMs: 1_760_000_000_001, rules: '{"models":[]}' }));
      expect(written.kind).toBe("written");
      expect(await findKeyByHash(store, "hash of a")).toEqual({
        ...key("a", { expiresAtMs: 1_760_000_000_001, rules: '{"models":[]}' }),
        ...{ revokedAtMs: null, projectId: "default", pepperId: null, disabledAtMs: null },
        ...{ previousHash: null, previousUntilMs: null, metadata: null, workEndedAtMs: null, version: 1 },
      });
      expect(await findKeyByHash(store, "hash of b")).toBeUndefined();
    });

    test("a name belongs to one live key, a hash to one key for ever", async () => {
      const { store } = opened;
      await insertKey(store, key("a"));
      expect(await insertKey(store, key("a", { id: "key_2", hash: "other" }))).toEqual({ kind: "taken", by: "name" });
      await revokeKey(store, "a", 5);
      expect(await insertKey(store, key("b", { hash: "hash of a" }))).toEqual({ kind: "taken", by: "hash" });
      expect((await insertKey(store, key("a", { id: "key_2", hash: "other" }))).kind).toBe("written");
    });

    test("an upsert keeps the id, moves the version only on a change, and does not revive a revoked secret", async () => {
      const { store } = opened;
      await upsertKeyByName(store, key("a"));
      const before = await keysVersion(store);
      const again = await upsertKeyByName(store, key("a", { id: "key_new" }));
      expect(again).toMatchObject({ kind: "written", key: { id: "key_a" } });
      expect(await keysVersion(store)).toBe(before);
      const changed = await upsertKeyByName(store, key("a", { id: "key_new", hash: "new hash" }));
      expect(changed).toMatchObject({ kind: "written", key: { id: "key_a", hash: "new hash" } });
      expect(await keysVersion(store)).toBeGreaterThan(before);
      await revokeKey(store, "key_a", 5);
      expect(await upsertKeyByName(store, key("a", { id: "key_3", hash: "new hash" }))).toEqual({
        kind: "taken",
        by: "hash",
      });
    });

    test("instances that start together with the same new key agree on one row", async () => {
      const other = await opened.second();
      const starts = Array.from({ length: 16 }, (_, index) =>
        upsertKeyByName(index % 2 ? opened.store : other, key("a", { id: `key_${index}` })),
      );
      const ids = (await Promise.all(starts)).map((result) => (result.kind === "written" ? result.key.id : result.by));
      expect(new Set(ids).size).toBe(1);
      expect(await listKeys(opened.store)).toHaveLength(1);
    });

    test("a key is revoked by id or by name, once, and stays in the list", async () => {
      const { store } = opened;
      await insertKey(store, key("a"));
      await insertKey(store, key("b"));
      expect(await revokeKey(store, "key_a", 77)).toMatchObject({ id: "key_a", revokedAtMs: 77 });
      expect(await revokeKey(store, "a", 78)).toBeUndefined();
      expect(await revokeKey(store, "b", 79)).toMatchObject({ id: "key_b" });
      expect((await listKeys(store)).map((row) => [row.id, row.revokedAtMs])).toEqual([
        ["key_a", 77],
        ["key_b", 79],
      ]);
    });

    test("a key is changed, disabled and rotated while it has the version that was read", async () => {
      const { store } = opened;
      await insertKey(store, key("a"));
      await insertKey(store, key("b"));
      const rules = '{"allowed_models":["x"]}';
      const first = await updateKey(store, "key_a", { rules, metadata: "{}", disabledAtMs: 7, expiresAtMs: 9 }, 1);
      expect(first).toMatchObject({ kind: "written", key: { rules, metadata: "{}", disabledAtMs: 7, expiresAtMs: 9 } });
      expect(await updateKey(store, "key_a", { rules: null }, 1)).toEqual({ kind: "stale" });
      expect(await updateKey(store, "key_a", { name: "b" })).toEqual({ kind: "taken", by: "name" });
      expect(await updateKey(store, "key_c", { name: "c" })).toEqual({ kind: "missing" });
      const secret = { hash: "hash 2", preview: "tp-…2", pepperId: null };
      const rotated = await rotateKey(store, "key_a", secret, 99);
      const previous = { previousHash: "hash of a", previousUntilMs: 99 };
      expect(rotated).toMatchObject({ kind: "written", key: { id: "key_a", rules, hash: "hash 2", ...previous } });
      const again = await rotateKey(store, "key_a", { ...secret, hash: "hash 3" }, null);
      expect(again).toMatchObject({ key: { hash: "hash 3", previousHash: null, previousUntilMs: null } });
      await revokeKey(store, "key_a", 5);
      expect(await updateKey(store, "key_a", { rules: null })).toEqual({ kind: "missing" });
    });

    test("a project is changed at its version, and removed when no key belongs to it", async () => {
      const { store } = opened;
      const project = { id: "proj_1", organizationId: "default", name: "team", rules: null, createdAtMs: 5 };
      const made = await insertProject(store, project);
      expect(made).toMatchObject({ kind: "written", project: { ...project, removedAtMs: null } });
      expect(await insertProject(store, { ...project, id: "proj_2" })).toEqual({ kind: "taken" });
      const version = made.kind === "written" ? made.project.version : 0;
      expect(await updateProject(store, "proj_1", { rules: "{}" }, version)).toMatchObject({ kind: "written" });
      expect(await updateProject(store, "proj_1", { rules: null }, version)).toEqual({ kind: "stale" });
      expect(await updateProject(store, "proj_1", { name: "default" })).toEqual({ kind: "taken" });
      await insertKey(store, key("a", { projectId: "proj_1" }));
      expect(await removeProject(store, "proj_1", 6)).toEqual({ kind: "in_use" });
      await revokeKey(store, "a", 6);
      expect(await removeProject(store, "proj_1", 7)).toMatchObject({ kind: "written", project: { removedAtMs: 7 } });
      expect(await removeProject(store, "proj_1", 8)).toEqual({ kind: "missing" });
      expect((await listProjects(store, 1)).map(({ id, removedAtMs }) => [id, removedAtMs])).toEqual([["proj_1", 7]]);
    });

    test("writers at the same time take different versions, and a reader misses none of them", async () => {
      const { store } = opened;
      const other = await opened.second();
      const names = Array.from({ length: 24 }, (_, index) => `k${index}`);
      await Promise.all(names.map((name, index) => insertKey(index % 2 ? store : other, key(name))));
      const rows = await listKeys(store);
      expect(rows.map((row) => row.version)).toEqual(names.map((_, index) => index + 1));
      await Promise.all(
        names.map((name, index) => upsertKeyByName(index % 2 ? store : other, key("k0", { id: name, hash: name }))),
      );
      expect(await keysVersion(store)).toBe(48);
      expect(await listKeys(store, 24)).toHaveLength(1);
    });

    test("the first writer of a setting wins, and both are told the same value", async () => {
      const other = await opened.second();
      const result = await Promise.all([
        writeSettingIfAbsent(opened.store, "secret", "one"),
        writeSettingIfAbsent(other, "secret", "two"),
      ]);
      expect(result[0]).toBe(result[1]);
      expect(await readSetting(other, "secret")).toBe(result[0]);
      await writeSetting(opened.store, "secret", "three");
      expect(await readSetting(other, "secret")).toBe("three");
      expect(await readSetting(other, "absent")).toBeUndefined();
    });

    test("a catalog entry that is put, changed and removed moves the version each time, and only then", async () => {
      const { store } = opened;
      expect(await catalogVersion(store)).toBe(0);
      expect(await putCatalogEntry(store, { kind: "provider", name: "local", body: '{"a":1}' })).toBe(1);
      expect(await putCatalogEntry(store, { kind: "provider", name: "local", body: '{"a":1}' })).toBeUndefined();
      expect(await putCatalogEntry(store, { kind: "route", name: "local", body: "{}" })).toBe(2);
      expect(await putCatalogEntry(store, { kind: "provider", name: "local", body: '{"a":2}' })).toBe(3);
      expect(await listCatalog(store)).toEqual([
        { kind: "route", name: "local", body: "{}", version: 2 },
        { kind: "provider", name: "local", body: '{"a":2}', version: 3 },
      ]);
      expect(await removeCatalogEntry(store, "provider", "local")).toBe(true);
      expect(await removeCatalogEntry(store, "provider", "local")).toBe(false);
      expect(await catalogVersion(store)).toBe(4);
      expect(await listCatalog(store)).toHaveLength(1);
    });
  });
}
