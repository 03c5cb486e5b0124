// Stored responses: what was asked, item by item, and what was answered. A response is only found by the key that made it.
import { type Static, Type } from "typebox";
import { rowReader, Whole } from "./rows.ts";
import type { Store } from "./store.ts";

const shape = Type.Object({
  id: Type.String(),
  ownerKeyId: Type.String(),
  /** The response's status word. */
  state: Type.String(),
  /** JSON text of every input item, those of earlier responses in the chain too. */
  input: Type.String(),
  /** JSON text of the response object. */
  body: Type.String(),
  createdAtMs: Whole,
  expiresAtMs: Whole,
});

export type ResponseRow = Static<typeof shape>;

const readRows = rowReader("responses", shape);
const columns = `id, owner_key_id as "ownerKeyId", state, input, body, created_at_ms as "createdAtMs",
  expires_at_ms as "expiresAtMs"`;

/** Writes a response, or its newer state. A row of another owner is never touched. */
export async function putResponse(store: Store, row: ResponseRow): Promise<void> {
  const sql = `insert into responses (id, owner_key_id, state, input, body, created_at_ms, expires_at_ms)
    values ($1, $2, $3, $4, $5, $6, $7)
    on conflict (id) do update set state = excluded.state, body = excluded.body
    where responses.owner_key_id = excluded.owner_key_id`;
  const { id, ownerKeyId, state, input, body, createdAtMs, expiresAtMs } = row;
  await store.query(sql, [id, ownerKeyId, state, input, body, createdAtMs, expiresAtMs]);
}

/** Undefined for an unknown, expired or deleted response, and for somebody else's. */
export async function findResponse(
  store: Store,
  id: string,
  ownerKeyId: string,
  nowMs: number,
): Promise<ResponseRow | undefined> {
  const sql = `select ${columns} from responses where id = $1 and owner_key_id = $2 and expires_at_ms > $3`;
  const rows = readRows(await store.query(sql, [id, ownerKeyId, nowMs]));
  return rows.find((row) => row.id === id && row.ownerKeyId === ownerKeyId);
}

/** False when there was none to delete. */
export async function deleteResponse(store: Store, id: string, ownerKeyId: string): Promise<boolean> {
  const sql = "delete from responses where id = $1 and owner_key_id = $2 returning id";
  return (await store.query(sql, [id, ownerKeyId])).length > 0;
}

/** Forgets what has passed its time. */
export async function forgetExpiredResponses(store: Store, nowMs: number): Promise<number> {
  return (await store.query("delete from responses where expires_at_ms <= $1 returning id", [nowMs])).length;
}
