// What is left to do for tasks that are over: who takes it, when it is due again, and how often it was tried.
import { type Static, Type } from "typebox";
import { IntColumn, rowReader } from "./rows.ts";
import type { SqlValue, Store } from "./store.ts";
import { type TaskClaim, taskColumns, taskShape } from "./tasks.ts";

/** `tell` its owner how it ended; `copy` its results to where they last. */
export type TaskJob = "tell" | "copy";

const shape = Type.Object({ ...taskShape.properties, tries: IntColumn });
export type TaskJobRow = Static<typeof shape>;
const readErrands = rowReader("tasks", shape);

/** Takes the most overdue errands that nobody runs; each is due again when its lease ends. `tries` are those before this one. */
export async function claimJobs(store: Store, errand: TaskJob, claim: TaskClaim): Promise<TaskJobRow[]> {
  const { leaseOwner, nowMs, leaseUntilMs, limit, without } = claim;
  const due = `${errand}_at_ms`;
  const others = without.length === 0 ? "" : `and owner_key_id not in (${without.map((_, index) => `$${index + 4}`)})`;
  const sql = `update tasks set ${errand}_by = $1, ${due} = $2
    where ${due} <= $3 and id in
      (select id from tasks where ${due} <= $3 ${others} order by ${due} limit $${without.length + 4})
    returning ${taskColumns}, ${errand}_tries as tries`;
  return readErrands(await store.query(sql, [leaseOwner, leaseUntilMs, nowMs, ...without, limit]));
}

/** Goes on holding it. False when it went to somebody else. */
export async function extendLease(
  store: Store,
  errand: TaskJob,
  id: string,
  leaseOwner: string,
  leaseUntilMs: number,
): Promise<boolean> {
  const sql = `update tasks set ${errand}_at_ms = $1 where id = $2 and ${errand}_by = $3 returning id`;
  return (await store.query(sql, [leaseUntilMs, id, leaseOwner])).length > 0;
}

/** Lets it go: to be done again at `atMs`, or never again. False when it went to somebody else. */
export async function finishJob(
  store: Store,
  errand: TaskJob,
  id: string,
  leaseOwner: string,
  { atMs, tries }: { readonly atMs: number | null; readonly tries: number },
): Promise<boolean> {
  const sql = `update tasks set ${errand}_at_ms = $1, ${errand}_tries = $2, ${errand}_by = null
    where id = $3 and ${errand}_by = $4 returning id`;
  const values: SqlValue[] = [atMs, tries, id, leaseOwner];
  return (await store.query(sql, values)).length > 0;
}

/** Lets go of what a dead process held: for a store that nobody else uses. */
export async function releaseJobs(store: Store, errand: TaskJob, nowMs: number): Promise<void> {
  const sql = `update tasks set ${errand}_by = null, ${errand}_at_ms = $1
    where ${errand}_by is not null and ${errand}_at_ms is not null`;
  await store.query(sql, [nowMs]);
}
