// The policy of one request, read top to bottom: admit, route, record, attempt, settle.
import { toGatewayError } from "../../canonical/error.ts";
import type { OperationRequest } from "../../canonical/operation.ts";
import { type Usage, zeroUsage } from "../../canonical/usage.ts";
import { approximateInput, inputBound } from "../../dialects/tokens/figures.ts";
import type { Clock } from "../../lib/clock.ts";
import type { DeadlineClock } from "../../lib/deadline.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Provider } from "../../providers/provider.ts";
import type { DnsFor } from "../../providers/safe-fetch/resolver.ts";
import type { Events } from "../../telemetry/events.ts";
import { createAttemptLog } from "../attempts/attempt-log.ts";
import { type AttemptContext, attemptStream, attemptWhole } from "../attempts/attempt-loop.ts";
import type { Ledger, LedgerOpening } from "../ledger/ledger.ts";
import type { AudioTranscoder } from "../operations/audio-transcoder.ts";
import { attemptCount, type MissingCounters } from "../operations/token-count.ts";
import type { Caller } from "../policy/keys.ts";
import { checkPrompt, type GatewayLimits } from "../policy/prompt-limits.ts";
import type { Candidate, CatalogHolder } from "../routing/catalog.ts";
import { type Cooldowns, cooldownsFor } from "../routing/cooldowns.ts";
import type { ModelLists } from "../routing/model-lists.ts";
import type { PreferredDialects } from "../routing/preferred-dialects.ts";
import { type Plan, resolve, resolveUnnamed } from "../routing/resolve.ts";
import {
  type ClientStreamEnd,
  clientStream,
  type StreamEncoder,
  type StreamTimers,
} from "../streaming/client-stream.ts";
import type { Drains } from "../streaming/drains.ts";
import { createMeter, type Meter } from "../streaming/meter.ts";
import type { Admission, Lease } from "./admission.ts";
import { createExchange, type Exchange, type ExchangeOutcome, type ServedBy, withServedBy } from "./exchange.ts";
import type { GatewayRequest } from "./gateway-request.ts";
import { failedOutcome, repliedOutcome, streamedOutcome } from "./settlement.ts";
import { familyOf, type UsageEstimates } from "./usage-estimate.ts";

/** Everything the corridor works with; built once at the start. */
export interface GatewayDependencies {
  readonly catalog: CatalogHolder;
  readonly listings: ModelLists;
  readonly admission: Admission;
  readonly limits: GatewayLimits;
  /** Answers what no provider of a model can: counts of tokens. */
  readonly fallbackProvider: Provider;
  /** Providers that are not asked to count for a while. */
  readonly missingCounters: MissingCounters;
  /** Candidates that are asked last for a while. */
  readonly cooldowns: Cooldowns;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly events: Events;
  /** Looks at deadlines. */
  readonly deadlines: DeadlineClock;
  readonly streamTimers: StreamTimers;
  readonly estimates: UsageEstimates;
  readonly drains: Drains;
  /** Null where there is no ffmpeg. */
  readonly transcoder: AudioTranscoder | null;
  /** What the operator opens to the guarded fetcher. */
  readonly fetchAllow: readonly string[];
  /** Looks up the names in URLs for one key. */
  readonly dnsFor: DnsFor;
  readonly preferred: PreferredDialects;
  /** Makes record ids. */
  nextId(): string;
}

/** Who asks, on which connection. */
export interface RequestContext {
  readonly caller: Caller;
  /** Aborted when the client goes away. Making it costs, so it is asked for where it is needed, and late. */
  readonly signal: () => AbortSignal;
  /** Closes the client's connection, also while it takes nothing. Absent where nobody is connected. */
  readonly drop?: () => void;
  /** Monotonic time of arrival, in milliseconds. */
  readonly arrivedMs: number;
  /** The id that the client sees. */
  readonly requestId: string;
  readonly encoder: StreamEncoder;
}

/** `by` is unknown for a stream that had to begin with heartbeats. */
export interface GatewayReply {
  readonly body: Uint8Array | string | ReadableStream<Uint8Array>;
  /** In place of a body where the reply is stored first. */
  readonly json?: JsonObject;
  /** Content-Type, where it is neither JSON nor events. */
  readonly type?: string;
  readonly by: ServedBy | null;
  /** True: no provider reported the usage that is told. Not known of a stream, which has not ended. */
  readonly isEstimated?: boolean;
}

/** Answers one inquiry. Throws GatewayError for whatever must be told before the first byte. */
export async function runRequest(
  dependencies: GatewayDependencies,
  gatewayRequest: GatewayRequest,
  context: RequestContext,
): Promise<GatewayReply> {
  const lease = dependencies.admission.admit(context.caller.keyId);
  try {
    const { request } = gatewayRequest;
    if (request.operation === "image") checkPrompt(request.prompt, dependencies.limits);
    const plan = planFor(dependencies, request);
    const { candidates } = plan;
    const exchange = await openExchange(dependencies, gatewayRequest, candidates, context, lease);
    const { clock, deadlines, fetchAllow, preferred, limits, estimates, transcoder } = dependencies;
    const log = createAttemptLog(clock.monotonicMs);
    const tries: AttemptContext = {
      candidates,
      inquiry: gatewayRequest,
      signal: context.signal,
      clock,
      watch: deadlines,
      events: exchange.events,
      fetchAllow,
      dns: dependencies.dnsFor(context.caller.keyId),
      limits,
      log,
      estimates,
      transcoder,
      preferred,
      cooldowns: cooldownsFor(plan.found, dependencies.cooldowns),
    };
    try {
      return await (request.stream
        ? streamed(dependencies, tries, exchange, context)
        : whole(dependencies, tries, exchange));
    } catch (thrown) {
      await exchange.settle(await failedOutcome(tries, null, toGatewayError(thrown)));
      throw thrown;
    }
  } catch (thrown) {
    lease.release();
    throw thrown;
  }
}

