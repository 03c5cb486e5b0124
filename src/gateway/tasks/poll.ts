// One turn of work on one task: ask its upstream, understand the answer, write what has become of it.
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import { isFinal } from "../../canonical/video.ts";
import { safeError } from "../../providers/redaction.ts";
import { type TaskRow, updateTask } from "../../store/tasks.ts";
import { retryAfterMs } from "../streaming/buffered-response.ts";
import { pollPatienceMs, type TaskDependencies } from "./dependencies.ts";
import { finalize } from "./finalize.ts";
import { errorBackoffMs, jitter, nextDelayMs } from "./schedule.ts";
import { changeOf, type Task, taskOf, upstreamTaskOf } from "./task.ts";
import { applyProgress, failures, terminate } from "./task-state.ts";
import { askUpstream, safeProgress, type UpstreamClient, wireOf } from "./upstream-client.ts";

/** What a turn has come to: the task as it is now, and how long to wait. */
interface Turn {
  readonly task: Task;
  readonly waitMs: number;
}

/** Polls in a row in which the credential was refused: about a quarter of an hour, for an operator to put it right. */
const refusalsToFail = 16;

const absent = (): GatewayError =>
  new GatewayError("no_provider_available", "The provider of the task is no longer configured.");

/** Nothing came of it: the task is as it was, and is asked for again. */
function troubled(dependencies: TaskDependencies, task: Task, failure: GatewayError): Turn {
  dependencies.gateway.events.attemptFailed(task.provider, task.internals.model, failure);
  const { internals } = task;
  const refusals = failure.kind === "upstream_credentials" ? (internals.refusals ?? 0) + 1 : 0;
  if (refusals >= refusalsToFail)
    return { task: terminate(task, "failed", failures.credentials, dependencies.gateway.clock.nowMs()), waitMs: 0 };
  return {
    task: { ...task, internals: { ...internals, troubles: internals.troubles + 1, refusals } },
    waitMs: errorBackoffMs(task, failure.retryAfterMs),
  };
}

async function asked(dependencies: TaskDependencies, task: Task, wire: UpstreamClient): Promise<Turn> {
  const { gateway } = dependencies;
  const { upstream } = wire;
  const known = upstreamTaskOf(task);
  if (known === null) return { task, waitMs: 1 };
  const answer = await askUpstream(wire, upstream.poll(known), pollPatienceMs, gateway);
  const nowMs = gateway.clock.nowMs();
  const progress = safeProgress(wire, upstream.progress(answer, known));
  if (progress === null) throw upstream.error.parse(answer.status, answer.body, retryAfterMs(answer.headers, nowMs));
  if (progress.unknownWord !== undefined) gateway.events.unknownWord(task.provider, progress.unknownWord);
  const next = applyProgress(task, progress, upstream, nowMs);
  const waitMs = nextDelayMs(task, upstream);
  return { task: { ...next, internals: { ...next.internals, waitMs } }, waitMs };
}

/** Asks the upstream to stop what nobody waits for any more, or to forget what is over; it does not matter whether it can. */
export async function notifyUpstream(
  dependencies: TaskDependencies,
  task: Task,
  what: "cancel" | "remove",
): Promise<void> {
  const wire = wireOf(task, dependencies.gateway.catalog.current());
  const known = upstreamTaskOf(task);
  const call = known === null ? undefined : wire?.upstream[what]?.(known);
  if (wire === null || call === undefined) return;
  await askUpstream(wire, call, pollPatienceMs, dependencies.gateway).catch((thrown: unknown) => {
    dependencies.gateway.events.attemptFailed(task.provider, task.internals.model, safeError(thrown, wire.provider));
  });
}

async function turnOf(dependencies: TaskDependencies, task: Task): Promise<Turn> {
  const { gateway } = dependencies;
  if (task.upstreamId === null)
    return { task: terminate(task, "failed", failures.unconfirmed, gateway.clock.nowMs()), waitMs: 0 };
  const wire = wireOf(task, gateway.catalog.current());
  const turn = await (wire === null ? Promise.reject(absent()) : asked(dependencies, task, wire)).catch(
    (thrown: unknown) =>
      troubled(dependencies, task, wire === null ? toGatewayError(thrown) : safeError(thrown, wire.provider)),
  );
  const nowMs = gateway.clock.nowMs();
  if (isFinal(turn.task.state) || nowMs < task.internals.deadlineMs) return turn;
  await notifyUpstream(dependencies, task, "cancel");
  return { task: terminate(turn.task, "expired", failures.late, nowMs), waitMs: 0 };
}

/** Works on a task whose lease is held. Rejects only where the store or the ledger does not answer. */
export async function pollTask(dependencies: TaskDependencies, row: TaskRow): Promise<void> {
  const { task, waitMs } = await turnOf(dependencies, taskOf(row));
  if (isFinal(task.state)) {
    await finalize(dependencies, task, "held", row.ledger);
    return;
  }
  const nextPollAtMs = dependencies.gateway.clock.nowMs() + jitter(waitMs, dependencies);
  await updateTask(dependencies.store, task.id, dependencies.leaseOwner, changeOf(task, nextPollAtMs));
}
