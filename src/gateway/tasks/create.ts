// Creates a task through the pipeline: admitted, both rows opened, candidates attempted, and stored once one has
// accepted it.
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import { isFinal, type VideoRequest } from "../../canonical/video.ts";
import { deleteTask, findTask, updateTask } from "../../store/tasks.ts";
import { type AttemptLog, createAttemptLog } from "../attempts/attempt-log.ts";
import { type AttemptResult, attemptCandidates, type CandidateAttempts } from "../attempts/attempt-loop.ts";
import { type Exchange, type ServedBy, withServedBy } from "../pipeline/exchange.ts";
import type { AdmittedExchange } from "../pipeline/exchange-request.ts";
import { ExchangeTimes } from "../pipeline/exchange-times.ts";
import { attemptRows, unableRows } from "../pipeline/outcome.ts";
import { videoSize } from "../pipeline/request-size.ts";
import { ledgerNames } from "../policy/caller.ts";
import type { Candidate } from "../routing/catalog.ts";
import type { Plan } from "../routing/resolve.ts";
import type { TaskDependencies } from "./dependencies.ts";
import { finalize, settleCanceled } from "./finalize.ts";
import { openTask } from "./open-task.ts";
import { initialDelayMs, jitter } from "./schedule.ts";
import { type AcceptedSubmit, type SubmitAttempt, submitAttempts } from "./submit.ts";
import { changeOf, operation, type Task } from "./task.ts";
import { applyProgress } from "./task-state.ts";
import { notifyUpstream, safeProgress } from "./upstream-client.ts";

/** A task in the pipeline: what differs between a new video and a remix. */
interface TaskSubmission {
  readonly request: VideoRequest;
  readonly caller: AdmittedExchange["request"]["caller"];
  readonly requestId: string;
  readonly session: string | null;
  /** Name of the client's format, for the ledger. */
  readonly dialect: string;
  resolve(): Plan;
  /** The task before any attempt. */
  newTask(candidate: Candidate, exchangeId: string): Task | Promise<Task>;
  /** Prepares it for a candidate. Throws the reason why that is impossible. */
  prepare(candidate: Candidate, taskId: string): Promise<SubmitAttempt>;
}

const never = new AbortController().signal;

const failed = (thrown: unknown) => ({ failure: toGatewayError(thrown), servedBy: null });

/** The task with the trace of its request, for the span of its end. */
const inTrace = (task: Task, traceparent: string | undefined): Task =>
  traceparent === undefined ? task : { ...task, internals: { ...task.internals, traceparent } };

/** No candidate is attempted after one that may have accepted the task. */
const mayContinue = ({ retry }: GatewayError): boolean => retry === "next";

/** Creates a task. Throws GatewayError if no provider accepted it, or if that is unknown. */
export function createTask(dependencies: TaskDependencies, submission: TaskSubmission): Promise<Created> {
  const { gateway } = dependencies;
  const { request: video, caller, requestId, session } = submission;
  const arrivedMs = gateway.clock.monotonicMs();
  const log = createAttemptLog(gateway.clock.monotonicMs, arrivedMs);
  let opened: Task | null = null;
  const request = {
    caller,
    operation: operation,
    model: video.model,
    requestId,
    session,
    arrivedMs,
    times: new ExchangeTimes({ arrivedMs }, arrivedMs),
    size: videoSize(video),
    content: () => video,
    resolve: submission.resolve,
  } as const;
  return gateway.run<Created>(request, {
    async open({ id, candidates: [first], reservations }) {
      if (first === undefined)
        throw new GatewayError("no_provider_available", "No provider is available for this model.");
      opened = await submission.newTask(first, id);
      return openTask(dependencies, opened, submission.dialect, {
        ...ledgerNames(caller, session),
        reservedNanoDollars: reservations.reservedNanoDollars(),
      });
    },
    async perform(exchange, { repeats, dueMs }) {
      const task = opened;
      if (task === null) throw new GatewayError("internal_error", "The task has no row.");
      const attemptsFor = (candidate: Candidate): CandidateAttempts<AcceptedSubmit> =>
        submitAttempts(gateway, log, () => submission.prepare(candidate, task.id));
      const { candidates } = exchange;
      const { events } = gateway;
      const loop = {
        candidates,
        maxAttemptsPerRequest: gateway.limits.maxAttemptsPerRequest,
        requestedModel: video.model,
        signal: () => never,
        log,
        events,
        ids: exchange,
        ...{ router: gateway.router, isStream: false, repeats, dueMs },
      };
      const result = await attemptCandidates({ ...loop, attemptsFor, mayContinue }).catch(failed);
      if ("failure" in result) throw await refused(dependencies, { exchange, log, task }, result);
      // Settled when the task ends, possibly by another process.
      const { traceparent } = exchange.trace?.headers() ?? {};
      exchange.leavePending(gateway.pending);
      gateway.ledger.recordAttempts(exchange.id, attemptRows(log, 0));
      return acceptTask(dependencies, inTrace(task, traceparent), result.value, result.servedBy);
    },
    failed: (error) => ({ servedBy: null, usage: undefined, error }),
  });
}

/** Settles a task that no candidate has accepted, and deletes it. Returns the client's error. */
async function refused(
  { store }: TaskDependencies,
  { exchange, log, task }: { readonly exchange: Exchange; readonly log: AttemptLog; readonly task: Task },
  { failure, servedBy }: Extract<AttemptResult<unknown>, { failure: GatewayError }>,
): Promise<GatewayError> {
  const left = { failedAttempts: attemptRows(log, 0), passedOver: unableRows(log) };
  await exchange.settle({ servedBy, usage: undefined, error: toGatewayError(failure), ...left });
  await deleteTask(store, task.id);
  return withServedBy(failure, servedBy);
}

/** A stored task and its provider. */
export interface Created {
  readonly task: Task;
  readonly servedBy: ServedBy;
}

/** How many times to try to write a task that the upstream has accepted. */
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

/** The upstream has accepted it, so the write is retried. False if the task was ended meanwhile, as by its owner. */
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

/** Stores an accepted task. Throws `submit_unconfirmed` if the task was ended meanwhile. */
async function acceptTask(
  dependencies: TaskDependencies,
  task: Task,
  submit: AcceptedSubmit,
  servedBy: ServedBy,
): Promise<Created> {
  const stored = acceptedTask(dependencies, task, submit, servedBy);
  if (!(await store(dependencies, stored))) {
    await settleCanceled(dependencies, stored);
    await notifyUpstream(dependencies, stored, "cancel");
    throw new GatewayError("submit_unconfirmed", "The task was canceled before the provider confirmed it.");
  }
  return { task: stored, servedBy };
}
