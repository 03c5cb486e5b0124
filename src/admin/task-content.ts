// The video of a task of any key, for operators. A look at it is in the audit log.
import { GatewayError } from "../canonical/error.ts";
import type { ContentRequest } from "../gateway/tasks/content.ts";
import type { Content } from "../gateway/tasks/source-body.ts";
import type { Videos } from "../gateway/tasks/videos.ts";
import type { Clock } from "../lib/clock.ts";
import { audited } from "../store/audit.ts";
import type { Store } from "../store/store.ts";
import { findLinkedTask } from "../store/tasks.ts";
import { type Principal, requireVerb } from "./permissions.ts";

export interface TaskContentParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly videos: Pick<Videos, "content">;
}

/** Players read a file in many ranges, of which the first is the look. */
const isFirst = (range: string | null): boolean => range === null || !/^bytes=0*[1-9]|^bytes=-/.test(range);

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
  const entry = { atMs, actorKind, actorId, actorName, action: "content", resource: "tasks", objectId: id };
  if (isFirst(request.range)) await audited(store, { ...entry, requestId, change: "{}" }, async () => undefined);
  return videos.content(id, row.ownerKeyId, request);
}
