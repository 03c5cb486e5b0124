// Jobs of finished tasks: the instance that claimed them, when they are due again, and the number of tries.
import { type Static, Type } from "typebox";
import { IntColumn, rowReader } from "./rows.ts";
import type { SqlValue, Store } from "./store.ts";
import { type TaskClaim, taskColumns, taskShape } from "./tasks.ts";

/** `webhook`: notify the owner. `copy`: store the results. */
export type TaskJob = "webhook" | "copy";

/** The prefix of the columns of a job. */
const columns: { readonly [job in TaskJob]: string } = { webhook: "tell", copy: "copy" };

const shape = Type.Object({ ...taskShape.properties, tries: IntColumn });
export type TaskJobRow = Static<typeof shape>;
const readJobs = rowReader("tasks", shape);

/**
 * Claims the most overdue jobs that no instance runs; each is due again when its claim expires. `tries` are those
 * before this one.
 */
export async function claimJobs(store: Store, job: TaskJob, claim: TaskClaim): Promise<TaskJobRow[]> {
  const { leaseOwner, nowMs, leaseUntilMs, limit, without } = claim;
  const due = `${columns[job]}_at_ms`;
  const others = without.length === 0 ? "" : `and owner_key_id not in (${without.map((_, index) => `$${index + 4}`)})`;
  const sql = `update tasks set ${columns[job]}_by = $1, ${due} = $2
    where ${due} <= $3 and id in
      (select id from tasks where ${due} <= $3 ${others} order by ${due} limit $${without.length + 4})
    returning ${taskColumns}, ${columns[job]}_tries as tries`;
  return readJobs(await store.query(sql, [leaseOwner, leaseUntilMs, nowMs, ...without, limit]));
}

/** Extends a claim. False when another instance has the job. */
export async function extendLease(
  store: Store,
  job: TaskJob,
  id: string,
  leaseOwner: string,
  leaseUntilMs: number,
): Promise<boolean> {
  const sql = `update tasks set ${columns[job]}_at_ms = $1 where id = $2 and ${columns[job]}_by = $3 returning id`;
  return (await store.query(sql, [leaseUntilMs, id, leaseOwner])).length > 0;
}

/** Ends a claim: the job is due again at `atMs`, or never if null. False when another instance has the job. */
export async function finishJob(
  store: Store,
  job: TaskJob,
  id: string,
  leaseOwner: string,
  { atMs, tries }: { readonly atMs: number | null; readonly tries: number },
): Promise<boolean> {
  const sql = `update tasks set ${columns[job]}_at_ms = $1, ${columns[job]}_tries = $2, ${columns[job]}_by = null
    where id = $3 and ${columns[job]}_by = $4 returning id`;
  const values: SqlValue[] = [atMs, tries, id, leaseOwner];
  return (await store.query(sql, values)).length > 0;
}

/** Releases the claims of an ended process, for a store that no other instance uses. */
export async function releaseJobs(store: Store, job: TaskJob, nowMs: number): Promise<void> {
  const sql = `update tasks set ${columns[job]}_by = null, ${columns[job]}_at_ms = $1
    where ${columns[job]}_by is not null and ${columns[job]}_at_ms is not null`;
  await store.query(sql, [nowMs]);
}
