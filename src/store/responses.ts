// Stored responses: the input items and the response. A response is only found with the key that made it.
import { type Static, Type } from "typebox";
import { deleteExpiredPieces, deletePiecesOf } from "./response-pieces.ts";
import { IntColumn, NullableInt, rowReader } from "./rows.ts";
import type { Store } from "./store.ts";

const shape = Type.Object({
  id: Type.String(),
  ownerKeyId: Type.String(),
  /** The response's status. */
  state: Type.String(),
  /**
   * JSON text of every input item, including those of earlier responses in the conversation, or a reference to its
   * pieces.
   */
  input: Type.String(),
  /** JSON text of the response object, or a reference to its pieces. */
  body: Type.String(),
  createdAtMs: IntColumn,
  expiresAtMs: IntColumn,
  /** Until when it is considered running; null when it is not running. */
  aliveUntilMs: NullableInt,
});

export type ResponseRow = Static<typeof shape>;
/** With the project and the id of its end user, where the request named one. */
export type NewResponse = ResponseRow & { readonly endUser?: string | null };

export const readResponseRows = rowReader("responses", shape);
export const responseColumns = `id, owner_key_id as "ownerKeyId", state, input, body, created_at_ms as "createdAtMs",
  expires_at_ms as "expiresAtMs", alive_until_ms as "aliveUntilMs"`;

/** Writes a response, or its newer state. A row of another owner is never changed. */
export async function putResponse(store: Store, row: NewResponse): Promise<void> {
  const sql = `insert into responses
    (id, owner_key_id, state, input, body, created_at_ms, expires_at_ms, alive_until_ms, end_user)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    on conflict (id) do update set state = excluded.state, body = excluded.body, alive_until_ms = excluded.alive_until_ms
    where responses.owner_key_id = excluded.owner_key_id`;
  const { id, ownerKeyId, state, input, body, createdAtMs, expiresAtMs, aliveUntilMs, endUser = null } = row;
  await store.query(sql, [id, ownerKeyId, state, input, body, createdAtMs, expiresAtMs, aliveUntilMs, endUser]);
}

/** Updates a running response. False when it has ended or was deleted. */
export async function advanceResponse(
  store: Store,
  { id, state, body, aliveUntilMs }: Pick<ResponseRow, "id" | "state" | "body" | "aliveUntilMs">,
): Promise<boolean> {
  const sql = `update responses set state = $1, body = $2, alive_until_ms = $3
    where id = $4 and alive_until_ms is not null returning id`;
  return (await store.query(sql, [state, body, aliveUntilMs, id])).length > 0;
}

/** Extends the claim on a running response. False when it has ended or was deleted. */
export async function keepResponseAlive(store: Store, id: string, aliveUntilMs: number): Promise<boolean> {
  const sql = "update responses set alive_until_ms = $1 where id = $2 and alive_until_ms is not null returning id";
  return (await store.query(sql, [aliveUntilMs, id])).length > 0;
}

/** Unfinished responses whose claim ended before `nowMs`; null: all unfinished ones. */
export async function abandonedResponses(store: Store, nowMs: number | null): Promise<ResponseRow[]> {
  const sql = `select ${responseColumns} from responses where alive_until_ms is not null and alive_until_ms < $1`;
  return readResponseRows(await store.query(sql, [nowMs ?? Number.MAX_SAFE_INTEGER]));
}

/** Undefined for an unknown, expired or deleted response, and for one of another owner. */
export async function findResponse(
  store: Store,
  id: string,
  ownerKeyId: string,
  nowMs: number,
): Promise<ResponseRow | undefined> {
  const sql = `select ${responseColumns} from responses where id = $1 and owner_key_id = $2 and expires_at_ms > $3`;
  const rows = readResponseRows(await store.query(sql, [id, ownerKeyId, nowMs]));
  return rows.find((row) => row.id === id && row.ownerKeyId === ownerKeyId);
}

/** False when it did not exist. References to its items are then invalid. */
export async function deleteResponse(store: Store, id: string, ownerKeyId: string): Promise<boolean> {
  const sql = "delete from responses where id = $1 and owner_key_id = $2 returning id";
  if ((await store.query(sql, [id, ownerKeyId])).length === 0) return false;
  await store.query("delete from response_items where response_id = $1", [id]);
  await deletePiecesOf(store, id);
  return true;
}

/** Deletes expired responses. */
export async function purgeExpiredResponses(store: Store, nowMs: number): Promise<number> {
  await store.query("delete from response_items where expires_at_ms <= $1", [nowMs]);
  await deleteExpiredPieces(store, nowMs);
  return (await store.query("delete from responses where expires_at_ms <= $1 returning id", [nowMs])).length;
}

const owners = rowReader("responses", Type.Object({ ownerKeyId: Type.String() }));
const ids = rowReader("responses", Type.Object({ id: Type.String() }));
/** The number of parameters of a statement is limited. */
const mostAtOnce = 500;

/** Deletes the oldest responses of each key beyond `most`, except running ones. */
export async function purgeOldResponses(store: Store, most: number): Promise<number> {
  const crowded = `select owner_key_id as "ownerKeyId" from responses group by owner_key_id having count(*) > $1`;
  let forgotten = 0;
  for (const { ownerKeyId } of owners(await store.query(crowded, [most])))
    for (let gone = mostAtOnce; gone === mostAtOnce; forgotten += gone)
      gone = await forgetOldest(store, ownerKeyId, most);
  return forgotten;
}

async function forgetOldest(store: Store, ownerKeyId: string, most: number): Promise<number> {
  const oldest = `select id from responses where owner_key_id = $1 order by created_at_ms desc, id desc
    limit ${mostAtOnce} offset $2`;
  const sql = `delete from responses where alive_until_ms is null and id in (${oldest}) returning id`;
  const gone = ids(await store.query(sql, [ownerKeyId, most])).map(({ id }) => id);
  const places = gone.map((_, index) => `$${index + 1}`).join(", ");
  if (gone.length > 0) await store.query(`delete from response_items where response_id in (${places})`, gone);
  for (const id of gone) await deletePiecesOf(store, id);
  return gone.length;
}
