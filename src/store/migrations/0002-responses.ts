// Stored responses, so that a conversation can go on by naming its last one.
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
       expires_at_ms bigint not null
     )`,
    `create index "responses.expires_at_ms" on responses (expires_at_ms)`,
  ],
};
