// Users of the console. Of a password only its hash is stored, and of an invite a keyed hash.
import { type Static, Type } from "typebox";
import { sameHash } from "../lib/secret.ts";
import { IntColumn, NullableInt, NullableText, rowReader } from "./rows.ts";
import type { Store } from "./store.ts";

const shape = Type.Object({
  id: Type.String(),
  /** In lower case; no two users have the same. */
  email: Type.String(),
  name: Type.String(),
  role: Type.String(),
  /** What sessions are bound to: they end when it changes. */
  credential: Type.String(),
  passwordHash: NullableText,
  /** Who the user is at an OpenID provider; null: signs in with a password. */
  issuer: NullableText,
  subject: NullableText,
  inviteHash: NullableText,
  inviteExpiresAtMs: NullableInt,
  createdAtMs: IntColumn,
  lastSignInAtMs: NullableInt,
  disabledAtMs: NullableInt,
  version: IntColumn,
});

export type UserRow = Static<typeof shape>;

/** A new user; it cannot sign in before it has a password or a subject. */
type NewUser = Pick<UserRow, "id" | "email" | "name" | "role" | "credential" | "createdAtMs"> &
  Partial<Pick<UserRow, "issuer" | "subject">>;

const read = rowReader("users", shape);
const columns = `id, email, name, role, credential, password_hash as "passwordHash", issuer, subject,
  invite_hash as "inviteHash", invite_expires_at_ms as "inviteExpiresAtMs", created_at_ms as "createdAtMs",
  last_sign_in_at_ms as "lastSignInAtMs", disabled_at_ms as "disabledAtMs", version`;

/** Throws a duplicate error if another user has this email. */
export async function insertUser(store: Store, user: NewUser): Promise<void> {
  const { id, email, name, role, credential, createdAtMs, issuer = null, subject = null } = user;
  const sql = `insert into users (id, email, name, role, credential, issuer, subject, created_at_ms, version)
    values ($1, $2, $3, $4, $5, $6, $7, $8, 1)`;
  await store.query(sql, [id, email, name, role, credential, issuer, subject, createdAtMs]);
}

export async function findUser(store: Store, id: string): Promise<UserRow | undefined> {
  return read(await store.query(`select ${columns} from users where id = $1`, [id]))[0];
}

export async function findUserByEmail(store: Store, email: string): Promise<UserRow | undefined> {
  return read(await store.query(`select ${columns} from users where email = $1`, [email]))[0];
}

export async function findUserBySubject(store: Store, issuer: string, subject: string): Promise<UserRow | undefined> {
  const sql = `select ${columns} from users where issuer = $1 and subject = $2`;
  return read(await store.query(sql, [issuer, subject]))[0];
}

/** The user whom this invite is for, unless it has expired; the hash is compared again in this process. */
export async function findUserByInvite(store: Store, hash: string, nowMs: number): Promise<UserRow | undefined> {
  const sql = `select ${columns} from users
    where invite_hash = $1 and invite_expires_at_ms > $2 and disabled_at_ms is null`;
  return read(await store.query(sql, [hash, nowMs])).find(({ inviteHash }) => sameHash(inviteHash ?? "", hash));
}

/** Newest first, after `after`. */
export async function listUsers(
  store: Store,
  limit: number,
  after?: { readonly createdAtMs: number; readonly id: string },
): Promise<UserRow[]> {
  // SQLite numbers parameters in the order of the text.
  const from = after === undefined ? "" : "where (created_at_ms < $1 or (created_at_ms = $1 and id < $2))";
  const values = after === undefined ? [] : [after.createdAtMs, after.id];
  const sql = `select ${columns} from users ${from} order by created_at_ms desc, id desc limit $${values.length + 1}`;
  return read(await store.query(sql, [...values, limit]));
}

export async function updateUser(
  store: Store,
  user: Pick<UserRow, "id" | "email" | "name" | "role" | "credential" | "disabledAtMs">,
): Promise<void> {
  const { id, email, name, role, credential, disabledAtMs } = user;
  const sql = `update users set email = $1, name = $2, role = $3, credential = $4, disabled_at_ms = $5,
    version = version + 1 where id = $6`;
  await store.query(sql, [email, name, role, credential, disabledAtMs, id]);
}

export async function removeUser(store: Store, id: string): Promise<void> {
  await store.query("delete from users where id = $1", [id]);
}

/** Replaces the invite of a user; null: it has none. */
export async function setInvite(
  store: Store,
  id: string,
  invite: { readonly hash: string; readonly expiresAtMs: number } | null,
): Promise<void> {
  const sql = `update users set invite_hash = $1, invite_expires_at_ms = $2, version = version + 1 where id = $3`;
  await store.query(sql, [invite?.hash ?? null, invite?.expiresAtMs ?? null, id]);
}

/** Uses an invite up for a password. False when it is unknown, used or expired: of several at once, one is true. */
export async function acceptInvite(
  store: Store,
  { hash, passwordHash, credential }: { hash: string; passwordHash: string; credential: string },
  nowMs: number,
): Promise<boolean> {
  const sql = `update users set password_hash = $1, credential = $2, invite_hash = null, invite_expires_at_ms = null,
    version = version + 1
    where invite_hash = $3 and invite_expires_at_ms > $4 and disabled_at_ms is null returning id`;
  return (await store.query(sql, [passwordHash, credential, hash, nowMs])).length > 0;
}

/** Sets the password of a user who still has this credential. False if it is another one by now. */
export async function setPassword(
  store: Store,
  { id, credential }: Pick<UserRow, "id" | "credential">,
  next: { readonly passwordHash: string; readonly credential: string },
): Promise<boolean> {
  const sql = `update users set password_hash = $1, credential = $2, invite_hash = null, invite_expires_at_ms = null,
    version = version + 1
    where id = $3 and credential = $4 and disabled_at_ms is null returning id`;
  return (await store.query(sql, [next.passwordHash, next.credential, id, credential])).length > 0;
}

/** Records a sign-in. The version stays the same, because no editable value changed. */
export async function noteSignIn(store: Store, id: string, nowMs: number): Promise<void> {
  await store.query("update users set last_sign_in_at_ms = $1 where id = $2", [nowMs, id]);
}
