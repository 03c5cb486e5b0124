// Tasks that outlive a request, such as a video: owner, state, and the instance that polls them.
import { type Static, Type } from "typebox";
import { IntColumn, NullableInt, NullableText, rowReader } from "./rows.ts";
import type { SqlValue, Store } from "./store.ts";

const shape = Type.Object({
  id: Type.String(),
  ownerKeyId: Type.String(),
  operation: Type.String(),
  provider: Type.String(),
  /** JSON text of the candidate that accepted the task, and of the state for later requests to it. */
  candidate: Type.String(),
  upstreamId: NullableText,
  state: Type.String(),
  /** JSON text of the task as its owner sees it. */
  body: Type.String(),
  createdAtMs: IntColumn,
  updatedAtMs: IntColumn,
  /** When to poll the upstream again; null in a final state. */
  nextPollAtMs: NullableInt,
  /** From then on the task is not found any more. */
  expiresAtMs: IntColumn,
  leaseOwner: NullableText,
  leaseUntilMs: NullableInt,
  /** The ledger with the task's row; null once it is settled there. */
  ledger: NullableText,
});

export type TaskRow = Static<typeof shape>;

/** The result of a poll, which also ends the claim. */
export interface TaskChange {
  readonly provider: string;
  readonly candidate: string;
  readonly upstreamId: string | null;
  readonly state: string;
  readonly body: string;
  readonly updatedAtMs: number;
  readonly nextPollAtMs: number | null;
  /** With a final state: when its jobs are due; null for jobs that are not needed. */
  readonly jobs?: { readonly webhookAtMs: number | null; readonly copyAtMs: number | null };
}

/** A position in the list of an owner's tasks. */
interface TaskPlace {
  readonly createdAtMs: number;
  readonly id: string;
}

export const readTaskRows = rowReader("tasks", shape);
export const taskShape = shape;
export const taskColumns = `id, owner_key_id as "ownerKeyId", operation, provider, candidate, upstream_id as "upstreamId", state,
  body, created_at_ms as "createdAtMs", updated_at_ms as "updatedAtMs", next_poll_at_ms as "nextPollAtMs",
  expires_at_ms as "expiresAtMs", lease_owner as "leaseOwner", lease_until_ms as "leaseUntilMs", ledger`;

export async function insertTask(store: Store, task: TaskRow & { readonly endUser?: string | null }): Promise<void> {
  const sql = `insert into tasks (id, owner_key_id, operation, provider, candidate, upstream_id, state, body,
      created_at_ms, updated_at_ms, next_poll_at_ms, expires_at_ms, lease_owner, lease_until_ms, ledger, end_user)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`;
  const { id, ownerKeyId, operation, provider, candidate, upstreamId, state, body, leaseOwner, leaseUntilMs } = task;
  const texts = [id, ownerKeyId, operation, provider, candidate, upstreamId, state, body];
  const times = [task.createdAtMs, task.updatedAtMs, task.nextPollAtMs, task.expiresAtMs];
  await store.query(sql, [...texts, ...times, leaseOwner, leaseUntilMs, task.ledger, task.endUser ?? null]);
}

/**
 * A task is only found with the key that made it, and until it expires; the owner is compared again in this process.
 */
export async function findTask(
  store: Store,
  id: string,
  ownerKeyId: string,
  nowMs: number,
): Promise<TaskRow | undefined> {
  const sql = `select ${taskColumns} from tasks where id = $1 and owner_key_id = $2 and expires_at_ms > $3`;
  const rows = readTaskRows(await store.query(sql, [id, ownerKeyId, nowMs]));
  return rows.find((row) => row.id === id && row.ownerKeyId === ownerKeyId);
}

export interface TaskListing {
  readonly ownerKeyId: string;
  readonly operation: string;
  readonly nowMs: number;
  readonly limit: number;
  readonly isDescending: boolean;
  /** Only tasks after it in this order. */
  readonly after?: TaskPlace;
}

