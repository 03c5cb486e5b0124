// Keys, settings, catalog entries and tasks.
import type { Migration } from "./migration.ts";

/**
 * A unique index is named `table.column`, which is how SQLite reports a duplicate: see failure.ts. The index on a
 * key's name comes before the one on its hash, because PostgreSQL checks in the order of creation: when instances
 * start together with the same new key, they conflict at the name, which an upsert handles.
 */
export const firstTables: Migration = {
  name: "0001-first-tables",
  statements: [
    `create table keys (
       id text primary key,
       name text not null,
       hash text not null,
       preview text not null,
       created_at_ms bigint not null,
       expires_at_ms bigint,
       revoked_at_ms bigint,
       restrictions text,
       version bigint not null
     )`,
    `create unique index "keys.name" on keys (name) where revoked_at_ms is null`,
    `create unique index "keys.hash" on keys (hash)`,
    `create unique index "keys.version" on keys (version)`,
    "create table settings (name text primary key, value text not null)",
    `create table catalog (
       kind text not null,
       name text not null,
       body text,
       version bigint not null,
       primary key (kind, name)
     )`,
    `create unique index "catalog.version" on catalog (version)`,
    `create table tasks (
       id text primary key,
       owner_key_id text not null,
       operation text not null,
       provider text not null,
       candidate text not null,
       upstream_id text,
       state text not null,
       body text not null,
       created_at_ms bigint not null,
       updated_at_ms bigint not null,
       next_poll_at_ms bigint,
       expires_at_ms bigint not null,
       lease_owner text,
       lease_until_ms bigint
     )`,
    `create index "tasks.next_poll_at_ms" on tasks (next_poll_at_ms) where next_poll_at_ms is not null`,
    `create index "tasks.owner_key_id" on tasks (owner_key_id, created_at_ms)`,
  ],
};
