// One turn of work on one task: ask its upstream, understand the answer, write what has become of it.
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import { isFinal } from "../../canonical/video.ts";
import { safeError } from "../../providers/redaction.ts";
import { type TaskRow, updateTask } from "../../store/tasks.ts";
import { retryAfterMs } from "../streaming/buffered-response.ts";
import { nextWait, spreadWait, troubleWait } from "./backoff.ts";
import { pollPatienceMs, type VideoParts } from "./dependencies.ts";
import { conclude } from "./finalize.ts";
import { changeOf, type Task, taskOf, upstreamTaskOf } from "./task.ts";
import { advanced, ended, failures } from "./task-state.ts";
import { ask, safeProgress, type Wire, wireOf } from "./upstream-client.ts";

/** What a turn has come to: the task as it is now, and how long to wait. */
interface Turn {
  readonly task: Task;
  readonly waitMs: number;
}

/** Polls in a row in which the credential was refused: about a quarter of an hour, for an operator to put it right. */
const refusalsToFail = 16;

const absent = (): GatewayError =>
  new GatewayError("no_provider_available", "The provider of the task is not configured any more.");

/** Nothing came of it: the task is as it was, and is asked for again. */
function troubled(parts: VideoParts, task: Task, failure: GatewayError): Turn {
  parts.gateway.events.attemptFailed(task.provider, task.kept.model, failure);
  const { kept } = task;
  const refusals = failure.kind === "upstream_credentials" ? (kept.refusals ?? 0) + 1 : 0;
  if (refusals >= refusalsToFail)
    return { task: ended(task, "failed", failures.credentials, parts.gateway.clock.nowMs()), waitMs: 0 };
  return {
    task: { ...task, kept: { ...kept, troubles: kept.troubles + 1, refusals } },
    waitMs: troubleWait(task, failure.retryAfterMs),
  };
}

async function asked(parts: VideoParts, task: Task, wire: Wire): Promise<Turn> {
  const { gateway } = parts;
  const { upstream } = wire;
  const known = upstreamTaskOf(task);
  if (known === null) return { task, waitMs: 1 };
  const answer = await ask(wire, upstream.poll(known), pollPatienceMs, gateway);
  const nowMs = gateway.clock.nowMs();
  const progress = safeProgress(wire, upstream.progress(answer, known));
  if (progress === null) throw upstream.error.parse(answer.status, answer.body, retryAfterMs(answer.headers, nowMs));
  if (progress.unknownWord !== undefined) gateway.events.unknownWord(task.provider, progress.unknownWord);
  const next = advanced(task, progress, upstream, nowMs);
  const waitMs = nextWait(task, upstream);
  return { task: { ...next, kept: { ...next.kept, waitMs } }, waitMs };
}

/** Asks the upstream to stop what nobody waits for any more, or to forget what is over; it does not matter whether it can. */
export async function tellUpstream(parts: VideoParts, task: Task, what: "cancel" | "remove"): Promise<void> {
  const wire = wireOf(task, parts.gateway.catalog.current());
  const known = upstreamTaskOf(task);
  const call = known === null ? undefined : wire?.upstream[what]?.(known);
  if (wire === null || call === undefined) return;
  await ask(wire, call, pollPatienceMs, parts.gateway).catch((thrown: unknown) => {
    parts.gateway.events.attemptFailed(task.provider, task.kept.model, safeError(thrown, wire.provider));
  });
}

async function turnOf(parts: VideoParts, task: Task): Promise<Turn> {
  const { gateway } = parts;
  if (task.upstreamId === null)
    return { task: ended(task, "failed", failures.unconfirmed, gateway.clock.nowMs()), waitMs: 0 };
  const wire = wireOf(task, gateway.catalog.current());
  const turn = await (wire === null ? Promise.reject(absent()) : asked(parts, task, wire)).catch((thrown: unknown) =>
    troubled(parts, task, wire === null ? toGatewayError(thrown) : safeError(thrown, wire.provider)),
  );
  const nowMs = gateway.clock.nowMs();
  if (isFinal(turn.task.state) || nowMs < task.kept.deadlineMs) return turn;
  await tellUpstream(parts, task, "cancel");
  return { task: ended(turn.task, "expired", failures.late, nowMs), waitMs: 0 };
}

/** Works on a task whose lease is held. Rejects only where the store or the ledger does not answer. */
export async function pollTask(parts: VideoParts, row: TaskRow): Promise<void> {
  const { task, waitMs } = await turnOf(parts, taskOf(row));
  if (isFinal(task.state)) {
    await conclude(parts, task, "held", row.ledger);
    return;
  }
  const nextPollAtMs = parts.gateway.clock.nowMs() + spreadWait(waitMs, parts);
  await updateTask(parts.store, task.id, parts.leaseOwner, changeOf(task, nextPollAtMs));
}
