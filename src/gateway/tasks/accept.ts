// An accepted task: what its provider answered is written down, with more than one try, because it may be billed.
import { GatewayError } from "../../canonical/error.ts";
import { isFinal } from "../../canonical/video.ts";
import { findTask, updateTask } from "../../store/tasks.ts";
import type { ServedBy } from "../pipeline/exchange.ts";
import type { TaskDependencies } from "./dependencies.ts";
import { finalize } from "./finalize.ts";
import { initialDelayMs, jitter } from "./schedule.ts";
import type { AcceptedSubmit } from "./submit.ts";
import { changeOf, type Task } from "./task.ts";
import { applyProgress } from "./task-state.ts";
import { notifyUpstream, safeProgress } from "./upstream-client.ts";

/** A stored task and who accepted it. */
export interface Created {
  readonly task: Task;
  readonly servedBy: ServedBy;
}

/** How often the row of a task that the upstream already has is written. */
const writeTries = 5;

/** The task as the upstream accepted it. */
function acceptedTask(
  dependencies: TaskDependencies,
  task: Task,
  { upstreamClient, rendered, accepted: answer }: AcceptedSubmit,
  { candidate, attempts }: ServedBy,
): Task {
  const { upstream } = upstreamClient;
  const nowMs = dependencies.gateway.clock.nowMs();
  const { deadlineSeconds } = upstream;
  const { videoTaskMs } = dependencies.gateway.limits;
  const deadlineMs = nowMs + (deadlineSeconds === undefined ? videoTaskMs : deadlineSeconds * 1000);
  const taken: Task = {
    ...task,
    provider: candidate.provider.entry.name,
    upstreamId: answer.upstreamId,
    updatedAtMs: nowMs,
    internals: {
      ...task.internals,
      model: candidate.model,
      upstream: upstream.name,
      upstreamState: { ...rendered.upstreamState, ...answer.upstreamState },
      attempts,
      warnings: rendered.warnings,
      acceptedAtMs: nowMs,
      deadlineMs,
      waitMs: initialDelayMs(upstream),
    },
    view: { ...task.view, effect: { ...task.view.effect, ...rendered.effect } },
  };
  const progress = safeProgress(upstreamClient, answer.progress);
  return progress === undefined ? taken : applyProgress(taken, progress, upstream, nowMs);
}

/** Whether the row has the upstream's id: an earlier try may have written it although it seemed to fail. */
async function isStored({ store, gateway }: TaskDependencies, { id, ownerKeyId, upstreamId }: Task): Promise<boolean> {
  return (await findTask(store, id, ownerKeyId, gateway.clock.nowMs()))?.upstreamId === upstreamId;
}

/** The upstream has it: the row is written with more than one try. False when the task was ended meanwhile, as by its owner. */
async function store(dependencies: TaskDependencies, task: Task): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    try {
      const nextPollAtMs = task.updatedAtMs + jitter(task.internals.waitMs, dependencies);
      const isWritten = await (isFinal(task.state)
        ? finalize(dependencies, task, "held", dependencies.gateway.ledger.id)
        : updateTask(dependencies.store, task.id, dependencies.leaseOwner, changeOf(task, nextPollAtMs)));
      return isWritten || (await isStored(dependencies, task));
    } catch (thrown) {
      if (tries >= writeTries)
        throw new GatewayError("submit_unconfirmed", "The provider accepted the task, but it could not be stored.", {
          cause: thrown,
        });
    }
  }
}

/** Writes down what a provider accepted. Throws `submit_unconfirmed` where the task was ended meanwhile. */
export async function acceptTask(
  dependencies: TaskDependencies,
  task: Task,
  submit: AcceptedSubmit,
  servedBy: ServedBy,
): Promise<Created> {
  const stored = acceptedTask(dependencies, task, submit, servedBy);
  if (!(await store(dependencies, stored))) {
    await notifyUpstream(dependencies, stored, "cancel");
    throw new GatewayError("submit_unconfirmed", "The task was canceled before the provider confirmed it.");
  }
  return { task: stored, servedBy };
}
