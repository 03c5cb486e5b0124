// Finds requests by id without reading the ledger: most ids have the time of their request in them, others are indexed.
import type { Database } from "bun:sqlite";
import { Type } from "typebox";
import { IntColumn, rowReader } from "../../store/rows.ts";
import type { IndexRow } from "./index-rows.ts";

/** Rows whose ids do not have their time in them, by the hashes of these ids. */
export const requestIdTable = `create table ids (ledger text not null, hash integer not null, n integer not null,
  primary key (ledger, hash, n)) without rowid`;

/** A request may be admitted this long before or after the time in its id: it is made on arrival. */
const nearMs = 2_000;
const recordId = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/;
const visibleId = /^req_[\w-]{22}$/;
const [prefixChars, timeBytes, hexDigits] = ["req_".length, 6, 12];

/** The time in an id that a gateway made, in Unix milliseconds; null for any other text. */
function timeIn(id: string): number | null {
  if (recordId.test(id)) return Number.parseInt(id.replace("-", "").slice(0, hexDigits), 16);
  if (!visibleId.test(id)) return null;
  return Buffer.from(id.slice(prefixChars), "base64url").readUIntBE(0, timeBytes);
}

const hashBits = 48;
const hashOf = (id: string): bigint => BigInt.asUintN(hashBits, Bun.hash.wyhash(id));

/** Indexes the ids of the rows. */
export function addRequestIds(database: Database, ledger: string, rows: readonly IndexRow[]): void {
  const insert = database.query("insert or ignore into ids (ledger, hash, n) values (?, ?, ?)");
  for (const { n, atMs, id: own, requestId } of rows)
    for (const id of [own, requestId]) {
      const time = id === null ? null : timeIn(id);
      if (id === null || (time !== null && Math.abs(time - atMs) <= nearMs)) continue;
      insert.run(ledger, hashOf(id), n);
    }
}

const readBlocks = rowReader("blocks", Type.Object({ block: IntColumn }));

/** The blocks that may have requests with this id, of the gateway or of the client; the newest first. */
export function blocksOfId(database: Database, ledger: string, id: string, blockRows: number): number[] {
  const indexed = `select distinct n / ${blockRows} as block from ids where ledger = ? and hash = ?`;
  const near = "select block from blocks where ledger = ? and max_at >= ? and min_at <= ?";
  const time = timeIn(id);
  const found = readBlocks(database.query(indexed).all(ledger, hashOf(id)));
  if (time !== null) found.push(...readBlocks(database.query(near).all(ledger, time - nearMs, time + nearMs)));
  return [...new Set(found.map(({ block }) => block))].sort((one, other) => other - one);
}
