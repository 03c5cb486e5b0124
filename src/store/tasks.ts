// Tasks that outlive a request, such as a video: who owns them, how far they are, and which instance looks after them.
import { type Static, Type } from "typebox";
import { NullableText, NullableWhole, rowReader, Whole } from "./rows.ts";
import type { SqlValue, Store } from "./store.ts";

const shape = Type.Object({
  id: Type.String(),
  ownerKeyId: Type.String(),
  operation: Type.String(),
  provider: Type.String(),
  /** JSON text of the candidate that took the task: later requests go to the same one. */
  candidate: Type.String(),
  upstreamId: NullableText,
  state: Type.String(),
  /** JSON text of what the owner is shown. */
  body: Type.String(),
  createdAtMs: Whole,
  updatedAtMs: Whole,
  /** When to ask the upstream again; null when there is nothing left to ask. */
  nextPollAtMs: NullableWhole,
  expiresAtMs: Whole,
  leaseOwner: NullableText,
  leaseUntilMs: NullableWhole,
});

export type TaskRow = Static<typeof shape>;
export type NewTask = Omit<TaskRow, "leaseOwner" | "leaseUntilMs">;

/** What a turn of work leaves behind; the lease ends with it. */
export interface TaskChange {
  readonly upstreamId: string | null;
  readonly state: string;
  readonly body: string;
  readonly updatedAtMs: number;
  readonly nextPollAtMs: number | null;
}

const readTasks = rowReader("tasks", shape);
const columns = `id, owner_key_id as "ownerKeyId", operation, provider, candidate, upstream_id as "upstreamId", state,
  body, created_at_ms as "createdAtMs", updated_at_ms as "updatedAtMs", next_poll_at_ms as "nextPollAtMs",
  expires_at_ms as "expiresAtMs", lease_owner as "leaseOwner", lease_until_ms as "leaseUntilMs"`;

export async function insertTask(store: Store, task: NewTask): Promise<void> {
  const sql = `insert into tasks (id, owner_key_id, operation, provider, candidate, upstream_id, state, body,
      created_at_ms, updated_at_ms, next_poll_at_ms, expires_at_ms)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`;
  const { id, ownerKeyId, operation, provider, candidate, upstreamId, state, body } = task;
  const times = [task.createdAtMs, task.updatedAtMs, task.nextPollAtMs, task.expiresAtMs];
  await store.query(sql, [id, ownerKeyId, operation, provider, candidate, upstreamId, state, body, ...times]);
}

/** A task is only found by the key that made it; the owner is compared again, whatever the engine says. */
export async function findTask(store: Store, id: string, ownerKeyId: string): Promise<TaskRow | undefined> {
  const sql = `select ${columns} from tasks where id = $1 and owner_key_id = $2`;
  const rows = readTasks(await store.query(sql, [id, ownerKeyId]));
  return rows.find((row) => row.id === id && row.ownerKeyId === ownerKeyId);
}

/** Tasks that somebody should look after now, the most overdue first. */
export async function dueTasks(store: Store, nowMs: number, limit: number): Promise<TaskRow[]> {
  const sql = `select ${columns} from tasks where next_poll_at_ms <= $1
    and (lease_until_ms is null or lease_until_ms <= $1) order by next_poll_at_ms limit $2`;
  return readTasks(await store.query(sql, [nowMs, limit]));
}

/** Takes a due task until `leaseUntilMs`; undefined when another instance was faster or nothing is left to do. */
export async function claimTask(
  store: Store,
  claim: { readonly id: string; readonly leaseOwner: string; readonly nowMs: number; readonly leaseUntilMs: number },
): Promise<TaskRow | undefined> {
  const sql = `update tasks set lease_owner = $1, lease_until_ms = $2 where id = $3 and next_poll_at_ms <= $4
    and (lease_until_ms is null or lease_until_ms <= $4) returning ${columns}`;
  return readTasks(await store.query(sql, [claim.leaseOwner, claim.leaseUntilMs, claim.id, claim.nowMs]))[0];
}

/** Writes the outcome of a turn and ends the lease. False when the lease went to somebody else in between. */
export async function updateTask(store: Store, id: string, leaseOwner: string, change: TaskChange): Promise<boolean> {
  const sql = `update tasks set upstream_id = $1, state = $2, body = $3, updated_at_ms = $4, next_poll_at_ms = $5,
    lease_owner = null, lease_until_ms = null where id = $6 and lease_owner = $7 returning id`;
  const { upstreamId, state, body, updatedAtMs, nextPollAtMs } = change;
  const values: SqlValue[] = [upstreamId, state, body, updatedAtMs, nextPollAtMs, id, leaseOwner];
  return (await store.query(sql, values)).length > 0;
}
