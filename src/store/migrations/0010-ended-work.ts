// Keys whose running work was ended when they were revoked.
import type { Migration } from "./migration.ts";

export const endedWork: Migration = {
  name: "0010-ended-work",
  statements: [
    "alter table keys add column work_ended_at_ms bigint",
    `create index "keys.work_ended_at_ms" on keys (work_ended_at_ms) where work_ended_at_ms is not null`,
  ],
};
