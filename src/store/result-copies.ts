// Which tasks have results that are kept, how large they are together, and which of them go first.
import { Type } from "typebox";
import { IntColumn, rowReader } from "./rows.ts";
import type { Store } from "./store.ts";
import { type TaskRow, taskColumns, taskShape } from "./tasks.ts";

const readTasks = rowReader("tasks", taskShape);
const readTotals = rowReader("tasks", Type.Object({ total: IntColumn }));

export interface CopyOutcome {
  /** JSON text of what the owner is shown. */
  readonly body: string;
  /** Of all results together; null where none is kept. */
  readonly keptBytes: number | null;
  readonly keptAtMs: number | null;
  /** When to try what is missing; null: not any more. */
  readonly copyAtMs: number | null;
  readonly tries: number;
}

/** Notes what was copied. False when the task is not found any more, or went to somebody else: what was copied is nobody's. */
export async function writeCopied(
  store: Store,
  id: string,
  leaseOwner: string,
  nowMs: number,
  { body, keptBytes, keptAtMs, copyAtMs, tries }: CopyOutcome,
): Promise<boolean> {
  const sql = `update tasks set body = $1, kept_bytes = $2, kept_at_ms = $3, copy_at_ms = $4, copy_tries = $5, copy_by = null
    where id = $6 and copy_by = $7 and expires_at_ms > $8 returning id`;
  return (await store.query(sql, [body, keptBytes, keptAtMs, copyAtMs, tries, id, leaseOwner, nowMs])).length > 0;
}

/** Bytes of everything that is kept. */
export async function storedBytes(store: Store): Promise<number> {
  const sql = `select cast(coalesce(sum(kept_bytes), 0) as bigint) as total from tasks where kept_at_ms is not null`;
  return readTotals(await store.query(sql))[0]?.total ?? 0;
}

/** Tasks whose results have been kept long enough, or whose own time is over. */
export async function expiredCopies(
  store: Store,
  nowMs: number,
  keptUntilMs: number,
  limit: number,
): Promise<TaskRow[]> {
  const sql = `select ${taskColumns} from tasks
    where kept_at_ms is not null and copy_at_ms is null and (kept_at_ms <= $1 or expires_at_ms <= $2) limit $3`;
  return readTasks(await store.query(sql, [keptUntilMs, nowMs, limit]));
}

/** Tasks whose results have been kept longest. */
export async function oldestCopies(store: Store, limit: number): Promise<TaskRow[]> {
  const sql = `select ${taskColumns} from tasks where kept_at_ms is not null and copy_at_ms is null
    order by kept_at_ms limit $1`;
  return readTasks(await store.query(sql, [limit]));
}

/** Notes that nothing is kept of the task any more. */
export async function markResultDropped(store: Store, id: string, body: string): Promise<void> {
  const sql = "update tasks set body = $1, kept_bytes = null, kept_at_ms = null where id = $2 and copy_at_ms is null";
  await store.query(sql, [body, id]);
}