/** Who may be asked, in order. */
function planFor({ catalog, listings, fallbackProvider }: GatewayDependencies, request: OperationRequest): Plan {
  if ("unnamed" in request && request.unnamed)
    return resolveUnnamed(catalog.current(), listings.now, request.model, request.operation);
  return resolve(catalog.current(), listings.now, request.model, request.operation, fallbackProvider);
}

/** The row stands in the ledger before anything is sent to a provider. */
function openExchange(
  dependencies: GatewayDependencies,
  { request, dialect, input }: GatewayRequest,
  candidates: readonly Candidate[],
  context: RequestContext,
  lease: Lease,
): Promise<Exchange> {
  const id = dependencies.nextId();
  const families = candidates.map(familyOf);
  const opening: LedgerOpening = {
    id,
    atMs: dependencies.clock.nowMs(),
    requestId: context.requestId,
    keyId: context.caller.keyId,
    operation: request.operation,
    dialect: dialect.name,
    model: request.model,
    stream: request.stream,
    // Counting is free.
    inputTokens: request.operation === "count" ? 0 : approximateInput(input, families[0]),
    inputBound: inputBound(input, families),
  };
  return dependencies.ledger
    .open(opening)
    .then((entry) =>
      createExchange(
        id,
        entry,
        lease,
        dependencies.clock,
        context.arrivedMs,
        dependencies.events.of({ id, requestId: context.requestId }),
      ),
    );
}

async function whole(
  dependencies: GatewayDependencies,
  context: AttemptContext,
  exchange: Exchange,
): Promise<GatewayReply> {
  const isCount = context.inquiry.request.operation === "count";
  const tried = await (isCount
    ? attemptCount(context, dependencies.fallbackProvider, dependencies.missingCounters)
    : attemptWhole(context));
  if ("failure" in tried) {
    await exchange.settle(await failedOutcome(context, tried.by, tried.failure));
    throw withServedBy(tried.failure, tried.by);
  }
  exchange.firstByte();
  const { body, json, type, usage } = tried.value;
  await exchange.settle(await repliedOutcome(context, tried.by, usage));
  const isEstimated = usage?.estimated === true || tried.by.candidate.provider === dependencies.fallbackProvider;
  return { body, by: tried.by, isEstimated, ...(json && { json }), ...(type === undefined ? {} : { type }) };
}

async function streamed(
  dependencies: GatewayDependencies,
  context: AttemptContext,
  exchange: Exchange,
  requestContext: RequestContext,
): Promise<GatewayReply> {
  let meter: Meter | null = null;
  const { inquiry } = context;
  const stream = attemptStream(context, (candidate) => {
    const family = familyOf(candidate);
    const inputTokens = approximateInput(inquiry.input, family);
    meter = createMeter({ ...zeroUsage, inputTokens, estimated: true }, family);
    return meter;
  });
  const usage = (): Usage => meter?.approximate() ?? zeroUsage;
  // Bytes that are no events have a type to be told before them, and no place for a heartbeat.
  const early = context.inquiry.dialect.audio
    ? await stream
    : await within(stream, dependencies.streamTimers.heartbeatMs, {
        ticker: dependencies.streamTimers.ticker,
        clock: dependencies.clock,
      });
  if (early !== null && "failure" in early) {
    await exchange.settle(await failedOutcome(context, early.by, early.failure));
    throw withServedBy(early.failure, early.by);
  }
  const { encoder } = requestContext;
  const signal = requestContext.signal();
  const overdue = early === null;
  const outcome = ({ by, error, opened }: ClientStreamEnd): Promise<ExchangeOutcome> =>
    opened && by !== null && meter !== null
      ? streamedOutcome(context, by, meter, error)
      : failedOutcome(context, by, error ?? toGatewayError(new Error("the stream never began")));
  const { streamTimers, drains } = dependencies;
  const { drop = (): void => undefined } = requestContext;
  const body = clientStream({
    stream,
    exchange,
    wire: encoder,
    signal,
    drop,
    usage,
    outcome,
    drains,
    pace: streamTimers,
    overdue,
  });
  const type = early?.value.type ?? null;
  return { body, by: early?.by ?? null, ...(type === null ? {} : { type }) };
}

/** The value if it comes in time, else null; the promise goes on. */
function within<T>(promise: Promise<T>, timeoutMs: number, { ticker, clock }: DeadlineClock): Promise<T | null> {
  const dueMs = clock.monotonicMs() + timeoutMs;
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (clock.monotonicMs() >= dueMs) resolve(null);
    };
    ticker.subscribe(look);
    promise.then(resolve, reject).finally(() => ticker.unsubscribe(look));
  });
}
