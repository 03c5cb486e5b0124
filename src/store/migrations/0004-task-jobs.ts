// Jobs of finished tasks (webhook to the owner, copies of results) and the sizes of stored results.
import type { Migration } from "./migration.ts";

/** A job is due at its time, null if there is none; the instance that runs it is in another column. */
export const taskJobs: Migration = {
  name: "0004-task-errands",
  statements: [
    "alter table tasks add column tell_at_ms bigint",
    "alter table tasks add column tell_by text",
    "alter table tasks add column tell_tries bigint not null default 0",
    "alter table tasks add column copy_at_ms bigint",
    "alter table tasks add column copy_by text",
    "alter table tasks add column copy_tries bigint not null default 0",
    "alter table tasks add column kept_at_ms bigint",
    "alter table tasks add column kept_bytes bigint",
    `create index "tasks.tell_at_ms" on tasks (tell_at_ms) where tell_at_ms is not null`,
    `create index "tasks.copy_at_ms" on tasks (copy_at_ms) where copy_at_ms is not null`,
    `create index "tasks.kept_at_ms" on tasks (kept_at_ms) where kept_at_ms is not null`,
  ],
};
