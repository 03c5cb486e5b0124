// Entries of the audit log for what a person does with the command line.
import { userInfo } from "node:os";
import { requestId } from "../lib/ids.ts";
import { audited as auditedInStore } from "../store/audit.ts";
import type { Store } from "../store/store.ts";

interface CommandEntry {
  readonly action: string;
  readonly resource: string;
  readonly objectId: string;
  readonly change?: object;
}

/** Writes the entry before the work begins, in a transaction with what `work` changes. */
export async function audited<Result>(
  store: Store,
  { action, resource, objectId, change = {} }: CommandEntry,
  work: (inside: Store) => Promise<Result>,
): Promise<Result> {
  const actorName = userInfo().username;
  const entry = { atMs: Date.now(), actorKind: "command_line", actorId: actorName, actorName, requestId: requestId() };
  return auditedInStore(store, { ...entry, action, resource, objectId, change: JSON.stringify(change) }, work);
}
