// Counts requests: events.ts calls this once for each event.
import type { ErrorKind } from "../canonical/error.ts";
import { type TokenBucket, tokenBuckets, type Usage } from "../canonical/usage.ts";
import type { Warning } from "../canonical/warning.ts";
import { metricFamilies as families } from "./metric-families.ts";
import type { Counter, DollarCounter, Histogram, Registry } from "./registry.ts";

/** The parts of a settlement that are counted. */
interface Settlement {
  readonly state: string;
  readonly httpStatus: number;
  /** Null without an attempt. */
  readonly provider: string | null;
  readonly upstreamModel: string | null;
  readonly usage: Usage;
  /** False if the usage is only what failed attempts may have cost. */
  readonly charged: boolean;
  readonly costNanoDollars: bigint | null;
  readonly priceNanoDollars: bigint | null;
  readonly firstByteMs: number | null;
  readonly durationMs: number;
  /** Of src/canonical/timings.ts; null where they were not measured. */
  readonly timings?: string | null;
}

/** A settled exchange. */
export interface SettledExchange {
  readonly operation: string;
  readonly settlement: Settlement;
  readonly warnings: readonly Warning[];
  readonly isStream: boolean;
  /** The gateway's own time; null if it was not measured. */
  readonly overheadMs: number | null;
}

export interface Metrics {
  exchangeSettled(exchange: SettledExchange): void;
  streamStarted(): void;
  attempt(provider: string, model: string, reason: "answered" | ErrorKind): void;
  upstreamChanged(provider: string, change: string): void;
  errorResponse(kind: ErrorKind): void;
  taskFailed(task: string): void;
  modelListFailed(provider: string): void;
  configurationRead(result: "applied" | "refused"): void;
}

/** The counters of one model at one provider, for one operation. */
interface ModelSeries {
  readonly labels: readonly string[];
  /** By state, then by class of status. */
  readonly requests: Map<string, (Counter | undefined)[]>;
  readonly duration: Histogram;
  readonly tokens: (Counter | undefined)[];
  readonly cost: DollarCounter;
  readonly price: DollarCounter;
  firstToken: Histogram | undefined;
  unpriced: Counter | undefined;
}

/** Of one operation: its models by provider, and its overhead. */
interface OperationSeries {
  readonly providers: Map<string, Map<string, ModelSeries>>;
  readonly overhead: Histogram;
}

/** Models with their own names in labels; more would make a scrape too long. */
export const maxNamedModels = 200;
const otherModel = "other";
const none = "none";
const zero = 0n;

/** Tasks whose failures are counted from 0, because an increase from a missing series is not visible. */
const taskNames = ["alerts", "probes", "idempotency", "ledger", "keys", "responses", "videos", "webhook", "copy"];

/** One function each: reading a member by a variable name takes ten times as long. */
const amounts: { readonly [bucket in TokenBucket]: (usage: Usage) => number | undefined } = {
  inputTokens: (usage) => usage.inputTokens,
  cacheReadTokens: (usage) => usage.cacheReadTokens,
  cacheWriteTokens: (usage) => usage.cacheWriteTokens,
  cacheWrite1hTokens: (usage) => usage.cacheWrite1hTokens,
  audioInputTokens: (usage) => usage.audioInputTokens,
  imageInputTokens: (usage) => usage.imageInputTokens,
  outputTokens: (usage) => usage.outputTokens,
  reasoningTokens: (usage) => usage.reasoningTokens,
  audioOutputTokens: (usage) => usage.audioOutputTokens,
  imageOutputTokens: (usage) => usage.imageOutputTokens,
};

const bucketLabel = (bucket: string): string =>
  bucket.replace(/Tokens$/, "").replace(/[A-Z]|\d+/g, (part) => `_${part.toLowerCase()}`);

const buckets = tokenBuckets.map((bucket) => ({ label: bucketLabel(bucket), amountOf: amounts[bucket] }));

/** Whether the operator has configured a model, or its provider lists it. */
type IsKnownModel = (provider: string, model: string) => boolean;

/**
 * The model as a label. Names from clients are unbounded: a model gets its own name once it has answered, or if it is
 * known, and only up to the maximum.
 */
export function modelLabels(isKnown: IsKnownModel) {
  const named = new Map<string, Set<string>>();
  let count = 0;
  return (provider: string, model: string, hasAnswered: boolean): string => {
    const models = named.get(provider);
    if (models?.has(model)) return model;
    if (count >= maxNamedModels || !(hasAnswered || isKnown(provider, model))) return otherModel;
    count++;
    if (models === undefined) named.set(provider, new Set([model]));
    else models.add(model);
    return model;
  };
}

const statusClasses = ["0xx", "1xx", "2xx", "3xx", "4xx", "5xx"];

function inner<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}

