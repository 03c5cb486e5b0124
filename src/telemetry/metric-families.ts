// Every metric of the gateway: its name, its labels and its meaning. docs/metrics.md is generated from this table.
import type { MetricFamily } from "./registry.ts";

const byModel = ["operation", "provider", "model"] as const;

const counter = (name: string, help: string, labels: readonly string[] = []): MetricFamily => ({
  name: `turnpike_${name}_total`,
  type: "counter",
  help,
  labels,
});

const gauge = (name: string, help: string, labels: readonly string[] = []): MetricFamily => ({
  name,
  type: "gauge",
  help,
  labels,
});

const histogram = (name: string, help: string, labels: readonly string[], bounds: readonly number[]): MetricFamily => ({
  name: `turnpike_${name}_seconds`,
  type: "histogram",
  help,
  labels,
  bounds,
});

/** Labels: `model` is the provider's own name of the model, or `other` (see docs/observability.md). */
export const metricFamilies = {
  requests: counter("requests", "Requests that were admitted and have ended.", [...byModel, "status", "state"]),
  duration: histogram(
    "request_duration",
    "Time from the arrival of a request to its end; of a video, to the end of its task.",
    byModel,
    [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600],
  ),
  timeToFirstToken: histogram(
    "time_to_first_token",
    "Time from the arrival of a streamed request to the first event of its response.",
    byModel,
    [0.05, 0.1, 0.25, 0.5, 0.75, 1, 2, 3, 5, 10, 20, 30, 60],
  ),
  overhead: histogram(
    "overhead_duration",
    "Time that the gateway itself took until the response was ready or its stream began: without the time in which it waited for the client's body and for providers.",
    ["operation"],
    [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1],
  ),
  tokens: counter("tokens", "Tokens that callers are charged for. No token is in two buckets.", [...byModel, "bucket"]),
  cost: counter("cost_dollars", "What providers bill for charged requests.", byModel),
  price: counter("price_dollars", "What callers pay.", byModel),
  unpriced: counter("unpriced_requests", "Charged requests whose cost is not known.", byModel),
  attempts: counter("attempts", "Attempts by their result: `answered`, or the kind of the error.", [
    "provider",
    "model",
    "reason",
  ]),
  upstreamChanges: counter(
    "upstream_changes",
    "Changes in the health of upstreams: `breaker_opened`, `recovered` or `rate_limited`.",
    ["provider", "change"],
  ),
  upstreamState: gauge(
    "turnpike_upstream_state",
    "1 for the present state of a provider's credential, 0 for its other states: `available`, `rate_limited`, `breaker_open` or `half_open`.",
    ["provider", "credential", "state"],
  ),
  upstreamInFlight: gauge("turnpike_upstream_requests_in_flight", "Requests in progress at a provider.", [
    ...["provider", "credential"],
  ]),
  upstreamErrorRatio: gauge(
    "turnpike_upstream_error_ratio",
    "Share of the attempts of the last one to two minutes that failed; 0 without any.",
    ["provider", "credential"],
  ),
  modelsSetAside: gauge(
    "turnpike_upstream_models_set_aside",
    "Models of routes that are avoided because the provider does not have them or refuses the credential for them.",
    ["provider", "credential"],
  ),
  warnings: counter("warnings", "Fields that a translation changed, by what became of them.", ["code"]),
  errors: counter("error_responses", "Requests that were answered with an error, by its kind.", ["kind"]),
  streams: counter("streams", "Streams that have ended.", ["state"]),
  openStreams: gauge("turnpike_open_streams", "Streams in progress."),
  inFlight: gauge("turnpike_requests_in_flight", "Requests in progress, streams included."),
  waiting: gauge("turnpike_waiting_requests", "Requests that wait for their admission."),
  ledgerQueue: gauge("turnpike_ledger_queue_rows", "Rows of the ledger that wait to be committed."),
  taskFailures: counter("background_task_failures", "Failures of work that no request waits for.", ["task"]),
  configurationReads: counter(
    "configuration_reads",
    "Times that the configuration was read again, by what became of it.",
    ["result"],
  ),
  configurationFaults: gauge(
    "turnpike_configuration_faults",
    "Faults of the configuration as it was read last; the last good one is in effect while there are any.",
  ),
  configurationLoaded: gauge(
    "turnpike_configuration_loaded_timestamp_seconds",
    "When the configuration in effect was loaded, in Unix time.",
  ),
  modelListFailures: counter("model_list_failures", "Lists of models that could not be read.", ["provider"]),
  eventLoopDelay: {
    name: "turnpike_event_loop_delay_seconds",
    type: "summary",
    help: "How late the event loop was, in the last minute. The quantile 1 is the longest delay.",
    labels: [],
  },
  uptime: gauge("turnpike_uptime_seconds", "Time since the gateway was started."),
  build: gauge("turnpike_build_info", "Always 1; the labels name the version.", ["version", "runtime"]),
  memory: gauge("process_resident_memory_bytes", "Resident memory of the process."),
  heap: gauge("turnpike_heap_bytes", "Memory that values of the program take."),
  processorTime: {
    name: "process_cpu_seconds_total",
    type: "counter",
    help: "Processor time of the process, user and system.",
    labels: [],
  },
  startTime: gauge("process_start_time_seconds", "When the process was started, in Unix time."),
} as const satisfies Readonly<Record<string, MetricFamily>>;
