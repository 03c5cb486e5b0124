// Brings the tables of a database up to date, once per migration, also when two processes start together.

import type { Connection } from "./connect.ts";
import { busyBlockMs, whileBusy } from "./lock-retry.ts";
import { migrations } from "./migrations/index.ts";
import type { Migration } from "./migrations/migration.ts";

/** Any fixed number: the process with PostgreSQL's advisory lock of this number migrates, the others wait. */
const lockNumber = 7_421_884;
const migrationWaitMs = 30_000;

/**
 * Runs the missing migrations in one transaction on a connection of its own, so that they apply completely or not at
 * all.
 */
export async function migrate(connection: Connection, list: readonly Migration[] = migrations): Promise<void> {
  const client = new Bun.SQL({ ...connection.options, ...(connection.engine === "postgres" ? { max: 1 } : {}) });
  try {
    if (connection.engine === "postgres") await client.begin((inside) => migratePostgres(inside, list));
    else await migrateSqlite(client, list);
  } finally {
    await client.close();
  }
}

async function migratePostgres(inside: Bun.SQL, list: readonly Migration[]): Promise<void> {
  await inside.unsafe("select pg_advisory_xact_lock($1)", [lockNumber]);
  await applyMissing(inside, list);
}

/** `begin immediate` acquires SQLite's only write lock before the check for missing migrations. */
async function migrateSqlite(client: Bun.SQL, list: readonly Migration[]): Promise<void> {
  await client.unsafe(`pragma busy_timeout = ${busyBlockMs}`);
  await whileBusy(async () => {
    await client.unsafe("pragma journal_mode = wal");
    await client.begin("immediate", (inside) => applyMissing(inside, list));
  }, migrationWaitMs);
}

async function applyMissing(inside: Bun.SQL, list: readonly Migration[]): Promise<void> {
  await inside.unsafe("create table if not exists migrations (name text primary key, applied_at_ms bigint not null)");
  const rows: readonly { name: string }[] = await inside.unsafe("select name from migrations");
  const applied = new Set(rows.map((row) => row.name));
  for (const migration of list) {
    if (applied.has(migration.name)) continue;
    for (const statement of migration.statements) await inside.unsafe(statement);
    await inside.unsafe("insert into migrations (name, applied_at_ms) values ($1, $2)", [migration.name, Date.now()]);
  }
}
