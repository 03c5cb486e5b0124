// The table of tasks on both engines: owners, claims, last states, ledgers, and the end of old rows.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  claimTasks,
  deleteTask,
  endTask,
  findTask,
  insertTask,
  listTasks,
  markTaskSettled,
  purgeTasks,
  releaseTasks,
  softDeleteTask,
  type TaskChange,
  type TaskRow,
  unsettledTasks,
  updateTask,
} from "../../src/store/tasks.ts";
import { engines, type OpenedStore } from "./engines.ts";

const task = (id: string, change: Partial<TaskRow> = {}): TaskRow => ({
  id,
  ownerKeyId: "key_a",
  operation: "video",
  provider: "one",
  candidate: "{}",
  upstreamId: null,
  state: "queued",
  body: "{}",
  createdAtMs: 1_000,
  updatedAtMs: 1_000,
  nextPollAtMs: 2_000,
  expiresAtMs: 90_000,
  leaseOwner: null,
  leaseUntilMs: null,
  ledger: "l1",
  ...change,
});

const change = (more: Partial<TaskChange> = {}): TaskChange => ({
  provider: "one",
  candidate: "{}",
  upstreamId: "u",
  state: "in_progress",
  body: "{}",
  updatedAtMs: 2_100,
  nextPollAtMs: 9_000,
  ...more,
});

const claim = (leaseOwner: string, more: object = {}) => ({
  leaseOwner,
  nowMs: 2_000,
  leaseUntilMs: 3_000,
  limit: 10,
  without: [],
  ...more,
});

const idsOf = (rows: readonly TaskRow[]): string[] => rows.map(({ id }) => id).sort();

