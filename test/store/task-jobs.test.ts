// What is left to do for tasks that are over, and what is kept of them, on both engines.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  expiredCopies,
  markResultDropped,
  oldestCopies,
  storedBytes,
  writeCopied,
} from "../../src/store/result-copies.ts";
import { claimJobs, extendLease, finishJob, releaseJobs, type TaskJob } from "../../src/store/task-jobs.ts";
import {
  endTask,
  findLinkedTask,
  insertTask,
  markTaskSettled,
  purgeTasks,
  softDeleteTask,
  type TaskChange,
  type TaskRow,
} from "../../src/store/tasks.ts";
import { engines, type OpenedStore } from "./engines.ts";

const task = (id: string, more: Partial<TaskRow> = {}): TaskRow => ({
  id,
  ownerKeyId: "key_a",
  operation: "video",
  provider: "one",
  candidate: "{}",
  upstreamId: "u",
  state: "in_progress",
  body: "{}",
  createdAtMs: 1_000,
  updatedAtMs: 1_000,
  nextPollAtMs: 2_000,
  expiresAtMs: 90_000,
  leaseOwner: null,
  leaseUntilMs: null,
  ledger: "l1",
  ...more,
});

const end = (jobs?: TaskChange["jobs"]): TaskChange => ({
  provider: "one",
  candidate: "{}",
  upstreamId: "u",
  state: "completed",
  body: "{}",
  updatedAtMs: 2_000,
  nextPollAtMs: null,
  ...(jobs === undefined ? {} : { jobs: jobs }),
});

const claim = (leaseOwner: string, nowMs: number, more: object = {}) => ({
  leaseOwner,
  nowMs,
  leaseUntilMs: nowMs + 1_000,
  limit: 10,
  without: [],
  ...more,
});

const idsOf = (rows: readonly TaskRow[]): string[] => rows.map(({ id }) => id).sort();
const copied = { body: '{"kept":1}', storedBytes: 500, storedAtMs: 3_000, copyAtMs: null, tries: 1 };

