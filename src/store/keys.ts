// Client keys. The key itself is never stored, only its keyed hash and a preview.
import { type Static, Type } from "typebox";
import { sameHash } from "../lib/secret.ts";
import { isLostRace, laterVersion, nextVersion, numbered, tableVersion } from "./change-counter.ts";
import { failureOf } from "./failure.ts";
import { IntColumn, NullableInt, NullableText, rowReader } from "./rows.ts";
import type { SqlValue, Store } from "./store.ts";

const shape = Type.Object({
  id: Type.String(),
  name: Type.String(),
  hash: Type.String(),
  preview: Type.String(),
  createdAtMs: IntColumn,
  expiresAtMs: NullableInt,
  revokedAtMs: NullableInt,
  /** JSON text of the key's rules, or null without rules. */
  rules: NullableText,
  projectId: Type.String(),
  /** The pepper of its hash; null for the first one. */
  pepperId: NullableText,
  disabledAtMs: NullableInt,
  /** The hash of the secret before a rotation, which is accepted until then. */
  previousHash: NullableText,
  previousUntilMs: NullableInt,
  /** JSON text of the operator's metadata. */
  metadata: NullableText,
  /** When its running work was ended, with or after the revocation; null where it was not. */
  workEndedAtMs: NullableInt,
  version: IntColumn,
});

/** `preview` is enough to recognize a key, as in `tp-…abcd`; times in Unix milliseconds. */
export type KeyRow = Static<typeof shape>;
type OptionalOfNew = "projectId" | "pepperId" | "metadata";
/** Without a project it belongs to `default`. */
export type NewKey = Pick<KeyRow, "id" | "name" | "hash" | "preview" | "createdAtMs" | "expiresAtMs" | "rules"> &
  Partial<Pick<KeyRow, OptionalOfNew>>;
/** The key after the write, or which of its values another key already has (`id`, `name` or `hash`). */
type KeyWritten = { readonly kind: "written"; readonly key: KeyRow } | { readonly kind: "taken"; readonly by: string };

/** The project of keys without one. */
const defaultProjectId = "default";

export const readKeys = rowReader("keys", shape);
export const keyColumns = `id, name, hash, preview, created_at_ms as "createdAtMs", expires_at_ms as "expiresAtMs",
  revoked_at_ms as "revokedAtMs", rules, project_id as "projectId", pepper_id as "pepperId",
  disabled_at_ms as "disabledAtMs", previous_hash as "previousHash", previous_until_ms as "previousUntilMs",
  metadata, work_ended_at_ms as "workEndedAtMs", version`;
const insert = `insert into keys (id, name, hash, preview, created_at_ms, expires_at_ms, rules, project_id, pepper_id,
  metadata, version) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, ${nextVersion("keys")})`;

const liveByName = `select ${keyColumns} from keys where name = $1 and revoked_at_ms is null`;

const noName: KeyWritten = { kind: "taken", by: "name" };

/** Adds a key with a name that no live key has, and a hash that no key has ever had. */
export async function insertKey(store: Store, key: NewKey): Promise<KeyWritten> {
  return (await written(() => numbered(store, "keys", `${insert} returning ${keyColumns}`, valuesOf(key)))) ?? noName;
}

/**
 * Sets the hash of the live key with this name; the version changes only if something changed. An existing key keeps
 * its id, creation time and other settings.
 */
export async function upsertKeyByName(store: Store, key: NewKey): Promise<KeyWritten> {
  const change = `on conflict (name) where revoked_at_ms is null do update set hash = excluded.hash,
    preview = excluded.preview, version = ${laterVersion("keys", "excluded.version")}
    where keys.hash <> excluded.hash`;
  const result = await written(async () => {
    const live = () => store.query(liveByName, [key.name]);
    const upsert = numbered(store, "keys", `${insert} ${change} returning ${keyColumns}`, valuesOf(key));
    const changed = await upsert.catch(async (thrown: unknown) => {
      // Another instance inserts the same key at this moment: PostgreSQL may detect the conflict by its hash before its
      // name.
      if (failureOf(thrown).kind !== "duplicate") throw thrown;
      const rows = await live();
      if (readKeys(rows)[0]?.hash !== key.hash) throw thrown;
      return rows;
    });
    return changed.length > 0 ? changed : await live();
  });
  return result ?? noName;
}

/** The key with this hash, including revoked and expired ones; the hash is compared again in this process. */
export async function findKeyByHash(store: Store, hash: string): Promise<KeyRow | undefined> {
  const rows = readKeys(await store.query(`select ${keyColumns} from keys where hash = $1`, [hash]));
  return rows.find((row) => sameHash(row.hash, hash));
}

/** All keys, including revoked ones, in the order of their last change; with `afterVersion` only later changes. */
export async function listKeys(store: Store, afterVersion = 0): Promise<KeyRow[]> {
  const sql = `select ${keyColumns} from keys where version > $1 order by version`;
  return readKeys(await store.query(sql, [afterVersion]));
}

