// Calls with an idempotency key: one row from their start until their reply expires.
import type { Migration } from "./migration.ts";

export const idempotency: Migration = {
  name: "0007-idempotency",
  statements: [
    `create table idempotent_calls (
       id text primary key,
       hash text not null,
       exchange_id text not null,
       instance text not null,
       alive_until_ms bigint,
       reply text,
       bytes bigint not null,
       created_at_ms bigint not null,
       expires_at_ms bigint not null
     )`,
    `create index "idempotent_calls.expires_at_ms" on idempotent_calls (expires_at_ms, bytes)`,
    `create index "idempotent_calls.alive_until_ms" on idempotent_calls (instance) where alive_until_ms is not null`,
  ],
};
