// Business events, one function each: the log is written and the metrics are counted here and nowhere else.
import { type GatewayError, isWithdrawn } from "../canonical/error.ts";
import { causeOf } from "../lib/cause.ts";
import type { Level, Log } from "./log.ts";
import type { Metrics, SettledExchange } from "./metrics.ts";

/** The ids under which a request is found: the gateway's own, and the one that the client sees. */
export interface RequestIds {
  readonly id: string;
  readonly requestId: string;
}

/** A job of a task, after so many tries. */
export interface FailedJob {
  readonly job: "webhook" | "copy";
  readonly task: string;
  readonly tries: number;
}

/** Work that no request waits for. */
export type BackgroundTask = "catalog" | "idempotency" | "keys" | "ledger" | "responses" | "videos";
export type UncaughtKind = "exception" | "rejection";

/** A part of a budget that is spent. */
export interface BudgetThreshold {
  readonly level: string;
  readonly id: string;
  readonly period: string;
  readonly percent: number;
}

export interface Events {
  /** One try at one provider answered. */
  attemptAnswered(provider: string, model: string): void;
  /** One try at one provider failed. */
  attemptFailed(provider: string, model: string, error: GatewayError, ids?: RequestIds): void;
  /** A provider did not answer a question about a task, which continues. */
  taskCallFailed(provider: string, model: string, error: GatewayError, ids: RequestIds): void;
  /** A provider does not have the model of a candidate, or refuses the gateway's credential: the operator has to act. */
  candidateUnusable(provider: string, model: string, error: GatewayError): void;
  /** An exchange that was opened in the ledger is settled, `error` null where it was answered completely. */
  exchangeSettled(exchange: SettledExchange, error: GatewayError | null, ids: RequestIds): void;
  /** A stream to a client begins; its exchange is settled at its end. */
  streamStarted(): void;
  /** A budget has reached 50, 80 or 100 % of its amount in its window: once for each. */
  budgetThreshold(reached: BudgetThreshold): void;
  /** A request was answered with an error. */
  requestFailed(requestId: string, error: GatewayError): void;
  /** A provider's list of models could not be read. */
  modelListFailed(provider: string, cause: unknown): void;
  /** A provider returned a task status that is not in its table; the task continues. */
  unknownTaskStatus(provider: string, status: string, ids: RequestIds): void;
  /** A stored copy or a webhook delivery of a task failed. */
  jobFailed(job: FailedJob, cause: unknown, ids: RequestIds): void;
  /** Rows of a dead process were closed at the start. */
  recovered(rows: number): void;
  /** The limit on open files leaves room for fewer requests than are configured. */
  descriptorLimit(maxConcurrentRequests: number): void;
  /** A model server on this machine was found and can be asked. */
  localServerFound(provider: string, baseUrl: string): void;
  /** A model server on this machine does not answer any more. */
  localServerLost(provider: string, baseUrl: string): void;
  /** Finished videos cannot be copied to the place that is configured. */
  resultsUnavailable(problem: string): void;
  /** An error that nothing caught: after an exception the process drains and ends, after a rejection it continues. */
  uncaughtError(kind: UncaughtKind, cause: unknown): void;
  /** A background task failed. */
  backgroundTaskFailed(what: BackgroundTask, cause: unknown): void;
}

/** The client going away is everyday life, and so is a key that is revoked; our own faults are not. */
function levelOf(error: GatewayError): Level {
  if (error.kind === "internal_error") return "error";
  return isWithdrawn(error) ? "info" : "warn";
}

const failureOf = (error: GatewayError) => ({ code: error.code, cause: causeOf(error.cause ?? error) });
const shownOf = ({ operation, settlement }: SettledExchange) => {
  const { state, provider, upstreamModel: model, httpStatus, firstByteMs, durationMs } = settlement;
  return { operation, provider, model, state, httpStatus, firstByteMs, durationMs };
};
const idsOf = (ids: RequestIds | undefined) => ({ id: ids?.id, requestId: ids?.requestId });

export function createEvents(log: Log, metrics: Metrics): Events {
  return { ...requestEvents(log, metrics), ...providerEvents(log, metrics), ...processEvents(log, metrics) };
}

type RequestEvent = "exchangeSettled" | "streamStarted" | "requestFailed" | "attemptAnswered" | "attemptFailed";

function requestEvents(log: Log, metrics: Metrics): Pick<Events, RequestEvent> {
  return {
    attemptAnswered: (provider, model) => metrics.attempt(provider, model, "answered"),
    attemptFailed(provider, model, error, ids) {
      metrics.attempt(provider, model, error.kind);
      log.write("warn", "attempt_failed", { ...idsOf(ids), provider, model, ...failureOf(error) });
    },
    exchangeSettled(exchange, error, ids) {
      metrics.exchangeSettled(exchange);
      if (error !== null) log.write(levelOf(error), "exchange_failed", { ...idsOf(ids), code: error.code });
      else if (log.isOn("debug")) log.write("debug", "exchange_completed", { ...idsOf(ids), ...shownOf(exchange) });
    },
    streamStarted: metrics.streamStarted,
    requestFailed(requestId, error) {
      metrics.errorResponse(error.kind);
      if (error.kind === "internal_error") log.write("error", "request_failed", { requestId, ...failureOf(error) });
      else if (log.isOn("debug")) log.write("debug", "request_refused", { requestId, code: error.code });
    },
  };
}

type ProviderEvent = "taskCallFailed" | "candidateUnusable" | "modelListFailed" | "unknownTaskStatus";

function providerEvents(log: Log, metrics: Metrics): Pick<Events, ProviderEvent> {
  return {
    taskCallFailed: (provider, model, error, ids) =>
      log.write("warn", "attempt_failed", { ...idsOf(ids), provider, model, ...failureOf(error) }),
    candidateUnusable: (provider, model, error) =>
      log.write("error", "candidate_unusable", { provider, model, ...failureOf(error) }),
    modelListFailed(provider, cause) {
      metrics.modelListFailed(provider);
      log.write("warn", "model_list_failed", { provider, cause: causeOf(cause) });
    },
    unknownTaskStatus: (provider, status, ids) =>
      log.write("warn", "unknown_task_status", { ...idsOf(ids), provider, status: status.slice(0, 100) }),
  };
}

function processEvents(log: Log, metrics: Metrics): Omit<Events, RequestEvent | ProviderEvent> {
  return {
    jobFailed({ job, task, tries }, cause, ids) {
      metrics.taskFailed(job);
      log.write("warn", "job_failed", { ...idsOf(ids), job, task, tries, cause: causeOf(cause) });
    },
    budgetThreshold: (reached) => log.write("warn", "budget_threshold", { ...reached }),
    recovered: (rows) => log.write("warn", "ledger_recovered", { rows }),
    descriptorLimit: (maxConcurrentRequests) => log.write("warn", "descriptor_limit", { maxConcurrentRequests }),
    localServerFound: (provider, baseUrl) => log.write("info", "local_server_found", { provider, baseUrl }),
    localServerLost: (provider, baseUrl) => log.write("warn", "local_server_lost", { provider, baseUrl }),
    resultsUnavailable: (problem) => log.write("error", "results_unavailable", { problem }),
    uncaughtError(kind, cause) {
      metrics.taskFailed(`uncaught_${kind}`);
      log.write("error", `uncaught_${kind}`, { cause: causeOf(cause) });
    },
    backgroundTaskFailed(what, cause) {
      metrics.taskFailed(what);
      log.write("error", "background_task_failed", { what, cause: causeOf(cause) });
    },
  };
}
