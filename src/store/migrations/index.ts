// Every migration, in the order in which they are applied; a published one is never changed.
import { firstTables } from "./0001-first-tables.ts";
import { responses } from "./0002-responses.ts";
import { taskLedgers } from "./0003-task-ledgers.ts";
import { taskJobs } from "./0004-task-jobs.ts";
import { responsesByOwner } from "./0005-responses-by-owner.ts";
import { projects } from "./0006-projects.ts";
import { idempotency } from "./0007-idempotency.ts";
import { admin } from "./0008-admin.ts";
import { responsePieces } from "./0009-response-pieces.ts";
import { endedWork } from "./0010-ended-work.ts";
import { endUsers } from "./0011-end-users.ts";
import { sessions } from "./0012-sessions.ts";
import { users } from "./0013-users.ts";
import type { Migration } from "./migration.ts";

export const migrations: readonly Migration[] = [
  firstTables,
  responses,
  taskLedgers,
  taskJobs,
  responsesByOwner,
  projects,
  idempotency,
  admin,
  responsePieces,
  endedWork,
  endUsers,
  sessions,
  users,
];
