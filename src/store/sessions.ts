// Sessions and one-time sign-in links. Only keyed hashes of their secrets are stored.
import { type Static, Type } from "typebox";
import { sameHash } from "../lib/secret.ts";
import { IntColumn, NullableInt, rowReader } from "./rows.ts";
import type { Store } from "./store.ts";

const shape = Type.Object({
  id: Type.String(),
  hash: Type.String(),
  actorKind: Type.String(),
  actorId: Type.String(),
  actorName: Type.String(),
  /** What the session is bound to: it ends when the actor's credential is another one. */
  credential: Type.String(),
  address: Type.String(),
  userAgent: Type.String(),
  createdAtMs: IntColumn,
  lastSeenAtMs: IntColumn,
  expiresAtMs: IntColumn,
  endedAtMs: NullableInt,
});

export type SessionRow = Static<typeof shape>;

const read = rowReader("sessions", shape);
const columns = `id, hash, actor_kind as "actorKind", actor_id as "actorId", actor_name as "actorName", credential, address,
  user_agent as "userAgent", created_at_ms as "createdAtMs", last_seen_at_ms as "lastSeenAtMs",
  expires_at_ms as "expiresAtMs", ended_at_ms as "endedAtMs"`;

export async function insertSession(store: Store, row: SessionRow): Promise<void> {
  const sql = `insert into sessions (id, hash, actor_kind, actor_id, actor_name, credential, address, user_agent,
    created_at_ms, last_seen_at_ms, expires_at_ms) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`;
  const actor = [row.actorKind, row.actorId, row.actorName, row.credential, row.address, row.userAgent];
  await store.query(sql, [row.id, row.hash, ...actor, row.createdAtMs, row.lastSeenAtMs, row.expiresAtMs]);
}

/** The session with this hash, also one that has ended; the hash is compared again in this process. */
export async function findSessionByHash(store: Store, hash: string): Promise<SessionRow | undefined> {
  const rows = read(await store.query(`select ${columns} from sessions where hash = $1`, [hash]));
  return rows.find((row) => sameHash(row.hash, hash));
}

export async function findSession(store: Store, id: string): Promise<SessionRow | undefined> {
  return read(await store.query(`select ${columns} from sessions where id = $1`, [id]))[0];
}

/** Newest first, after `after`. */
export async function listSessions(
  store: Store,
  limit: number,
  after?: { readonly createdAtMs: number; readonly id: string },
): Promise<SessionRow[]> {
  const from = after === undefined ? "" : "where (created_at_ms < $1 or (created_at_ms = $1 and id < $2))";
  const values = after === undefined ? [] : [after.createdAtMs, after.id];
  const sql = `select ${columns} from sessions ${from} order by created_at_ms desc, id desc limit $${values.length + 1}`;
  return read(await store.query(sql, [...values, limit]));
}

export async function touchSession(store: Store, id: string, nowMs: number): Promise<void> {
  await store.query("update sessions set last_seen_at_ms = $1 where id = $2 and last_seen_at_ms < $1", [nowMs, id]);
}

/** Binds a session to another credential of its actor. */
export async function rebindSession(store: Store, id: string, credential: string): Promise<void> {
  await store.query("update sessions set credential = $1 where id = $2", [credential, id]);
}

export async function endSession(store: Store, id: string, nowMs: number): Promise<void> {
  await store.query("update sessions set ended_at_ms = $1 where id = $2 and ended_at_ms is null", [nowMs, id]);
}

/** Deletes sessions and links that expired before this time. */
export async function purgeSessions(store: Store, beforeMs: number): Promise<void> {
  await store.query("delete from sessions where expires_at_ms < $1", [beforeMs]);
  await store.query("delete from sign_in_links where expires_at_ms < $1", [beforeMs]);
}

export async function insertSignInLink(store: Store, hash: string, expiresAtMs: number): Promise<void> {
  await store.query("insert into sign_in_links (hash, expires_at_ms) values ($1, $2)", [hash, expiresAtMs]);
}

/** Uses a link up. False when it is unknown, used or expired: of several at once, one is true. */
export async function takeSignInLink(store: Store, hash: string, nowMs: number): Promise<boolean> {
  const sql = "delete from sign_in_links where hash = $1 and expires_at_ms > $2 returning hash";
  return (await store.query(sql, [hash, nowMs])).length > 0;
}
