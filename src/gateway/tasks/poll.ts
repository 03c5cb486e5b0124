// Polls one task: requests its status, reads the reply, writes the outcome.
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import { isFinal } from "../../canonical/video.ts";
import { retryAfterMs } from "../../lib/retry-after.ts";
import { safeError } from "../../providers/redaction.ts";
import { type TaskRow, updateTask } from "../../store/tasks.ts";
import type { TaskDependencies } from "./dependencies.ts";
import { finalize } from "./finalize.ts";
import { failedPoll, type PollRecord, withPoll } from "./poll-history.ts";
import { errorBackoffMs, jitter, nextDelayMs } from "./schedule.ts";
import { changeOf, requestIdsOf, type Task, taskOf, upstreamTaskOf } from "./task.ts";
import { applyProgress, failures, terminate } from "./task-state.ts";
import { askUpstream, clientFor, notifyUpstream, safeProgress, type UpstreamClient } from "./upstream-client.ts";

/** The task after the poll, and the wait until the next one. */
interface PollOutcome {
  readonly task: Task;
  readonly waitMs: number;
  /** What the provider answered; absent if it was not asked. */
  readonly reply?: Pick<PollRecord, "status" | "error" | "message">;
}

/** Consecutive polls with a refused credential: about a quarter of an hour, for the operator to correct it. */
const refusalsToFail = 16;

const absent = (): GatewayError =>
  new GatewayError("no_provider_available", "The provider of the task is no longer configured.");

/** The poll failed: the task is unchanged, and is polled again. */
function afterFailure(dependencies: TaskDependencies, task: Task, failure: GatewayError): PollOutcome {
  dependencies.gateway.events.taskCallFailed(task.provider, task.internals.model, failure, requestIdsOf(task));
  const { internals } = task;
  const reply = failedPoll(failure);
  const refusals = failure.kind === "upstream_credentials" ? (internals.refusals ?? 0) + 1 : 0;
  if (refusals >= refusalsToFail)
    return {
      task: terminate(task, "failed", failures.credentials, dependencies.gateway.clock.nowMs()),
      waitMs: 0,
      reply,
    };
  return {
    reply,
    task: { ...task, internals: { ...internals, troubles: internals.troubles + 1, refusals } },
    waitMs: errorBackoffMs(task, failure.retryAfterMs),
  };
}

async function pollUpstream(dependencies: TaskDependencies, task: Task, client: UpstreamClient): Promise<PollOutcome> {
  const { gateway } = dependencies;
  const { upstream } = client;
  const upstreamTask = upstreamTaskOf(task);
  if (upstreamTask === null) return { task, waitMs: 1 };
  const answer = await askUpstream(client, upstream.poll(upstreamTask), gateway.limits.videoPollMs, gateway);
  const nowMs = gateway.clock.nowMs();
  const progress = safeProgress(client, upstream.progress(answer, upstreamTask));
  if (progress === null) throw upstream.error.parse(answer.status, answer.body, retryAfterMs(answer.headers, nowMs));
  if (progress.unknownStatus !== undefined)
    gateway.events.unknownTaskStatus(task.provider, progress.unknownStatus, requestIdsOf(task));
  const next = applyProgress(task, progress, upstream, nowMs);
  const waitMs = nextDelayMs(task, upstream);
  const reply = { status: answer.status, error: null, message: null };
  return { task: { ...next, internals: { ...next.internals, waitMs } }, waitMs, reply };
}

async function outcomeOf(dependencies: TaskDependencies, task: Task): Promise<PollOutcome> {
  const { gateway } = dependencies;
  if (task.upstreamId === null)
    return { task: terminate(task, "failed", failures.unconfirmed, gateway.clock.nowMs()), waitMs: 0 };
  const client = clientFor(task, gateway.catalog.current());
  const outcome = await (client === null ? Promise.reject(absent()) : pollUpstream(dependencies, task, client)).catch(
    (thrown: unknown) =>
      afterFailure(dependencies, task, client === null ? toGatewayError(thrown) : safeError(thrown, client.provider)),
  );
  const nowMs = gateway.clock.nowMs();
  if (isFinal(outcome.task.state) || nowMs < task.internals.deadlineMs) return outcome;
  await notifyUpstream(dependencies, task, "cancel");
  return { ...outcome, task: terminate(outcome.task, "expired", failures.late, nowMs), waitMs: 0 };
}

/** The task with this poll in its history. */
function recorded({ task, waitMs, reply }: PollOutcome, atMs: number, nowMs: number): Task {
  if (reply === undefined) return task;
  const { state, view, internals } = task;
  const after = { state, percent: view.percent, waitMs: isFinal(state) ? null : waitMs };
  const polls = withPoll(internals.polls ?? [], { atMs, durationMs: Math.max(0, nowMs - atMs), ...reply, ...after });
  return { ...task, internals: { ...internals, polls } };
}

/** Polls a claimed task. Rejects only if the store or the ledger fails. */
export async function pollTask(dependencies: TaskDependencies, row: TaskRow): Promise<void> {
  const { clock } = dependencies.gateway;
  const startedAtMs = clock.nowMs();
  const outcome = await outcomeOf(dependencies, taskOf(row));
  const task = recorded(outcome, startedAtMs, clock.nowMs());
  if (isFinal(task.state)) {
    await finalize(dependencies, task, "held", row.ledger);
    return;
  }
  const nextPollAtMs = clock.nowMs() + jitter(outcome.waitMs, dependencies);
  await updateTask(dependencies.store, task.id, dependencies.leaseOwner, changeOf(task, nextPollAtMs));
}
