// Business events, one function each: the only place that writes the log and counts metrics.
import { type GatewayError, isWithdrawn } from "../canonical/error.ts";
import { causeOf } from "../lib/cause.ts";
import type { Level, Log } from "./log.ts";
import type { Metrics, SettledExchange } from "./metrics.ts";
import type { ExchangeTrace } from "./trace.ts";

/** The ids of a request: the gateway's own, and the client's. */
export interface RequestIds {
  readonly id: string;
  readonly requestId: string;
  /** Null or absent where nothing is traced. */
  readonly trace?: ExchangeTrace | null;
  /** Of the request, for what ends after it. */
  readonly traceparent?: string | undefined;
}

/** A job of a task, after so many tries. */
interface FailedJob {
  readonly job: "webhook" | "copy";
  readonly task: string;
  readonly tries: number;
}

/** `model` is null where it is about the credential as a whole, `credential` where the provider has one only. */
export interface UpstreamChange {
  readonly provider: string;
  readonly credential: string | null;
  readonly model: string | null;
  readonly change: "breaker_opened" | "recovered" | "rate_limited";
  readonly error: GatewayError | null;
  /** How long it is avoided. */
  readonly forMs: number;
}

/** A model at a provider; `credential` is null where the provider has one only. */
export interface UnusableCandidate {
  readonly provider: string;
  readonly credential: string | null;
  readonly model: string;
}

/** Work that no request waits for. */
type BackgroundTask =
  | "alerts"
  | "configuration"
  | "bodies"
  | "catalog"
  | "end_users"
  | "idempotency"
  | "keys"
  | "probes"
  | "ledger"
  | "responses"
  | "sign_in"
  | "videos";
export type UncaughtKind = "exception" | "rejection";

/** A spent part of a budget. */
export interface BudgetThreshold {
  readonly level: string;
  readonly id: string;
  readonly period: string;
  readonly percent: number;
}

export interface Events {
  /** An attempt at a provider succeeded. */
  attemptAnswered(provider: string, model: string): void;
  /** An attempt at a provider failed. */
  attemptFailed(provider: string, model: string, error: GatewayError, ids?: RequestIds): void;
  /** A provider failed a request about a task, which continues. */
  taskCallFailed(provider: string, model: string, error: GatewayError, ids: RequestIds): void;
  /** A provider does not have the model of a candidate, or refuses the gateway's credential: the operator must act. */
  candidateUnusable(candidate: UnusableCandidate, error: GatewayError): void;
  /** Such a candidate has answered again. */
  candidateUsable(candidate: UnusableCandidate): void;
  /** A circuit breaker of an upstream has opened or closed again, or the upstream requested a wait. */
  upstreamChanged(change: UpstreamChange): void;
  /** An exchange was settled in the ledger; `error` is null if it was answered completely. */
  exchangeSettled(exchange: SettledExchange, error: GatewayError | null, ids: RequestIds): void;
  /** A stream to a client started; its exchange is settled at its end. */
  streamStarted(): void;
  /** A budget has reached 50, 80 or 100 % in its window: once each. */
  budgetThreshold(reached: BudgetThreshold): void;
  /** A request was answered with an error. */
  requestFailed(requestId: string, error: GatewayError): void;
  /** A provider's model list could not be read. */
  modelListFailed(provider: string, cause: unknown): void;
  /** A provider returned a task status that is not in its table; the task continues. */
  unknownTaskStatus(provider: string, status: string, ids: RequestIds): void;
  /** A stored copy or a webhook delivery of a task failed. */
  jobFailed(job: FailedJob, cause: unknown, ids: RequestIds): void;
  /** Rows of an ended process were closed at the start. */
  recovered(rows: number): void;
  /** The limit on open files allows fewer requests than are configured. */
  descriptorLimit(maxConcurrentRequests: number): void;
  /** A local model server was found. */
  localServerFound(provider: string, baseUrl: string): void;
  /** A local model server no longer responds. */
  localServerLost(provider: string, baseUrl: string): void;
  /** Completed videos cannot be stored in the configured place. */
  resultsUnavailable(problem: string): void;
  /** An uncaught error: after an exception the process drains and ends, after a rejection it continues. */
  uncaughtError(kind: UncaughtKind, cause: unknown): void;
  /** A configuration that was read counts from now on; `changed` names what differs from the one before. */
  configurationApplied(changed: readonly string[]): void;
  /** A configuration that was read has these faults, and the one before stays. */
  configurationRefused(faults: readonly string[]): void;
  /** Settings were changed that count only after the next start. */
  restartNeeded(names: readonly string[]): void;
  /** A collector of traces or metrics fails, or with null answers again: once each. */
  telemetryExport(signal: string, failure: unknown): void;
  /** A background task failed. */
  backgroundTaskFailed(what: BackgroundTask, cause: unknown): void;
}

/** A client that disconnects is normal, and so is a revoked key; errors of the gateway are not. */
function levelOf(error: GatewayError): Level {
  if (error.kind === "internal_error") return "error";
  return isWithdrawn(error) ? "info" : "warn";
}

const failureOf = (error: GatewayError) => ({ code: error.code, cause: causeOf(error.cause ?? error) });
const shownOf = ({ operation, settlement }: SettledExchange) => {
  const { state, provider, upstreamModel: model, httpStatus, firstByteMs, durationMs } = settlement;
  return { operation, provider, model, state, httpStatus, firstByteMs, durationMs };
};
/** As many names as fit into a line that is read. */
const listed = (names: readonly string[]): string =>
  names.length > mostNames ? `${names.slice(0, mostNames).join(", ")}, …` : names.join(", ");
const mostNames = 20;
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

type ProviderEvent =
  | "taskCallFailed"
  | "upstreamChanged"
  | "candidateUnusable"
  | "candidateUsable"
  | "modelListFailed"
  | "unknownTaskStatus";

function providerEvents(log: Log, metrics: Metrics): Pick<Events, ProviderEvent> {
  return {
    taskCallFailed: (provider, model, error, ids) =>
      log.write("warn", "attempt_failed", { ...idsOf(ids), provider, model, ...failureOf(error) }),
    candidateUnusable: (candidate, error) =>
      log.write("error", "candidate_unusable", { ...candidate, ...failureOf(error) }),
    candidateUsable: (candidate) => log.write("info", "candidate_usable", { ...candidate }),
    upstreamChanged({ error, forMs, change, ...upstream }) {
      metrics.upstreamChanged(upstream.provider, change);
      const level = change === "recovered" ? "info" : "warn";
      const details = error === null ? {} : { forMs: Math.round(forMs), ...failureOf(error) };
      log.write(level, "upstream_changed", { change, ...upstream, ...details });
    },
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
    configurationApplied(changed) {
      metrics.configurationRead("applied");
      log.write("info", "configuration_applied", { changes: changed.length, changed: listed(changed) });
    },
    configurationRefused(faults) {
      metrics.configurationRead("refused");
      for (const fault of faults) log.write("error", "configuration_refused", { fault });
    },
    restartNeeded(names) {
      for (const name of names) log.write("warn", "needs_restart", { name });
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
    telemetryExport(signal, failure) {
      if (failure === null) log.write("info", "telemetry_export_recovered", { signal });
      else log.write("warn", "telemetry_export_failed", { signal, cause: causeOf(failure) });
    },
    backgroundTaskFailed(what, cause) {
      metrics.taskFailed(what);
      log.write("error", "background_task_failed", { what, cause: causeOf(cause) });
    },
  };
}
