// Tasks record the ledger with their row until it is settled there, and old ones are found by age.
import type { Migration } from "./migration.ts";

export const taskLedgers: Migration = {
  name: "0003-task-ledgers",
  statements: [
    "alter table tasks add column ledger text",
    `create index "tasks.ledger" on tasks (ledger) where ledger is not null and next_poll_at_ms is null`,
    `create index "tasks.expires_at_ms" on tasks (expires_at_ms)`,
  ],
};