/** Revokes the live key with this id, otherwise with this name. Undefined when there is none. */
export async function revokeKey(store: Store, idOrName: string, nowMs: number): Promise<KeyRow | undefined> {
  const sql = `update keys set revoked_at_ms = $1, version = ${laterVersion("keys", nextVersion("keys"))}
    where revoked_at_ms is null and id = (select id from keys
      where revoked_at_ms is null and (id = $2 or name = $2) order by id = $2 desc limit 1)
    returning ${keyColumns}`;
  return readKeys(await numbered(store, "keys", sql, [nowMs, idOrName]))[0];
}

/**
 * Ends this key and its running work: every instance that reads the change stops what it does for the key. A key that was
 * revoked before is not revoked again. Undefined when there is none, or when its work was ended before.
 */
export async function revokeKeyNow(store: Store, id: string, nowMs: number): Promise<KeyRow | undefined> {
  const sql = `update keys set revoked_at_ms = coalesce(revoked_at_ms, $1), work_ended_at_ms = $1,
    version = ${laterVersion("keys", nextVersion("keys"))}
    where id = $2 and work_ended_at_ms is null returning ${keyColumns}`;
  return readKeys(await numbered(store, "keys", sql, [nowMs, id]))[0];
}

export type KeyChange = Partial<
  Pick<KeyRow, "name" | "expiresAtMs" | "rules" | "projectId" | "disabledAtMs" | "metadata">
>;

const changeColumns: { readonly [name in keyof Required<KeyChange>]: string } = {
  name: "name",
  expiresAtMs: "expires_at_ms",
  rules: "rules",
  projectId: "project_id",
  disabledAtMs: "disabled_at_ms",
  metadata: "metadata",
};

/** `stale`: the row has another version than the change expects. */
export type KeyChanged = KeyWritten | { readonly kind: "missing" } | { readonly kind: "stale" };

/** Changes a live key, only if it has version `ifVersion` when that is given. */
export async function updateKey(
  store: Store,
  id: string,
  change: KeyChange,
  ifVersion: number | null = null,
): Promise<KeyChanged> {
  const names = Object.keys(change) as (keyof KeyChange)[];
  const sets = names.map((name) => [changeColumns[name], change[name] ?? null] as const);
  return changed(store, sets, id, ifVersion);
}

/** Sets a new secret for a live key; the old one is accepted until `graceUntilMs`. The id and all counters stay. */
export async function rotateKey(
  store: Store,
  id: string,
  next: Pick<KeyRow, "hash" | "preview" | "pepperId">,
  graceUntilMs: number | null,
): Promise<KeyChanged> {
  const sets: Assignment[] = [
    ["previous_until_ms", graceUntilMs],
    ["hash", next.hash],
    ["preview", next.preview],
    ["pepper_id", next.pepperId],
  ];
  return changed(store, sets, id, null, graceUntilMs === null ? "previous_hash = null" : "previous_hash = hash");
}

type Assignment = readonly [column: string, value: SqlValue];

/** Parameters must appear in the order of their numbers, because SQLite counts them. */
async function changed(
  store: Store,
  sets: readonly Assignment[],
  id: string,
  ifVersion: number | null,
  more?: string,
): Promise<KeyChanged> {
  const version = `version = ${laterVersion("keys", nextVersion("keys"))}`;
  const assigned = sets.map(([column], index) => `${column} = $${index + 1}`);
  const condition = ifVersion === null ? "" : `and version = $${sets.length + 2}`;
  const sql = `update keys set ${[...assigned, ...(more === undefined ? [] : [more]), version].join(", ")}
    where id = $${sets.length + 1} and revoked_at_ms is null ${condition} returning ${keyColumns}`;
  const values = [...sets.map(([, value]) => value), id, ...(ifVersion === null ? [] : [ifVersion])];
  const result = await written(() => numbered(store, "keys", sql, values));
  if (result !== null) return result;
  const live = readKeys(await store.query(`select ${keyColumns} from keys where id = $1`, [id]));
  return { kind: live[0]?.revokedAtMs === null ? "stale" : "missing" };
}

/** Changes whenever any key changes; cheap enough to read every second. */
export async function keysVersion(store: Store): Promise<number> {
  return await tableVersion(store, "keys");
}

/** Null where no row was written. */
async function written(write: () => Promise<readonly unknown[]>): Promise<KeyWritten | null> {
  try {
    const key = readKeys(await write())[0];
    return key === undefined ? null : { kind: "written", key };
  } catch (thrown) {
    const failure = failureOf(thrown);
    if (failure.kind !== "duplicate" || isLostRace(failure, "keys")) throw thrown;
    return { kind: "taken", by: failure.index.replace("keys.", "") };
  }
}

function valuesOf(key: NewKey): SqlValue[] {
  const { projectId = defaultProjectId, pepperId = null, metadata = null } = key;
  return [
    ...[key.id, key.name, key.hash, key.preview, key.createdAtMs, key.expiresAtMs, key.rules],
    ...[projectId, pepperId, metadata],
  ];
}
