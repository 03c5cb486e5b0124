// Service tokens: credentials of machines for the admin API. Only a keyed hash of a token is stored.
import { type Static, Type } from "typebox";
import { sameHash } from "../lib/secret.ts";
import { IntColumn, NullableInt, rowReader } from "./rows.ts";
import type { Store } from "./store.ts";

const shape = Type.Object({
  id: Type.String(),
  name: Type.String(),
  hash: Type.String(),
  preview: Type.String(),
  /** Names separated by spaces. */
  scopes: Type.String(),
  createdAtMs: IntColumn,
  expiresAtMs: NullableInt,
  revokedAtMs: NullableInt,
  lastUsedAtMs: NullableInt,
  version: IntColumn,
});

export type ServiceTokenRow = Static<typeof shape>;

const read = rowReader("service_tokens", shape);
const columns = `id, name, hash, preview, scopes, created_at_ms as "createdAtMs", expires_at_ms as "expiresAtMs",
  revoked_at_ms as "revokedAtMs", last_used_at_ms as "lastUsedAtMs", version`;

/** Throws a duplicate error if a live token has this name. */
export async function insertServiceToken(
  store: Store,
  token: Omit<ServiceTokenRow, "revokedAtMs" | "lastUsedAtMs" | "version">,
): Promise<void> {
  const { id, name, hash, preview, scopes, createdAtMs, expiresAtMs } = token;
  const sql = `insert into service_tokens (id, name, hash, preview, scopes, created_at_ms, expires_at_ms, version)
    values ($1, $2, $3, $4, $5, $6, $7, 1)`;
  await store.query(sql, [id, name, hash, preview, scopes, createdAtMs, expiresAtMs]);
}

export async function findServiceToken(store: Store, id: string): Promise<ServiceTokenRow | undefined> {
  return read(await store.query(`select ${columns} from service_tokens where id = $1`, [id]))[0];
}

/** The token with this hash, including revoked and expired ones; the hash is compared again in this process. */
export async function findServiceTokenByHash(store: Store, hash: string): Promise<ServiceTokenRow | undefined> {
  const rows = read(await store.query(`select ${columns} from service_tokens where hash = $1`, [hash]));
  return rows.find((row) => sameHash(row.hash, hash));
}

/** Newest first, after `after`. */
export async function listServiceTokens(
  store: Store,
  limit: number,
  after?: { readonly createdAtMs: number; readonly id: string },
): Promise<ServiceTokenRow[]> {
  // SQLite numbers parameters in the order of the text.
  const from = after === undefined ? "" : "where (created_at_ms < $1 or (created_at_ms = $1 and id < $2))";
  const values = after === undefined ? [] : [after.createdAtMs, after.id];
  const sql = `select ${columns} from service_tokens ${from} order by created_at_ms desc, id desc limit $${values.length + 1}`;
  return read(await store.query(sql, [...values, limit]));
}

/** Throws a duplicate error if another live token has this name. */
export async function updateServiceToken(
  store: Store,
  { id, name, scopes, expiresAtMs }: Pick<ServiceTokenRow, "id" | "name" | "scopes" | "expiresAtMs">,
): Promise<void> {
  const sql = `update service_tokens set name = $1, scopes = $2, expires_at_ms = $3, version = version + 1 where id = $4`;
  await store.query(sql, [name, scopes, expiresAtMs, id]);
}

export async function revokeServiceToken(store: Store, id: string, nowMs: number): Promise<void> {
  const sql = `update service_tokens set revoked_at_ms = $1, version = version + 1
    where id = $2 and revoked_at_ms is null`;
  await store.query(sql, [nowMs, id]);
}

/** Records a use. The version stays the same, because no editable value changed. */
export async function touchServiceToken(store: Store, id: string, nowMs: number, before: number): Promise<void> {
  const sql = `update service_tokens set last_used_at_ms = $1
    where id = $2 and (last_used_at_ms is null or last_used_at_ms < $3)`;
  await store.query(sql, [nowMs, id, before]);
}
