// Service tokens, and the audit log of all changes through the admin API.
import type { Migration } from "./migration.ts";

/** `audit_head` has one row, which is locked before an entry is written, so that entries are sequential. */
export const admin: Migration = {
  name: "0008-admin",
  statements: [
    `create table service_tokens (
       id text primary key,
       name text not null,
       hash text not null,
       preview text not null,
       scopes text not null,
       created_at_ms bigint not null,
       expires_at_ms bigint,
       revoked_at_ms bigint,
       last_used_at_ms bigint,
       version bigint not null
     )`,
    `create unique index "service_tokens.name" on service_tokens (name) where revoked_at_ms is null`,
    `create unique index "service_tokens.hash" on service_tokens (hash)`,
    `create index "service_tokens.created_at_ms" on service_tokens (created_at_ms, id)`,
    `create table audit (
       seq bigint primary key,
       at_ms bigint not null,
       actor_kind text not null,
       actor_id text not null,
       actor_name text not null,
       action text not null,
       resource text not null,
       object_id text,
       request_id text not null,
       change text not null,
       previous_hash text not null,
       hash text not null
     )`,
    "create table audit_head (name text primary key, seq bigint not null, hash text not null)",
    "insert into audit_head (name, seq, hash) values ('head', 0, '')",
  ],
};
