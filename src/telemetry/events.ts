// Business events, one function each: the log is written here and nowhere else.
import type { GatewayError } from "../canonical/error.ts";
import { causeOf, type Level, type Log } from "./log.ts";

/** The ids under which a request is found: the gateway's own, and the one that the client sees. */
export interface RequestIds {
  readonly id: string;
  readonly requestId: string;
}

/** What an exchange came to, for logs and metrics. */
export interface SettledExchange {
  readonly state: string;
  readonly provider: string | null;
  readonly durationMs: number;
}

export interface Events {
  /** One try at one provider failed. */
  attemptFailed(provider: string, model: string, error: GatewayError, ids?: RequestIds): void;
  /** A provider does not have the model of a candidate, or refuses the gateway's credential: the operator has to act. */
  candidateUnusable(provider: string, model: string, error: GatewayError): void;
  /** An exchange that was opened in the ledger is settled, `error` null where it was answered completely. */
  exchangeSettled(exchange: SettledExchange, error: GatewayError | null, ids: RequestIds): void;
  /** A request was answered with an error that is the gateway's own fault. */
  requestFailed(requestId: string, error: GatewayError): void;
  /** A provider's list of models could not be read. */
  modelListFailed(provider: string, cause: unknown): void;
  /** A provider returned a task status that is not in its table; the task continues. */
  unknownTaskStatus(provider: string, status: string): void;
  /** A stored copy or a webhook delivery of a task failed. */
  jobFailed(job: string, task: string, tries: number, cause: unknown): void;
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
  /** A background task failed. */
  backgroundTaskFailed(what: string, cause: unknown): void;
}

/** The client going away is everyday life; our own faults are not. */
function levelOf(error: GatewayError): Level {
  if (error.kind === "internal_error") return "error";
  return error.kind === "client_closed" ? "info" : "warn";
}

export function createEvents(log: Log): Events {
  return {
    attemptFailed: (provider, model, error, ids) =>
      log.write("warn", "attempt_failed", {
        id: ids?.id,
        requestId: ids?.requestId,
        provider,
        model,
        code: error.code,
        cause: causeOf(error.cause ?? error),
      }),
    candidateUnusable: (provider, model, error) =>
      log.write("error", "candidate_unusable", {
        provider,
        model,
        code: error.code,
        cause: causeOf(error.cause ?? error),
      }),
    exchangeSettled(_exchange, error, { id, requestId }) {
      if (error !== null) log.write(levelOf(error), "exchange_failed", { id, requestId, code: error.code });
    },
    requestFailed: (requestId, error) =>
      log.write("error", "request_failed", { requestId, code: error.code, cause: causeOf(error.cause ?? error) }),
    modelListFailed: (provider, cause) => log.write("warn", "model_list_failed", { provider, cause: causeOf(cause) }),
    unknownTaskStatus: (provider, status) =>
      log.write("warn", "unknown_task_status", { provider, status: status.slice(0, 100) }),
    jobFailed: (job, task, tries, cause) =>
      log.write("warn", "job_failed", { job, task, tries, cause: causeOf(cause) }),
    recovered: (rows) => log.write("warn", "ledger_recovered", { rows }),
    descriptorLimit: (maxConcurrentRequests) => log.write("warn", "descriptor_limit", { maxConcurrentRequests }),
    localServerFound: (provider, baseUrl) => log.write("info", "local_server_found", { provider, baseUrl }),
    localServerLost: (provider, baseUrl) => log.write("warn", "local_server_lost", { provider, baseUrl }),
    resultsUnavailable: (problem) => log.write("error", "results_unavailable", { problem }),
    backgroundTaskFailed: (what, cause) =>
      log.write("error", "background_task_failed", { what, cause: causeOf(cause) }),
  };
}