for (const engine of engines) {
  describe.skipIf(engine.skipped)(engine.name, () => {
    let opened: OpenedStore;
    beforeEach(async () => {
      opened = await engine.open();
    });
    afterEach(async () => {
      await opened?.dispose();
    });

    test("a task is only seen by its owner, and until it expires", async () => {
      const { store } = opened;
      await insertTask(store, task("t1"));
      expect(await findTask(store, "t1", "key_a", 89_999)).toEqual(task("t1"));
      expect(await findTask(store, "t1", "key_b", 89_999)).toBeUndefined();
      expect(await findTask(store, "t1", "key_a", 90_000)).toBeUndefined();
    });

    test("each due task is claimed once, whoever asks, and only its holder may write", async () => {
      const { store } = opened;
      const other = await opened.second();
      const due = Array.from({ length: 20 }, (_, index) => `t${index}`);
      await Promise.all(due.map((id) => insertTask(store, task(id))));
      await insertTask(store, task("later", { nextPollAtMs: 2_001 }));
      await insertTask(store, task("over", { nextPollAtMs: null }));
      const owners = Array.from({ length: 8 }, (_, index) => `instance${index}`);
      const claims = await Promise.all(
        owners.map((owner, index) => claimTasks(index % 2 ? store : other, claim(owner, { limit: 5 }))),
      );
      for (const rows of claims) expect(rows.length).toBeLessThanOrEqual(5);
      const rest = await claimTasks(store, claim("last", { limit: 100 }));
      expect(idsOf([...claims.flat(), ...rest])).toEqual(due.toSorted());
      expect(await claimTasks(store, claim("again"))).toEqual([]);
      const [taken] = rest.length > 0 ? rest : (claims.find((rows) => rows.length > 0) ?? []);
      const { id = "", leaseOwner = "" } = taken ?? {};
      expect(await updateTask(store, id, "stranger", change())).toBe(false);
      expect(await updateTask(store, id, leaseOwner ?? "", change())).toBe(true);
      expect(await findTask(store, id, "key_a", 0)).toMatchObject({
        state: "in_progress",
        leaseOwner: null,
        nextPollAtMs: 9_000,
      });
    });

    test("the most overdue come first, busy providers are left out", async () => {
      const { store } = opened;
      await insertTask(store, task("new", { nextPollAtMs: 1_900 }));
      await insertTask(store, task("old", { nextPollAtMs: 1_100 }));
      await insertTask(store, task("busy", { nextPollAtMs: 1_000, provider: "two" }));
      expect(idsOf(await claimTasks(store, claim("a", { limit: 1, without: ["two", "three"] })))).toEqual(["old"]);
      expect(idsOf(await claimTasks(store, claim("a")))).toEqual(["busy", "new"]);
    });

    test("a lease that has run out can be claimed again, and its old holder can no longer write", async () => {
      const { store } = opened;
      await insertTask(store, task("t1"));
      await claimTasks(store, claim("old"));
      expect(await claimTasks(store, claim("new", { nowMs: 2_999, leaseUntilMs: 4_000 }))).toEqual([]);
      expect(idsOf(await claimTasks(store, claim("new", { nowMs: 3_000, leaseUntilMs: 4_000 })))).toEqual(["t1"]);
      expect(await updateTask(store, "t1", "old", change())).toBe(false);
      await releaseTasks(store, 3_100);
      expect(await updateTask(store, "t1", "new", change())).toBe(false);
      expect(idsOf(await claimTasks(store, claim("third", { nowMs: 3_100, leaseUntilMs: 5_000 })))).toEqual(["t1"]);
    });

    test("a last state is set once, over whoever holds the task", async () => {
      const { store } = opened;
      await insertTask(store, task("t1"));
      await claimTasks(store, claim("poller"));
      expect(await endTask(store, "t1", change({ state: "cancelled" }))).toBe(true);
      expect(await updateTask(store, "t1", "poller", change({ state: "completed", nextPollAtMs: null }))).toBe(false);
      expect(await endTask(store, "t1", change({ state: "failed" }))).toBe(false);
      expect(await findTask(store, "t1", "key_a", 0)).toMatchObject({ state: "cancelled", nextPollAtMs: null });
    });

    test("a task that is over stays until its ledger has settled it", async () => {
      const { store } = opened;
      await insertTask(store, task("t1"));
      await insertTask(store, task("t2", { ledger: "l2" }));
      expect(await unsettledTasks(store, "l1", 10)).toEqual([]);
      await endTask(store, "t1", change());
      await endTask(store, "t2", change());
      expect(idsOf(await unsettledTasks(store, "l1", 10))).toEqual(["t1"]);
      expect(await purgeTasks(store, 100_000)).toBe(0);
      await markTaskSettled(store, "t1");
      expect(await unsettledTasks(store, "l1", 10)).toEqual([]);
      expect(await purgeTasks(store, 89_999)).toBe(0);
      expect(await purgeTasks(store, 90_000)).toBe(1);
      expect(idsOf(await unsettledTasks(store, "l2", 10))).toEqual(["t2"]);
    });

    test("hidden tasks are found by nobody, also not by their owner; deleted ones are gone", async () => {
      const { store } = opened;
      await insertTask(store, task("t1"));
      expect(await softDeleteTask(store, "t1", "key_b", 5_000)).toBe(false);
      expect(await softDeleteTask(store, "t1", "key_a", 5_000)).toBe(true);
      expect(await softDeleteTask(store, "t1", "key_a", 5_000)).toBe(false);
      expect(await findTask(store, "t1", "key_a", 5_000)).toBeUndefined();
      await deleteTask(store, "t1");
      expect(await findTask(store, "t1", "key_a", 0)).toBeUndefined();
    });

    test("a list is in order of making, page by page, also among tasks of one millisecond", async () => {
      const { store } = opened;
      for (const [id, createdAtMs] of [
        ["b", 2],
        ["a", 2],
        ["c", 1],
        ["d", 3],
      ] as const)
        await insertTask(store, task(id, { createdAtMs }));
      await insertTask(store, task("foreign", { ownerKeyId: "key_b" }));
      await insertTask(store, task("other", { operation: "else" }));
      const page = (limit: number, isDescending: boolean, after?: TaskRow) =>
        listTasks(store, {
          ownerKeyId: "key_a",
          operation: "video",
          nowMs: 5,
          limit,
          isDescending,
          ...(after === undefined ? {} : { after }),
        });
      expect((await page(10, true)).map(({ id }) => id)).toEqual(["d", "b", "a", "c"]);
      const first = await page(2, true);
      expect((await page(2, true, first[1])).map(({ id }) => id)).toEqual(["a", "c"]);
      expect((await page(3, false)).map(({ id }) => id)).toEqual(["c", "a", "b"]);
    });
  });
}