/** Counts into `registry`. */
export function createMetrics(registry: Registry, isKnown: IsKnownModel): Metrics {
  const operations = new Map<string, OperationSeries>();
  const attempts = new Map<string, Map<string, Map<string, Counter>>>();
  const labelOf = modelLabels(isKnown);
  let openStreams = 0;
  registry.reading(families.openStreams, () => openStreams);
  const task = (name: string): Counter => registry.counter(families.taskFailures, [name]);
  for (const name of taskNames) task(name);
  registry.counter(families.errors, ["internal_error"]);
  for (const result of ["applied", "refused"]) registry.counter(families.configurationReads, [result]);

  const ofOperation = (operation: string): OperationSeries =>
    inner(operations, operation, () => ({
      providers: new Map(),
      overhead: registry.histogram(families.overhead, [operation]),
    }));
  const ofModel = ({ providers }: OperationSeries, operation: string, provider: string, model: string): ModelSeries =>
    inner(
      inner(providers, provider, () => new Map()),
      model,
      () => seriesOf(registry, [operation, provider, model]),
    );
  return {
    exchangeSettled({ operation, settlement, warnings, isStream, overheadMs }) {
      const { state, upstreamModel } = settlement;
      const provider = settlement.provider ?? none;
      const model = upstreamModel === null ? none : labelOf(provider, upstreamModel, state === "completed");
      const series = ofOperation(operation);
      record(registry, ofModel(series, operation, provider, model), settlement, isStream);
      if (overheadMs !== null) series.overhead.observe(Math.max(0, overheadMs) / 1_000);
      for (const { code } of warnings) registry.counter(families.warnings, [code]).add(1);
      if (!isStream) return;
      openStreams--;
      registry.counter(families.streams, [state]).add(1);
    },
    streamStarted() {
      openStreams++;
    },
    attempt(provider, model, reason) {
      const label = labelOf(provider, model, reason === "answered");
      const ofProvider = inner(attempts, provider, () => new Map());
      const reasons: Map<string, Counter> = inner(ofProvider, label, () => new Map());
      inner(reasons, reason, () => registry.counter(families.attempts, [provider, label, reason])).add(1);
    },
    upstreamChanged: (provider, change) => registry.counter(families.upstreamChanges, [provider, change]).add(1),
    errorResponse: (kind) => registry.counter(families.errors, [kind]).add(1),
    taskFailed: (name) => task(name).add(1),
    configurationRead: (result) => registry.counter(families.configurationReads, [result]).add(1),
    modelListFailed: (provider) => registry.counter(families.modelListFailures, [provider]).add(1),
  };
}

const seriesOf = (registry: Registry, labels: readonly string[]): ModelSeries => ({
  labels,
  requests: new Map(),
  duration: registry.histogram(families.duration, labels),
  tokens: [],
  cost: registry.dollars(families.cost, labels),
  price: registry.dollars(families.price, labels),
  firstToken: undefined,
  unpriced: undefined,
});

function record(registry: Registry, series: ModelSeries, settlement: Settlement, isStream: boolean): void {
  const { state, httpStatus, firstByteMs, durationMs } = settlement;
  requestCounter(registry, series, httpStatus, state).add(1);
  series.duration.observe(durationMs / 1_000);
  if (isStream && firstByteMs !== null) {
    series.firstToken ??= registry.histogram(families.timeToFirstToken, series.labels);
    series.firstToken.observe(firstByteMs / 1_000);
  }
  if (settlement.charged) charge(registry, series, settlement);
}

function requestCounter(registry: Registry, { requests, labels }: ModelSeries, status: number, state: string): Counter {
  const ofState = inner(requests, state, () => []);
  const at = Math.min(5, Math.trunc(status / 100));
  ofState[at] ??= registry.counter(families.requests, [...labels, statusClasses[at] ?? "5xx", state]);
  return ofState[at];
}

/** What callers are charged, as `turnpike usage` sums it. */
function charge(registry: Registry, series: ModelSeries, settlement: Settlement): void {
  const { usage, costNanoDollars, priceNanoDollars } = settlement;
  for (let at = 0; at < buckets.length; at++) {
    const amount = buckets[at]?.amountOf(usage) ?? 0;
    if (amount === 0) continue;
    series.tokens[at] ??= registry.counter(families.tokens, [...series.labels, buckets[at]?.label ?? ""]);
    series.tokens[at]?.add(amount);
  }
  if (costNanoDollars === null) {
    if (hasUsage(usage)) {
      series.unpriced ??= registry.counter(families.unpriced, series.labels);
      series.unpriced.add(1);
    }
  } else if (costNanoDollars !== zero) series.cost.add(costNanoDollars);
  if (priceNanoDollars !== null && priceNanoDollars !== zero) series.price.add(priceNanoDollars);
}

const hasUsage = (usage: Usage): boolean =>
  usage.units !== undefined || buckets.some(({ amountOf }) => (amountOf(usage) ?? 0) > 0);
