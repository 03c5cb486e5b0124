// Users and their invites, the same on both engines.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { failureOf } from "../../src/store/failure.ts";
import {
  acceptInvite,
  findUser,
  findUserByEmail,
  findUserByInvite,
  findUserBySubject,
  insertUser,
  listUsers,
  noteSignIn,
  removeUser,
  setInvite,
  updateUser,
} from "../../src/store/users.ts";
import { engines, type OpenedStore } from "./engines.ts";

const nowMs = 1_760_000_000_000;
const user = (name: string, change: object = {}) => ({
  ...{ id: `usr_${name}`, email: `${name}@example.com`, name, role: "viewer", credential: `usc_${name}` },
  createdAtMs: nowMs,
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

    test("a user is found by ID, email and subject, and comes back as written", async () => {
      const { store } = opened;
      await insertUser(store, user("a"));
      await insertUser(store, user("b", { issuer: "https://i.example", subject: "1", createdAtMs: nowMs + 1 }));
      const nothing = { passwordHash: null, inviteHash: null, inviteExpiresAtMs: null, lastSignInAtMs: null };
      const a = { ...user("a"), ...nothing, issuer: null, subject: null, disabledAtMs: null, version: 1 };
      expect(await findUser(store, "usr_a")).toEqual(a);
      expect(await findUserByEmail(store, "a@example.com")).toEqual(a);
      expect((await findUserBySubject(store, "https://i.example", "1"))?.id).toBe("usr_b");
      expect((await listUsers(store, 1)).map(({ id }) => id)).toEqual(["usr_b"]);
      const after = { createdAtMs: nowMs + 1, id: "usr_b" };
      expect((await listUsers(store, 5, after)).map(({ id }) => id)).toEqual(["usr_a"]);
      await updateUser(store, { ...a, role: "owner", disabledAtMs: nowMs });
      await noteSignIn(store, "usr_a", nowMs);
      const changed = { role: "owner", disabledAtMs: nowMs, lastSignInAtMs: nowMs, version: 2 };
      expect(await findUser(store, "usr_a")).toEqual({ ...a, ...changed });
      await removeUser(store, "usr_a");
      expect(await findUser(store, "usr_a")).toBeUndefined();
    });

    test("no two have the same email or subject", async () => {
      const { store } = opened;
      await insertUser(store, user("a", { issuer: "https://i.example", subject: "1" }));
      const failure = (change: object) => insertUser(store, user("b", change)).then(() => null, failureOf);
      expect(await failure({ email: "a@example.com" })).toEqual({ kind: "duplicate", index: "users.email" });
      expect(await failure({ issuer: "https://i.example", subject: "1" })).toMatchObject({ kind: "duplicate" });
      expect(await failure({ issuer: "https://other.example", subject: "1" })).toBeNull();
    });

    test("an invite is accepted once, by one of several at a time, and not after its end", async () => {
      const { store } = opened;
      await insertUser(store, user("a"));
      const accept = (from = store, atMs = nowMs) =>
        acceptInvite(from, { hash: "h", passwordHash: "p", credential: "usc_2" }, atMs);
      await setInvite(store, "usr_a", { hash: "h", expiresAtMs: nowMs + 1 });
      expect((await findUserByInvite(store, "h", nowMs))?.id).toBe("usr_a");
      expect(await findUserByInvite(store, "h", nowMs + 1)).toBeUndefined();
      expect(await accept(store, nowMs + 1)).toBe(false);
      const second = await opened.second();
      const accepted = await Promise.all([accept(), accept(second), accept(), accept(second)]);
      await second.close();
      expect(accepted.filter(Boolean).length).toBe(1);
      expect(await findUser(store, "usr_a")).toMatchObject({
        passwordHash: "p",
        credential: "usc_2",
        inviteHash: null,
      });
    });
  });
}
