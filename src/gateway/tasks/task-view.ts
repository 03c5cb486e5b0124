// A task as its owner sees it, with links that open without a key.
import type { VideoView } from "../../dialects/video/client.ts";
import type { TaskDependencies } from "./dependencies.ts";
import { linkTo } from "./links.ts";
import { type Task, viewOf } from "./task.ts";

/** `origin` is how the client has reached the gateway; where the gateway's public address is set, that one counts. */
export function viewFor(dependencies: TaskDependencies, task: Task, origin: string): VideoView {
  const nowMs = dependencies.gateway.clock.nowMs();
  const base = dependencies.publicUrl ?? origin;
  return { ...viewOf(task, (index) => linkTo(dependencies, base, task, index, nowMs), nowMs), base };
}
