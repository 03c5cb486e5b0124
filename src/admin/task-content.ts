// The video of a task of any key, for operators. A look at it is in the audit log.
import { GatewayError } from "../canonical/error.ts";
import type { ContentRequest } from "../gateway/tasks/content.ts";
import type { Content } from "../gateway/tasks/source-body.ts";
import type { Videos } from "../gateway/tasks/videos.ts";
import type { Clock } from "../lib/clock.ts";
import { audited, listAudit } from "../store/audit.ts";
import type { Store } from "../store/store.ts";
import { findLinkedTask } from "../store/tasks.ts";
import { type Principal, requireVerb } from "./permissions.ts";

export interface TaskContentParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly videos: Pick<Videos, "content">;
}

const action = "content";
/** Players read a file in many ranges: what one caller reads of one task in this time is one look. */
const lookMs = 3_600_000;
/** Entries that are searched for an earlier one. */
const maxEntries = 20;

async function hasLooked(store: Store, { id: actorId }: Principal, objectId: string, nowMs: number): Promise<boolean> {
  const filter = { resource: "tasks", objectId, actorId, sinceMs: nowMs - lookMs };
  return (await listAudit(store, filter, maxEntries)).some((entry) => entry.action === action);
}

/** Throws status 404 without such a task, and where it has no video. */
export async function openTaskContent(
  { store, clock, videos }: TaskContentParts,
  { principal, requestId }: { readonly principal: Principal; readonly requestId: string },
  id: string,
  request: ContentRequest,
): Promise<Content> {
  requireVerb(principal, "tasks", "content");
  const atMs = clock.nowMs();
  const row = await findLinkedTask(store, id, atMs);
  if (row === undefined) throw new GatewayError("object_not_found", "The task does not exist.");
  const { kind: actorKind, id: actorId, name: actorName } = principal;
  const entry = { atMs, actorKind, actorId, actorName, action, resource: "tasks", objectId: id };
  if (!(await hasLooked(store, principal, id, atMs)))
    await audited(store, { ...entry, requestId, change: "{}" }, async () => undefined);
  return videos.content(id, row.ownerKeyId, request);
}
