// Stored responses, so that a conversation can continue from its last response.
import type { Migration } from "./migration.ts";

export const responses: Migration = {
  name: "0002-responses",
  statements: [
    `create table responses (
       id text primary key,
       owner_key_id text not null,
       state text not null,
       input text not null,
       body text not null,
       created_at_ms bigint not null,
       expires_at_ms bigint not null,
       alive_until_ms bigint
     )`,
    `create index "responses.expires_at_ms" on responses (expires_at_ms)`,
    `create index "responses.alive_until_ms" on responses (alive_until_ms) where alive_until_ms is not null`,
    `create table response_items (
       owner_key_id text not null,
       item_id text not null,
       response_id text not null,
       expires_at_ms bigint not null,
       primary key (owner_key_id, item_id)
     )`,
    `create index "response_items.expires_at_ms" on response_items (expires_at_ms)`,
    `create index "response_items.response_id" on response_items (response_id)`,
  ],
};
