// People who use the console, with their invites.
import type { Migration } from "./migration.ts";

/** `credential` is what the sessions of a user are bound to: they end when it changes. */
export const users: Migration = {
  name: "0013-users",
  statements: [
    `create table users (
       id text primary key,
       email text not null,
       name text not null,
       role text not null,
       credential text not null,
       password_hash text,
       issuer text,
       subject text,
       invite_hash text,
       invite_expires_at_ms bigint,
       created_at_ms bigint not null,
       last_sign_in_at_ms bigint,
       disabled_at_ms bigint,
       version bigint not null
     )`,
    `create unique index "users.email" on users (email)`,
    `create unique index "users.invite_hash" on users (invite_hash)`,
    `create unique index "users.subject" on users (issuer, subject)`,
    `create index "users.created_at_ms" on users (created_at_ms, id)`,
  ],
};
