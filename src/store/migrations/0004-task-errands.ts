// What is left to do for a task that is over: its owner is told, its results are copied; and what is kept of them.
import type { Migration } from "./migration.ts";

/** An errand is due at its time, which is null where there is none; whoever runs it stands beside it. */
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
