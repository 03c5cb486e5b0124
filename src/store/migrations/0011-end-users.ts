// Whose content stored responses and tasks are, and which end users were erased: their ids are not among it.
import type { Migration } from "./migration.ts";

export const endUsers: Migration = {
  name: "0011-end-users",
  statements: [
    "alter table responses add column end_user text",
    `create index "responses.end_user" on responses (end_user) where end_user is not null`,
    "alter table tasks add column end_user text",
    `create index "tasks.end_user" on tasks (end_user) where end_user is not null`,
    `create table erasures (
       seq bigint primary key,
       reference text not null,
       marker text not null,
       until_ms bigint not null
     )`,
  ],
};
