// Keys by id, and pages of keys, for the admin API.
import type { KeyRow } from "./keys.ts";
import { keyColumns, readKeys } from "./keys.ts";
import type { SqlValue, Store } from "./store.ts";

export async function findKeyById(store: Store, id: string): Promise<KeyRow | undefined> {
  return readKeys(await store.query(`select ${keyColumns} from keys where id = $1`, [id]))[0];
}

export type KeyState = "active" | "disabled" | "expired" | "revoked";

interface KeyListing {
  readonly projectId?: string | undefined;
  readonly name?: string | undefined;
  readonly state?: KeyState | undefined;
  readonly nowMs: number;
  readonly limit: number;
  /** Only keys created before it. */
  readonly after?: { readonly createdAtMs: number; readonly id: string };
}

const isLive = "revoked_at_ms is null";

/** Each has at most one parameter, the time. */
const stateSql: { readonly [state in KeyState]: (time: () => string) => string } = {
  revoked: () => "revoked_at_ms is not null",
  disabled: () => `${isLive} and disabled_at_ms is not null`,
  expired: (time) => `${isLive} and expires_at_ms <= ${time()}`,
  active: (time) => `${isLive} and disabled_at_ms is null and (expires_at_ms is null or expires_at_ms > ${time()})`,
};

/** Newest first. */
export async function listKeyPage(store: Store, listing: KeyListing): Promise<KeyRow[]> {
  const { projectId, name, state, nowMs, limit, after } = listing;
  const values: SqlValue[] = [];
  const next = (value: SqlValue): string => `$${values.push(value)}`;
  const tests: string[] = [];
  if (projectId !== undefined) tests.push(`project_id = ${next(projectId)}`);
  if (name !== undefined) tests.push(`name = ${next(name)}`);
  if (state !== undefined) tests.push(stateSql[state](() => next(nowMs)));
  if (after !== undefined) {
    const made = next(after.createdAtMs);
    tests.push(`(created_at_ms < ${made} or (created_at_ms = ${made} and id < ${next(after.id)}))`);
  }
  const where = tests.length === 0 ? "" : `where ${tests.join(" and ")}`;
  const sql = `select ${keyColumns} from keys ${where} order by created_at_ms desc, id desc limit ${next(limit)}`;
  return readKeys(await store.query(sql, values));
}

interface ExpiringKey {
  readonly id: string;
  readonly name: string;
  readonly expiresAtMs: number | null;
}

/** Keys that expire in a range of time, the next first. */
export async function listExpiringKeys(
  store: Store,
  { nowMs, untilMs, limit }: { readonly nowMs: number; readonly untilMs: number; readonly limit: number },
): Promise<readonly ExpiringKey[]> {
  const where = `${isLive} and disabled_at_ms is null and expires_at_ms > $1 and expires_at_ms <= $2`;
  const sql = `select ${keyColumns} from keys where ${where} order by expires_at_ms, id limit $3`;
  return readKeys(await store.query(sql, [nowMs, untilMs, limit]));
}
