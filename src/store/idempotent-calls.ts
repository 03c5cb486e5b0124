// Calls with an idempotency key: claimed by one instance, which runs the call, and stores its reply or releases the
// key.
import { type Static, Type } from "typebox";
import { IntColumn, NullableInt, NullableText, rowReader } from "./rows.ts";
import type { Store } from "./store.ts";

const shape = Type.Object({
  /** Id of the caller and its idempotency key. */
  id: Type.String(),
  /** Hash of the request. */
  hash: Type.String(),
  /** Each claim sets a new one, which proves the claim. */
  exchangeId: Type.String(),
  /** Until when it is considered running; null when it has a reply. */
  aliveUntilMs: NullableInt,
  /** Encrypted; null while it runs. */
  reply: NullableText,
});

type IdempotentCallRow = Static<typeof shape>;

const readRows = rowReader("idempotent_calls", shape);
const columns = `id, hash, exchange_id as "exchangeId", alive_until_ms as "aliveUntilMs", reply`;

export interface CallClaim {
  readonly id: string;
  readonly hash: string;
  readonly exchangeId: string;
  readonly instance: string;
  readonly nowMs: number;
  readonly aliveUntilMs: number;
  readonly expiresAtMs: number;
}

/** Claims a key that is free, whose reply has expired, or whose instance has stopped. False when it is taken. */
export async function claimCall(store: Store, claim: CallClaim): Promise<boolean> {
  const { id, hash, exchangeId, instance, nowMs, aliveUntilMs, expiresAtMs } = claim;
  const sql = `insert into idempotent_calls
    (id, hash, exchange_id, instance, alive_until_ms, reply, bytes, created_at_ms, expires_at_ms)
    values ($1, $2, $3, $4, $5, null, 0, $6, $7)
    on conflict (id) do update set hash = excluded.hash, exchange_id = excluded.exchange_id, instance = excluded.instance,
      alive_until_ms = excluded.alive_until_ms, reply = null, bytes = 0, created_at_ms = excluded.created_at_ms,
      expires_at_ms = excluded.expires_at_ms
    where idempotent_calls.expires_at_ms <= $6 or idempotent_calls.alive_until_ms <= $6 returning id`;
  return (await store.query(sql, [id, hash, exchangeId, instance, aliveUntilMs, nowMs, expiresAtMs])).length > 0;
}

/** Undefined for a key that is free. */
export async function findCall(store: Store, id: string, nowMs: number): Promise<IdempotentCallRow | undefined> {
  const sql = `select ${columns} from idempotent_calls where id = $1 and expires_at_ms > $2`;
  return readRows(await store.query(sql, [id, nowMs]))[0];
}

/** Stores the reply of a claimed call. Does nothing when the claim was lost. */
export async function storeCallReply(
  store: Store,
  { id, exchangeId }: Pick<IdempotentCallRow, "id" | "exchangeId">,
  reply: string,
  expiresAtMs: number,
): Promise<void> {
  const sql = `update idempotent_calls set reply = $1, bytes = $2, alive_until_ms = null, expires_at_ms = $3
    where id = $4 and exchange_id = $5`;
  await store.query(sql, [reply, reply.length, expiresAtMs, id, exchangeId]);
}

/** Releases a claimed key. */
export async function releaseCall(
  store: Store,
  { id, exchangeId }: Pick<IdempotentCallRow, "id" | "exchangeId">,
): Promise<void> {
  await store.query("delete from idempotent_calls where id = $1 and exchange_id = $2", [id, exchangeId]);
}

/** Extends the claims of an instance. */
export async function keepCallsAlive(store: Store, instance: string, aliveUntilMs: number): Promise<void> {
  const sql = "update idempotent_calls set alive_until_ms = $1 where instance = $2 and alive_until_ms is not null";
  await store.query(sql, [aliveUntilMs, instance]);
}

/** Releases the keys that an earlier process of this instance had claimed. */
export async function releaseCallsOf(store: Store, instance: string): Promise<void> {
  await store.query("delete from idempotent_calls where instance = $1 and alive_until_ms is not null", [instance]);
}

const readTotals = rowReader("idempotent_calls", Type.Object({ total: IntColumn }));
const readOldest = rowReader("idempotent_calls", Type.Object({ id: Type.String(), bytes: IntColumn }));
const oldestAtOnce = 100;

/** Deletes expired replies, and the oldest ones beyond `maxBytes` in total. */
export async function purgeCalls(store: Store, nowMs: number, maxBytes: number): Promise<void> {
  await store.query("delete from idempotent_calls where expires_at_ms <= $1", [nowMs]);
  const sums = await store.query("select cast(coalesce(sum(bytes), 0) as bigint) as total from idempotent_calls");
  let total = readTotals(sums)[0]?.total ?? 0;
  while (total > maxBytes) {
    const sql = `select id, bytes from idempotent_calls where bytes > 0 order by expires_at_ms limit ${oldestAtOnce}`;
    const oldest = readOldest(await store.query(sql));
    if (oldest.length === 0) return;
    for (const { id, bytes } of oldest) {
      if (total <= maxBytes) return;
      await store.query("delete from idempotent_calls where id = $1 and alive_until_ms is null", [id]);
      total -= bytes;
    }
  }
}