/** An owner's tasks in the order of their creation. */
export async function listTasks(store: Store, listing: TaskListing): Promise<TaskRow[]> {
  const { ownerKeyId, operation, nowMs, limit, isDescending, after } = listing;
  const values: SqlValue[] = [ownerKeyId, operation, nowMs];
  const [behind, order] = isDescending ? ["<", "desc"] : [">", "asc"];
  if (after !== undefined) values.push(after.createdAtMs, after.id);
  const from =
    after === undefined ? "" : `and (created_at_ms ${behind} $4 or (created_at_ms = $4 and id ${behind} $5))`;
  const sql = `select ${taskColumns} from tasks where owner_key_id = $1 and operation = $2 and expires_at_ms > $3 ${from}
    order by created_at_ms ${order}, id ${order} limit $${values.length + 1}`;
  return readTaskRows(await store.query(sql, [...values, limit])).filter((row) => row.ownerKeyId === ownerKeyId);
}

interface AllTasksListing {
  readonly state?: string | undefined;
  readonly ownerKeyId?: string | undefined;
  readonly provider?: string | undefined;
  readonly nowMs: number;
  readonly limit: number;
  /** Only tasks created before it. */
  readonly after?: TaskPlace;
}

/** Tasks of all owners that have not expired, newest first. */
export async function listAllTasks(store: Store, listing: AllTasksListing): Promise<TaskRow[]> {
  const { state, ownerKeyId, provider, nowMs, limit, after } = listing;
  const values: SqlValue[] = [nowMs];
  const tests = ["expires_at_ms > $1"];
  for (const [column, value] of Object.entries({ state, owner_key_id: ownerKeyId, provider }))
    if (value !== undefined) tests.push(`${column} = $${values.push(value)}`);
  if (after !== undefined) {
    const at = values.push(after.createdAtMs, after.id);
    tests.push(`(created_at_ms < $${at - 1} or (created_at_ms = $${at - 1} and id < $${at}))`);
  }
  const sql = `select ${taskColumns} from tasks where ${tests.join(" and ")}
    order by created_at_ms desc, id desc limit $${values.length + 1}`;
  return readTaskRows(await store.query(sql, [...values, limit]));
}

export interface TaskClaim {
  readonly leaseOwner: string;
  readonly nowMs: number;
  readonly leaseUntilMs: number;
  readonly limit: number;
  /** Providers of tasks, or owners of jobs, that have reached their limit. */
  readonly without: readonly string[];
}

/**
 * Claims the most overdue unclaimed tasks. A claimed task is due again when its claim expires, so that it is found if
 * its instance stops; until then it is skipped.
 */
export async function claimTasks(store: Store, claim: TaskClaim): Promise<TaskRow[]> {
  const { leaseOwner, nowMs, leaseUntilMs, limit, without } = claim;
  const others = without.length === 0 ? "" : `and provider not in (${without.map((_, index) => `$${index + 4}`)})`;
  const sql = `update tasks set lease_owner = $1, lease_until_ms = $2, next_poll_at_ms = $2
    where next_poll_at_ms <= $3 and id in
      (select id from tasks where next_poll_at_ms <= $3 ${others} order by next_poll_at_ms limit $${without.length + 4})
    returning ${taskColumns}`;
  return readTaskRows(await store.query(sql, [leaseOwner, leaseUntilMs, nowMs, ...without, limit]));
}

/**
 * Writes the result of a poll and ends the claim. False when another instance has the claim by now, or the task is
 * final.
 */
export async function updateTask(store: Store, id: string, leaseOwner: string, change: TaskChange): Promise<boolean> {
  return written(store, change, "id = $10 and lease_owner = $11 and next_poll_at_ms is not null", [id, leaseOwner]);
}

/** Writes a final state, whichever instance has the claim. False when the task is already final. */
export async function endTask(store: Store, id: string, change: TaskChange): Promise<boolean> {
  return written(store, { ...change, nextPollAtMs: null }, "id = $10 and next_poll_at_ms is not null", [id]);
}

