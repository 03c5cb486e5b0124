// A new task through the pipeline: admitted, both rows opened, candidates asked, and what one accepted written down.
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import type { VideoRequest } from "../../canonical/video.ts";
import { deleteTask } from "../../store/tasks.ts";
import { createAttemptLog } from "../attempts/attempt-log.ts";
import { type AttemptResult, attemptCandidates, type CandidateAttempts } from "../attempts/attempt-loop.ts";
import type { Exchange } from "../pipeline/exchange.ts";
import { withServedBy } from "../pipeline/exchange.ts";
import type { AdmittedExchange } from "../pipeline/exchange-request.ts";
import { attemptRows } from "../pipeline/outcome.ts";
import type { Candidate } from "../routing/catalog.ts";
import type { Plan } from "../routing/resolve.ts";
import { acceptTask, type Created } from "./accept.ts";
import type { TaskDependencies } from "./dependencies.ts";
import { openTask } from "./open-task.ts";
import { type AcceptedSubmit, type SubmitAttempt, submitAttempts } from "./submit.ts";
import { operation, type Task } from "./task.ts";

/** A submit on its way through the pipeline: what differs between a new video and a remix. */
export interface TaskSubmission {
  readonly request: VideoRequest;
  readonly caller: AdmittedExchange["request"]["caller"];
  readonly requestId: string;
  /** Name of the client's format, for the ledger. */
  readonly dialect: string;
  resolve(): Plan;
  /** The task as it is before any candidate was asked. */
  newTask(candidate: Candidate, exchangeId: string): Task | Promise<Task>;
  /** How it is sent to a candidate. Throws the reason why it cannot be. */
  prepare(candidate: Candidate, taskId: string): Promise<SubmitAttempt>;
}

const never = new AbortController().signal;

const failed = (thrown: unknown) => ({ failure: toGatewayError(thrown), by: null });

/** No provider is asked after one that may have accepted the task. */
const mayContinue = ({ retry }: GatewayError): boolean => retry === "next";

/** Makes a task. Throws GatewayError when no provider accepted it, or when that is not known. */
export function createTask(dependencies: TaskDependencies, submission: TaskSubmission): Promise<Created> {
  const { gateway } = dependencies;
  const { request: video, caller, requestId } = submission;
  const arrivedMs = gateway.clock.monotonicMs();
  const log = createAttemptLog(gateway.clock.monotonicMs, arrivedMs);
  let opened: Task | null = null;
  const request = {
    caller,
    operation: operation,
    model: video.model,
    requestId,
    arrivedMs,
    content: () => video,
    resolve: submission.resolve,
  } as const;
  return gateway.run<Created>(request, {
    async open({ id, candidates: [first] }) {
      if (first === undefined)
        throw new GatewayError("no_provider_available", "No provider is available for this model.");
      opened = await submission.newTask(first, id);
      return openTask(dependencies, opened, submission.dialect);
    },
    async perform(exchange, { cooldowns }) {
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
        cooldowns,
      };
      const result = await attemptCandidates({ ...loop, attemptsFor, mayContinue }).catch(failed);
      if ("failure" in result) throw await refused(dependencies, exchange, task, result);
      // Settled when the task is over, maybe by another process.
      exchange.leavePending(gateway.pending);
      gateway.ledger.recordAttempts(exchange.id, attemptRows(log, 0));
      return acceptTask(dependencies, task, result.value, result.by);
    },
    failed: (error) => ({ servedBy: null, usage: undefined, error }),
  });

  async function refused(
    { store }: TaskDependencies,
    exchange: Exchange,
    task: Task,
    { failure, by }: Extract<AttemptResult<unknown>, { failure: GatewayError }>,
  ): Promise<GatewayError> {
    const failedAttempts = attemptRows(log, 0);
    await exchange.settle({ servedBy: by, usage: undefined, error: toGatewayError(failure), failedAttempts });
    await deleteTask(store, task.id);
    return withServedBy(failure, by);
  }
}