for (const engine of engines) {
  describe.skipIf(engine.skipped)(engine.name, () => {
    let opened: OpenedStore;
    beforeEach(async () => {
      opened = await engine.open();
    });
    afterEach(async () => {
      await opened?.dispose();
    });

    /** A task that is over, with both jobs due from its end on. */
    async function over(id: string, more: Partial<TaskRow> = {}, jobs: TaskChange["jobs"] = due): Promise<void> {
      await insertTask(opened.store, task(id, more));
      await endTask(opened.store, id, end(jobs));
      await markTaskSettled(opened.store, id);
    }
    const due = { webhookAtMs: 2_000, copyAtMs: 2_000 };

    test.each(["webhook", "copy"] as const satisfies TaskJob[])(
      "an errand (%s) is due from the last state on, and one process runs it",
      async (job) => {
        const { store } = opened;
        const other = await opened.second();
        await insertTask(store, task("running"));
        const ids = Array.from({ length: 12 }, (_, index) => `t${index}`);
        await Promise.all(ids.map((id) => over(id)));
        await over("none", {}, { webhookAtMs: null, copyAtMs: null });
        expect(await claimJobs(store, job, claim("early", 1_999))).toEqual([]);
        const claims = await Promise.all(
          [0, 1, 2, 3, 4, 5].map((index) =>
            claimJobs(index % 2 ? store : other, job, claim(`p${index}`, 2_000, { limit: 4 })),
          ),
        );
        const rest = await claimJobs(store, job, claim("rest", 2_000, { limit: 100 }));
        expect(idsOf([...claims.flat(), ...rest])).toEqual(ids.toSorted());
        const [row] = [...claims.flat(), ...rest];
        expect(row).toMatchObject({ tries: 0, state: "completed", ownerKeyId: "key_a" });
        expect(await claimJobs(store, job, claim("late", 2_999))).toEqual([]);
        expect(await claimJobs(store, job, claim("late", 3_000, { limit: 100 }))).toHaveLength(12);
      },
    );

    test("only its holder goes on holding it, and lets it go to be done again or never", async () => {
      const { store } = opened;
      await over("t1");
      await claimJobs(store, "webhook", claim("a", 2_000));
      expect(await extendLease(store, "webhook", "t1", "b", 9_000)).toBe(false);
      expect(await extendLease(store, "webhook", "t1", "a", 9_000)).toBe(true);
      expect(await claimJobs(store, "webhook", claim("b", 8_999))).toEqual([]);
      expect(await finishJob(store, "webhook", "t1", "b", { atMs: null, tries: 1 })).toBe(false);
      expect(await finishJob(store, "webhook", "t1", "a", { atMs: 5_000, tries: 1 })).toBe(true);
      expect(await claimJobs(store, "webhook", claim("b", 5_000))).toMatchObject([{ id: "t1", tries: 1 }]);
      await releaseJobs(store, "webhook", 5_100);
      expect(await finishJob(store, "webhook", "t1", "b", { atMs: null, tries: 2 })).toBe(false);
      expect(await claimJobs(store, "webhook", claim("c", 5_100))).toHaveLength(1);
      expect(await finishJob(store, "webhook", "t1", "c", { atMs: null, tries: 2 })).toBe(true);
      expect(await claimJobs(store, "webhook", claim("d", 99_000))).toEqual([]);
    });

    test("owners who have enough are left out, the most overdue come first", async () => {
      const { store } = opened;
      await over("b", { ownerKeyId: "key_b" }, { webhookAtMs: 1_000, copyAtMs: null });
      await over("new", {}, { webhookAtMs: 1_900, copyAtMs: null });
      await over("old", {}, { webhookAtMs: 1_500, copyAtMs: null });
      const busy = { without: ["key_b", "key_c"], limit: 1 };
      expect(idsOf(await claimJobs(store, "webhook", claim("a", 2_000, busy)))).toEqual(["old"]);
      expect(idsOf(await claimJobs(store, "webhook", claim("a", 2_000)))).toEqual(["b", "new"]);
    });

    test("a copy is noted by its holder alone, and not for a task that nobody finds any more", async () => {
      const { store } = opened;
      await over("t1");
      await over("t2");
      await claimJobs(store, "copy", claim("a", 2_000));
      expect(await writeCopied(store, "t1", "b", 2_500, copied)).toBe(false);
      expect(await writeCopied(store, "t1", "a", 2_500, copied)).toBe(true);
      expect(await softDeleteTask(store, "t2", "key_a", 2_600)).toBe(true);
      expect(await writeCopied(store, "t2", "a", 2_600, copied)).toBe(false);
      expect(idsOf(await claimJobs(store, "copy", claim("b", 2_600)))).toEqual(["t2"]);
      expect(await findLinkedTask(store, "t1", 89_999)).toMatchObject({ body: '{"kept":1}' });
      expect(await findLinkedTask(store, "t1", 90_000)).toBeUndefined();
    });

    test("what is kept is counted, goes by its age, and holds its row until it has gone", async () => {
      const { store } = opened;
      expect(await storedBytes(store)).toBe(0);
      for (const [id, storedAtMs] of [
        ["t1", 3_000],
        ["t2", 4_000],
        ["t3", 5_000],
      ] as const) {
        await over(id, { expiresAtMs: id === "t3" ? 6_000 : 90_000 }, { webhookAtMs: null, copyAtMs: 2_000 });
        await claimJobs(store, "copy", claim("a", 2_000));
        await writeCopied(store, id, "a", 2_500, { ...copied, storedAtMs, storedBytes: 3_000_000_000 });
      }
      expect(await storedBytes(store)).toBe(9_000_000_000);
      expect((await oldestCopies(store, 2)).map(({ id }) => id)).toEqual(["t1", "t2"]);
      expect(idsOf(await expiredCopies(store, 5_999, 2_999, 10))).toEqual([]);
      expect(idsOf(await expiredCopies(store, 6_000, 3_000, 10))).toEqual(["t1", "t3"]);
      expect(await purgeTasks(store, 7_000)).toBe(0);
      await markResultDropped(store, "t3", "{}");
      expect(await storedBytes(store)).toBe(6_000_000_000);
      expect(await purgeTasks(store, 7_000)).toBe(1);
    });

    test("a task is not forgotten before its owner was told", async () => {
      const { store } = opened;
      await over("t1", {}, { webhookAtMs: 2_000, copyAtMs: null });
      expect(await purgeTasks(store, 99_000)).toBe(0);
      await claimJobs(store, "webhook", claim("a", 2_000));
      expect(await purgeTasks(store, 99_000)).toBe(0);
      await finishJob(store, "webhook", "t1", "a", { atMs: null, tries: 1 });
      expect(await purgeTasks(store, 99_000)).toBe(1);
    });
  });
}
