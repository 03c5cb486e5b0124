// Sessions of people who use the console, and the links that begin one.
import type { Migration } from "./migration.ts";

export const sessions: Migration = {
  name: "0012-sessions",
  statements: [
    `create table sessions (
       id text primary key,
       hash text not null,
       actor_kind text not null,
       actor_id text not null,
       actor_name text not null,
       credential text not null,
       address text not null,
       user_agent text not null,
       created_at_ms bigint not null,
       last_seen_at_ms bigint not null,
       expires_at_ms bigint not null,
       ended_at_ms bigint
     )`,
    `create unique index "sessions.hash" on sessions (hash)`,
    `create index "sessions.created_at_ms" on sessions (created_at_ms, id)`,
    "create table sign_in_links (hash text primary key, expires_at_ms bigint not null)",
  ],
};
