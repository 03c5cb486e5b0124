// Tasks with stored results, their total size, and which results are deleted first.
import { Type } from "typebox";
import { IntColumn, rowReader } from "./rows.ts";
import type { Store } from "./store.ts";
import { type TaskRow, taskColumns, taskShape } from "./tasks.ts";

const readTasks = rowReader("tasks", taskShape);
const readTotals = rowReader("tasks", Type.Object({ total: IntColumn }));

interface CopyOutcome {
  /** JSON text of the task as its owner sees it. */
  readonly body: string;
  /** Size of all results together; null if none is stored. */
  readonly storedBytes: number | null;
  readonly storedAtMs: number | null;
  /** When to retry missing copies; null: never. */
  readonly copyAtMs: number | null;
  readonly tries: number;
}

/**
 * Writes what was copied. False when the task is gone, or another instance has the job: the copies must then be
 * removed.
 */
export async function writeCopied(
  store: Store,
  id: string,
  leaseOwner: string,
  nowMs: number,
  { body, storedBytes, storedAtMs, copyAtMs, tries }: CopyOutcome,
): Promise<boolean> {
  const sql = `update tasks set body = $1, kept_bytes = $2, kept_at_ms = $3, copy_at_ms = $4, copy_tries = $5, copy_by = null
    where id = $6 and copy_by = $7 and expires_at_ms > $8 returning id`;
  return (await store.query(sql, [body, storedBytes, storedAtMs, copyAtMs, tries, id, leaseOwner, nowMs])).length > 0;
}

/** Bytes of all stored results. */
export async function storedBytes(store: Store): Promise<number> {
  const sql = `select cast(coalesce(sum(kept_bytes), 0) as bigint) as total from tasks where kept_at_ms is not null`;
  return readTotals(await store.query(sql))[0]?.total ?? 0;
}

/** Tasks whose results are past their retention time, or that have expired. */
export async function expiredCopies(
  store: Store,
  nowMs: number,
  storedUntilMs: number,
  limit: number,
): Promise<TaskRow[]> {
  const sql = `select ${taskColumns} from tasks
    where kept_at_ms is not null and copy_at_ms is null and (kept_at_ms <= $1 or expires_at_ms <= $2) limit $3`;
  return readTasks(await store.query(sql, [storedUntilMs, nowMs, limit]));
}

/** Tasks with the oldest stored results. */
export async function oldestCopies(store: Store, limit: number): Promise<TaskRow[]> {
  const sql = `select ${taskColumns} from tasks where kept_at_ms is not null and copy_at_ms is null
    order by kept_at_ms limit $1`;
  return readTasks(await store.query(sql, [limit]));
}

/** Records that no result of the task is stored any more. */
export async function markResultDropped(store: Store, id: string, body: string): Promise<void> {
  const sql = "update tasks set body = $1, kept_bytes = null, kept_at_ms = null where id = $2 and copy_at_ms is null";
  await store.query(sql, [body, id]);
}