async function written(store: Store, change: TaskChange, where: string, keys: readonly string[]): Promise<boolean> {
  const sql = `update tasks set provider = $1, candidate = $2, upstream_id = $3, state = $4, body = $5,
    updated_at_ms = $6, next_poll_at_ms = $7, lease_owner = null, lease_until_ms = null, tell_at_ms = $8, copy_at_ms = $9
    where ${where} returning id`;
  const { provider, candidate, upstreamId, state, body, updatedAtMs, nextPollAtMs, jobs } = change;
  const values: SqlValue[] = [provider, candidate, upstreamId, state, body, updatedAtMs, nextPollAtMs];
  values.push(jobs?.webhookAtMs ?? null, jobs?.copyAtMs ?? null, ...keys);
  return (await store.query(sql, values)).length > 0;
}

/** Unfinished tasks whose key was revoked together with its running work. */
export async function tasksOfEndedKeys(store: Store, limit: number): Promise<TaskRow[]> {
  const sql = `select ${taskColumns} from tasks where next_poll_at_ms is not null
    and owner_key_id in (select id from keys where work_ended_at_ms is not null) limit $1`;
  return readTaskRows(await store.query(sql, [limit]));
}

/** Releases the claims of an ended process, for a store that no other instance uses. */
export async function releaseTasks(store: Store, nowMs: number): Promise<void> {
  const sql = `update tasks set lease_owner = null, lease_until_ms = null, next_poll_at_ms = $1
    where lease_owner is not null and next_poll_at_ms is not null`;
  await store.query(sql, [nowMs]);
}

/** Makes tasks due that wait longer than any task should, because the clock was set back. */
export async function clampFuturePolls(store: Store, nowMs: number, beyondMs: number): Promise<void> {
  await store.query("update tasks set next_poll_at_ms = $1 where next_poll_at_ms > $2", [nowMs, beyondMs]);
}

/** Final tasks whose row in this ledger may not be settled. */
export async function unsettledTasks(store: Store, ledger: string, limit: number): Promise<TaskRow[]> {
  const sql = `select ${taskColumns} from tasks where ledger = $1 and next_poll_at_ms is null limit $2`;
  return readTaskRows(await store.query(sql, [ledger, limit]));
}

/** Records that the ledger has settled the task's row. */
export async function markTaskSettled(store: Store, id: string): Promise<void> {
  await store.query("update tasks set ledger = null where id = $1", [id]);
}

/** Hides the task, and makes its copy job due, which ends it. False when the task does not exist. */
export async function softDeleteTask(store: Store, id: string, ownerKeyId: string, nowMs: number): Promise<boolean> {
  const sql = `update tasks set expires_at_ms = $1, copy_at_ms = case when copy_at_ms is null then null else $1 end
    where id = $2 and owner_key_id = $3 and expires_at_ms > $1 returning id`;
  return (await store.query(sql, [nowMs, id, ownerKeyId])).length > 0;
}

/** Deletes expired tasks that are final and settled, without jobs and stored results. */
export async function purgeTasks(store: Store, nowMs: number): Promise<number> {
  const sql = `delete from tasks where expires_at_ms <= $1 and next_poll_at_ms is null and ledger is null
    and tell_at_ms is null and copy_at_ms is null and kept_at_ms is null returning id`;
  return (await store.query(sql, [nowMs])).length;
}

/** A task by its id, for a link that the gateway has signed. */
export async function findLinkedTask(store: Store, id: string, nowMs: number): Promise<TaskRow | undefined> {
  const sql = `select ${taskColumns} from tasks where id = $1 and expires_at_ms > $2`;
  return readTaskRows(await store.query(sql, [id, nowMs])).find((row) => row.id === id);
}

/** Deletes a task that was never submitted. */
export async function deleteTask(store: Store, id: string): Promise<void> {
  await store.query("delete from tasks where id = $1", [id]);
}
