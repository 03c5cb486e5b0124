// The audit log: who changed what. Each entry has a hash over the previous one, so that changes to the log are
// detectable.
import { createHash } from "node:crypto";
import { type Static, Type } from "typebox";
import { IntColumn, NullableText, rowReader } from "./rows.ts";
import type { SqlValue, Store } from "./store.ts";

const shape = Type.Object({
  seq: IntColumn,
  atMs: IntColumn,
  actorKind: Type.String(),
  actorId: Type.String(),
  actorName: Type.String(),
  /** The verb, as in `create` or `revoke`. */
  action: Type.String(),
  resource: Type.String(),
  objectId: NullableText,
  requestId: Type.String(),
  /** JSON text of what was changed, without secrets. */
  change: Type.String(),
  previousHash: Type.String(),
  hash: Type.String(),
});

export type AuditRow = Static<typeof shape>;
export type AuditEntry = Omit<AuditRow, "seq" | "previousHash" | "hash">;

const headShape = Type.Object({ seq: IntColumn, hash: Type.String() });
/** The position of the next entry, and the hash of the previous one. */
type AuditHead = Static<typeof headShape>;

const readRows = rowReader("audit", shape);
const readHeads = rowReader("audit_head", headShape);
const columns = `seq, at_ms as "atMs", actor_kind as "actorKind", actor_id as "actorId", actor_name as "actorName",
  action, resource, object_id as "objectId", request_id as "requestId", change, previous_hash as "previousHash", hash`;

/** The members in a fixed order, so that the same entry always has the same hash. */
function auditHash(seq: number, previousHash: string, entry: AuditEntry): string {
  const { atMs, actorKind, actorId, actorName, action, resource, objectId, requestId, change } = entry;
  const members = { action, actorId, actorKind, actorName, atMs, change, objectId, requestId, resource, seq };
  return createHash("sha256")
    .update(`${previousHash}\n${JSON.stringify(members)}`)
    .digest("hex");
}

/** The first statement of each change: other changes wait until this one has ended. */
export async function lockAudit(inside: Store): Promise<AuditHead> {
  const sql = "update audit_head set seq = seq + 1 where name = 'head' returning seq, hash";
  const [head] = readHeads(await inside.query(sql));
  if (head === undefined) throw new Error("The audit log has no head.");
  return head;
}

/** Writes the entry of a change, in its transaction. */
export async function appendAudit(inside: Store, { seq, hash: previous }: AuditHead, entry: AuditEntry): Promise<void> {
  const hash = auditHash(seq, previous, entry);
  const { atMs, actorKind, actorId, actorName, action, resource, objectId, requestId, change } = entry;
  const sql = `insert into audit (seq, at_ms, actor_kind, actor_id, actor_name, action, resource, object_id, request_id,
    change, previous_hash, hash) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`;
  const values: SqlValue[] = [seq, atMs, actorKind, actorId, actorName, action, resource, objectId, requestId, change];
  await inside.query(sql, [...values, previous, hash]);
  await inside.query("update audit_head set hash = $1 where name = 'head'", [hash]);
}

/** Commits what `work` changes together with its entry, or neither. */
export async function audited<Result>(
  store: Store,
  entry: AuditEntry,
  work: (inside: Store) => Promise<Result>,
): Promise<Result> {
  return store.transaction(async (inside) => {
    const head = await lockAudit(inside);
    const result = await work(inside);
    await appendAudit(inside, head, entry);
    return result;
  });
}

interface AuditFilter {
  readonly resource?: string | undefined;
  readonly objectId?: string | undefined;
  readonly actorId?: string | undefined;
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  /** Only entries before this one. */
  readonly beforeSeq?: number | undefined;
}

/** The newest entries first. */
export async function listAudit(store: Store, filter: AuditFilter, limit: number): Promise<AuditRow[]> {
  const { resource, objectId, actorId, sinceMs, untilMs, beforeSeq } = filter;
  const wanted: readonly (readonly [string, SqlValue | undefined])[] = [
    ["resource =", resource],
    ["object_id =", objectId],
    ["actor_id =", actorId],
    ["at_ms >=", sinceMs],
    ["at_ms <", untilMs],
    ["seq <", beforeSeq],
  ];
  const given = wanted.flatMap(([test, value]) => (value === undefined ? [] : [{ test, value }]));
  const where = given.map(({ test }, index) => `${test} $${index + 1}`).join(" and ");
  const sql = `select ${columns} from audit ${where && `where ${where}`} order by seq desc limit $${given.length + 1}`;
  return readRows(await store.query(sql, [...given.map(({ value }) => value), limit]));
}

export async function findAudit(store: Store, seq: number): Promise<AuditRow | undefined> {
  return readRows(await store.query(`select ${columns} from audit where seq = $1`, [seq]))[0];
}

/** `brokenAt`: the first entry that is missing or was modified. */
interface AuditProof {
  readonly entries: number;
  readonly hash: string;
  readonly brokenAt: number | null;
}

const pageRows = 500;

/** Computes every hash again. Entries that are added meanwhile are not checked. */
export async function verifyAudit(store: Store): Promise<AuditProof> {
  const [head] = readHeads(await store.query("select seq, hash from audit_head where name = 'head'"));
  if (head === undefined) return { entries: 0, hash: "", brokenAt: 1 };
  let [seq, hash] = [0, ""];
  const sql = `select ${columns} from audit where seq > $1 and seq <= $2 order by seq limit $3`;
  while (seq < head.seq) {
    const rows = readRows(await store.query(sql, [seq, head.seq, pageRows]));
    if (rows.length === 0) return { entries: seq, hash, brokenAt: seq + 1 };
    for (const row of rows) {
      const isNext = row.seq === seq + 1 && row.previousHash === hash;
      if (!isNext || row.hash !== auditHash(row.seq, hash, row)) return { entries: seq, hash, brokenAt: seq + 1 };
      [seq, hash] = [row.seq, row.hash];
    }
  }
  return { entries: seq, hash, brokenAt: hash === head.hash ? null : seq };
}
