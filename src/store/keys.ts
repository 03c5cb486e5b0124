// Client keys: who may call. The key itself is never stored, only its keyed hash and a preview.
import { type Static, Type } from "typebox";
import { sameHash } from "../lib/secret.ts";
import { laterVersion, nextVersion, numbered, tableVersion } from "./change-counter.ts";
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
  /** JSON text, or null for a key that may do everything. */
  restrictions: NullableText,
  version: IntColumn,
});

/** `preview` shows enough to recognise a key, as in `tp-…abcd`; times in Unix milliseconds. */
export type KeyRow = Static<typeof shape>;
export type NewKey = Omit<KeyRow, "revokedAtMs" | "version">;
/** The key as it now stands, or which of its values another key already has (`id`, `name` or `hash`). */
export type KeyWritten =
  | { readonly kind: "written"; readonly key: KeyRow }
  | { readonly kind: "taken"; readonly by: string };

const readKeys = rowReader("keys", shape);
const columns = `id, name, hash, preview, created_at_ms as "createdAtMs", expires_at_ms as "expiresAtMs",
  revoked_at_ms as "revokedAtMs", restrictions, version`;
const insert = `insert into keys (id, name, hash, preview, created_at_ms, expires_at_ms, restrictions, version)
  values ($1, $2, $3, $4, $5, $6, $7, ${nextVersion("keys")})`;

const liveByName = `select ${columns} from keys where name = $1 and revoked_at_ms is null`;

/** Adds a key whose name no live key has, and whose hash no key has or had. */
export async function insertKey(store: Store, key: NewKey): Promise<KeyWritten> {
  return await written(() => numbered(store, "keys", `${insert} returning ${columns}`, valuesOf(key)));
}

/**
 * Makes the live key of this name have this hash, expiry and restrictions; the version only moves when
 * something changed. Keeps the id and the time of an existing key.
 */
export async function upsertKeyByName(store: Store, key: NewKey): Promise<KeyWritten> {
  const change = `on conflict (name) where revoked_at_ms is null do update set hash = excluded.hash,
    preview = excluded.preview, expires_at_ms = excluded.expires_at_ms, restrictions = excluded.restrictions,
    version = ${laterVersion("keys", "excluded.version")}
    where keys.hash <> excluded.hash or keys.expires_at_ms is distinct from excluded.expires_at_ms
      or keys.restrictions is distinct from excluded.restrictions`;
  return await written(async () => {
    const live = () => store.query(liveByName, [key.name]);
    const upsert = numbered(store, "keys", `${insert} ${change} returning ${columns}`, valuesOf(key));
    const changed = await upsert.catch(async (thrown: unknown) => {
      // Another instance inserts the same key at this moment: PostgreSQL may find it by its hash before its name.
      if (failureOf(thrown).kind !== "duplicate") throw thrown;
      const rows = await live();
      if (readKeys(rows)[0]?.hash !== key.hash) throw thrown;
      return rows;
    });
    return changed.length > 0 ? changed : await live();
  });
}

/** The key with this hash, revoked and expired ones too; the hash is compared again, whatever the engine says. */
export async function findKeyByHash(store: Store, hash: string): Promise<KeyRow | undefined> {
  const rows = readKeys(await store.query(`select ${columns} from keys where hash = $1`, [hash]));
  return rows.find((row) => sameHash(row.hash, hash));
}

/** Every key, revoked ones too, in the order of their last change; with `afterVersion` only what changed since. */
export async function listKeys(store: Store, afterVersion = 0): Promise<KeyRow[]> {
  const sql = `select ${columns} from keys where version > $1 order by version`;
  return readKeys(await store.query(sql, [afterVersion]));
}

/** Ends the live key with this id, or else with this name. Undefined when there is none. */
export async function revokeKey(store: Store, idOrName: string, nowMs: number): Promise<KeyRow | undefined> {
  const sql = `update keys set revoked_at_ms = $1, version = ${laterVersion("keys", nextVersion("keys"))}
    where revoked_at_ms is null and id = (select id from keys
      where revoked_at_ms is null and (id = $2 or name = $2) order by id = $2 desc limit 1)
    returning ${columns}`;
  return readKeys(await numbered(store, "keys", sql, [nowMs, idOrName]))[0];
}

/** Changes whenever any key changes: cheap enough to ask each second. */
export async function keysVersion(store: Store): Promise<number> {
  return await tableVersion(store, "keys");
}

async function written(write: () => Promise<readonly unknown[]>): Promise<KeyWritten> {
  try {
    const key = readKeys(await write())[0];
    return key === undefined ? { kind: "taken", by: "name" } : { kind: "written", key };
  } catch (thrown) {
    const failure = failureOf(thrown);
    if (failure.kind !== "duplicate") throw thrown;
    return { kind: "taken", by: failure.index.replace("keys.", "") };
  }
}

function valuesOf(key: NewKey): SqlValue[] {
  return [key.id, key.name, key.hash, key.preview, key.createdAtMs, key.expiresAtMs, key.restrictions];
}
