// The SQLite file of stored bodies: written in transactions, bounded in age and size, and read while it is written.
import { Database } from "bun:sqlite";
import { chmodSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Static, Type } from "typebox";
import { IntColumn, NullableInt, NullableText, rowReader } from "../../store/rows.ts";
import { hasTable } from "../ledger/schema.ts";
import type { BodyLimits, BodyStage, RecordedRequest, StoredBody } from "./types.ts";

export const bodiesPath = (dataFolder: string): string => join(dataFolder, "bodies.db");

const tables = [
  `create table if not exists requests (id text primary key, at_ms integer not null, key_id text not null,
    project text not null, end_user text, bytes integer not null)`,
  "create index if not exists requests_by_time on requests (at_ms)",
  "create index if not exists requests_by_end_user on requests (project, end_user) where end_user is not null",
  `create table if not exists bodies (id text not null, place integer not null, stage text not null, attempt integer,
    provider text, size integer not null, data blob not null)`,
  "create index if not exists bodies_by_request on bodies (id)",
];

/** Opens the file for its only writer. Deleted data is overwritten. */
export function openBodyFile(dataFolder: string): Database {
  const path = bodiesPath(dataFolder);
  const database = new Database(path, { create: true, readwrite: true, strict: true });
  chmodSync(path, 0o600);
  // First, because a reader that looks at the new file would make the next lines fail.
  database.run("pragma busy_timeout = 5000");
  database.run("pragma auto_vacuum = incremental");
  database.run("pragma journal_mode = wal");
  database.run("pragma synchronous = normal");
  database.run("pragma secure_delete = on");
  for (const table of tables) database.run(table);
  return database;
}

/** Deletes the file, because no content may be stored. */
export function removeBodyFile(dataFolder: string): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(bodiesPath(dataFolder) + end, { force: true });
}

/** All bodies of a request, or none. */
export function writeBodies(database: Database, { bodies, ...request }: RecordedRequest): void {
  const compressed = bodies.map((body) => ({ ...body, data: Bun.zstdCompressSync(body.bytes) }));
  const bytes = compressed.reduce((sum, { data }) => sum + data.length, 0);
  const { id, atMs, keyId, project, endUser } = request;
  const insert = "insert into bodies (id, place, stage, attempt, provider, size, data) values (?, ?, ?, ?, ?, ?, ?)";
  database.transaction(() => {
    const sql =
      "insert or ignore into requests (id, at_ms, key_id, project, end_user, bytes) values (?, ?, ?, ?, ?, ?)";
    if (database.run(sql, [id, atMs, keyId, project, endUser, bytes]).changes === 0) return;
    for (const [place, { stage, attempt, provider, size, data }] of compressed.entries())
      database.run(insert, [id, place, stage, attempt, provider, size, data]);
  })();
}

const idsAtOnce = 100;

function deleteIds(database: Database, ids: readonly string[]): void {
  const wanted = JSON.stringify(ids);
  database.transaction(() => {
    for (const table of ["bodies", "requests"])
      database.run(`delete from ${table} where id in (select value from json_each(?))`, [wanted]);
  })();
}

const readIds = rowReader("requests", Type.Object({ id: Type.String() }));

/** Deletes bodies that are too old, then the oldest until the rest is small enough, and frees the space. */
export function pruneBodies(database: Database, { maxTotalBytes, retentionMs }: BodyLimits, nowMs: number): void {
  const total = (): number => Number(Object(database.query("select sum(bytes) as sum from requests").get()).sum ?? 0);
  const oldest = (where: string, ...values: number[]): string[] =>
    readIds(database.query(`select id from requests ${where} order by at_ms limit ${idsAtOnce}`).all(...values)).map(
      ({ id }) => id,
    );
  const isOld = "where at_ms < ?";
  let count = 0;
  for (let ids = oldest(isOld, nowMs - retentionMs); ids.length > 0; ids = oldest(isOld, nowMs - retentionMs)) {
    deleteIds(database, ids);
    count += ids.length;
  }
  while (total() > maxTotalBytes) {
    const [id] = oldest("");
    if (id === undefined) break;
    deleteIds(database, [id]);
    count++;
  }
  if (count > 0) giveSpaceBack(database);
}

function giveSpaceBack(database: Database): void {
  database.run("pragma incremental_vacuum");
  database.run("pragma wal_checkpoint(truncate)");
}

/** Deletes the stored bodies of an end user up to a time. Returns the number of requests. */
export function deleteBodiesOf(database: Database, project: string, endUser: string, untilMs: number): number {
  const sql = "select id from requests where project = ? and end_user = ? and at_ms <= ?";
  const ids = readIds(database.query(sql).all(project, endUser, untilMs)).map(({ id }) => id);
  deleteIds(database, ids);
  if (ids.length > 0) giveSpaceBack(database);
  return ids.length;
}

const shape = Type.Object({
  stage: Type.String(),
  attempt: NullableInt,
  provider: NullableText,
  size: IntColumn,
});
const readBodyRows = rowReader("bodies", shape);
type BodyRow = Static<typeof shape>;

function shown({ stage, attempt, provider, size }: BodyRow, bytes: Uint8Array): StoredBody {
  const about = { stage: stage as BodyStage, attempt, provider, size };
  try {
    return { ...about, encoding: "text", body: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { ...about, encoding: "base64", body: Buffer.from(bytes).toString("base64") };
  }
}

/** The stored bodies of a request, in the order of its stages; empty if there are none. */
export function readBodies(dataFolder: string, id: string): StoredBody[] {
  const path = bodiesPath(dataFolder);
  if (!existsSync(path)) return [];
  // Not read-only: after a crash the first reader has to rebuild the index of the log.
  using database = new Database(path, { readwrite: true });
  database.run("pragma query_only = 1");
  database.run("pragma busy_timeout = 2000");
  // Another process may be creating the file.
  if (!hasTable(database, "bodies")) return [];
  const rows = database
    .query("select stage, attempt, provider, size, data from bodies where id = ? order by place")
    .all(id);
  return readBodyRows(rows).map((row, at) =>
    shown(row, Bun.zstdDecompressSync(Object(rows[at]).data as Uint8Array<ArrayBuffer>)),
  );
}
