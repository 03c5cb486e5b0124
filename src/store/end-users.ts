// What the store has of an end user, and the list of end users that were erased, which every instance follows.
import { Type } from "typebox";
import { deletePiecesOf } from "./response-pieces.ts";
import { type ResponseRow, readResponseRows, responseColumns } from "./responses.ts";
import { IntColumn, rowReader } from "./rows.ts";
import type { Store } from "./store.ts";
import { readTaskRows, type TaskRow, taskColumns } from "./tasks.ts";

/** An end user is known inside its project only. */
export const endUserKey = (project: string, endUser: string): string => `${project}/${endUser}`;

const erasureShape = Type.Object({
  seq: IntColumn,
  /** Keyed hash of the end user. */
  reference: Type.String(),
  /** Replaces its id in rows. */
  marker: Type.String(),
  /** Later rows belong to the end user again. */
  untilMs: IntColumn,
});

const readErasures = rowReader("erasures", erasureShape);

export interface Erasure {
  readonly seq: number;
  readonly reference: string;
  readonly marker: string;
  readonly untilMs: number;
}

/** In a transaction that has locked the audit log, so that numbers follow one another. */
export async function insertErasure(store: Store, erasure: Omit<Erasure, "seq">): Promise<void> {
  const sql = `insert into erasures (seq, reference, marker, until_ms)
    values ((select coalesce(max(seq), 0) + 1 from erasures), $1, $2, $3)`;
  await store.query(sql, [erasure.reference, erasure.marker, erasure.untilMs]);
}

/** Erasures behind a number, in order. */
export async function listErasures(store: Store, afterSeq: number): Promise<Erasure[]> {
  const sql = `select seq, reference, marker, until_ms as "untilMs" from erasures where seq > $1 order by seq`;
  return readErasures(await store.query(sql, [afterSeq]));
}

export async function responsesOf(store: Store, endUser: string): Promise<ResponseRow[]> {
  return readResponseRows(await store.query(`select ${responseColumns} from responses where end_user = $1`, [endUser]));
}

export async function tasksOf(store: Store, endUser: string): Promise<TaskRow[]> {
  return readTaskRows(await store.query(`select ${taskColumns} from tasks where end_user = $1`, [endUser]));
}

const readIds = rowReader("ids", Type.Object({ id: Type.String() }));

/** Deletes stored responses, and hides tasks, which are deleted when they are over. How many of each. */
export async function deleteContentOf(
  store: Store,
  endUser: string,
  nowMs: number,
): Promise<{ readonly responses: number; readonly videos: number }> {
  const gone = readIds(await store.query("delete from responses where end_user = $1 returning id", [endUser]));
  for (const { id } of gone) {
    await store.query("delete from response_items where response_id = $1", [id]);
    await deletePiecesOf(store, id);
  }
  const hide = `update tasks set expires_at_ms = $1, end_user = null,
    copy_at_ms = case when copy_at_ms is null then null else $1 end where end_user = $2 and expires_at_ms > $1 returning id`;
  return { responses: gone.length, videos: (await store.query(hide, [nowMs, endUser])).length };
}
