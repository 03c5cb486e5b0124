// The policy of one request, read top to bottom: admit, route, record, attempt, settle.
import { toGatewayError } from "../../canonical/error.ts";
import type { Ask } from "../../canonical/operation.ts";
import { noUsage, type Usage } from "../../canonical/usage.ts";
import { approximateInput, inputBound } from "../../dialects/tokens/figures.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Watch } from "../../lib/deadline.ts";
import type { Provider } from "../../providers/provider.ts";
import type { DnsFor } from "../../providers/safe-fetch/resolver.ts";
import type { Events } from "../../telemetry/events.ts";
import { createAttemptLog } from "../attempts/attempt-log.ts";
import { attemptStream, attemptWhole, type Tries } from "../attempts/attempt-loop.ts";
import type { Ledger, LedgerOpening } from "../ledger/ledger.ts";
import type { Transcoder } from "../operations/audio-transcoder.ts";
import { attemptCount, type MissingCounters } from "../operations/token-count.ts";
import type { Caller } from "../policy/keys.ts";
import { checkPrompt, type GatewayLimits } from "../policy/prompt-limits.ts";
import type { Candidate, CatalogHolder } from "../routing/catalog.ts";
import { type Cooldowns, cooldownsFor } from "../routing/cooldowns.ts";
import type { Listings } from "../routing/model-lists.ts";
import type { PreferredDialects } from "../routing/preferred-dialects.ts";
import { type Plan, resolve, resolveUnnamed } from "../routing/resolve.ts";
import { type PipeEnd, type PipePace, type PipeWire, pipe } from "../streaming/client-stream.ts";
import type { Drains } from "../streaming/drains.ts";
import { createMeter, type Meter } from "../streaming/meter.ts";
import type { Admission, Lease } from "./admission.ts";
import { type Attribution, attributed, createExchange, type Exchange, type Outcome } from "./exchange.ts";
import type { Inquiry } from "./gateway-request.ts";
import { failedOutcome, repliedOutcome, streamedOutcome } from "./settlement.ts";
import { familyOf, type UsageEstimates } from "./usage-estimate.ts";

/** Everything the corridor works with; built once at the start. */
export interface GatewayParts {
  readonly catalog: CatalogHolder;
  readonly listings: Listings;
  readonly admission: Admission;
  readonly limits: GatewayLimits;
  /** Answers what no provider of a model can: counts of tokens. */
  readonly standIn: Provider;
  /** Providers that are not asked to count for a while. */
  readonly missingCounters: MissingCounters;
  /** Candidates that are asked last for a while. */
  readonly cooldowns: Cooldowns;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly events: Events;
  /** Looks at deadlines. */
  readonly watch: Watch;
  readonly pace: PipePace;
  readonly estimates: UsageEstimates;
  readonly drains: Drains;
  /** Null where there is no ffmpeg. */
  readonly transcoder: Transcoder | null;
  /** What the operator opens to the guarded fetcher. */
  readonly fetchAllow: readonly string[];
  /** Looks up the names in URLs for one key. */
  readonly dnsFor: DnsFor;
  readonly preferred: PreferredDialects;
  /** Makes record ids. */
  nextId(): string;
}

/** Who asks, on which connection. */
export interface Visit {
  readonly caller: Caller;
  /** Aborted when the client goes away. Making it costs, so it is asked for where it is needed, and late. */
  readonly signal: () => AbortSignal;
  /** Closes the client's connection, also while it takes nothing. Absent where nobody is connected. */
  readonly drop?: () => void;
  /** Monotonic time of arrival, in milliseconds. */
  readonly arrivedMs: number;
  /** The id that the client sees. */
  readonly requestId: string;
  readonly wire: PipeWire;
}

/** `by` is unknown for a stream that had to begin with heartbeats. */
export interface Reply {
  readonly body: Uint8Array | string | ReadableStream<Uint8Array>;
  /** Content-Type, where it is neither JSON nor events. */
  readonly type?: string;
  readonly by: Attribution | null;
  /** True: no provider reported the usage that is told. Not known of a stream, which has not ended. */
  readonly isEstimated?: boolean;
}

/** Answers one inquiry. Throws GatewayError for whatever must be told before the first byte. */
export async function answer(parts: GatewayParts, inquiry: Inquiry, visit: Visit): Promise<Reply> {
  const lease = parts.admission.admit(visit.caller.keyId);
  try {
    const { ask } = inquiry;
    if (ask.operation === "image") checkPrompt(ask.prompt, parts.limits);
    const plan = planFor(parts, ask);
    const { candidates } = plan;
    const exchange = await openExchange(parts, inquiry, candidates, visit, lease);
    const { clock, watch, fetchAllow, preferred, limits, estimates, transcoder } = parts;
    const log = createAttemptLog(clock.monotonicMs);
    const tries: Tries = {
      candidates,
      inquiry,
      signal: visit.signal,
      clock,
      watch,
      events: exchange.events,
      fetchAllow,
      dns: parts.dnsFor(visit.caller.keyId),
      limits,
      log,
      estimates,
      transcoder,
      preferred,
      cooldowns: cooldownsFor(plan.found, parts.cooldowns),
    };
    try {
      return await (ask.stream ? streamed(parts, tries, exchange, visit) : whole(parts, tries, exchange));
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
function planFor({ catalog, listings, standIn }: GatewayParts, ask: Ask): Plan {
  if ("unnamed" in ask && ask.unnamed) return resolveUnnamed(catalog.current(), listings.now, ask.model, ask.operation);
  return resolve(catalog.current(), listings.now, ask.model, ask.operation, standIn);
}

/** The row stands in the ledger before anything is sent to a provider. */
function openExchange(
  parts: GatewayParts,
  { ask, dialect, input }: Inquiry,
  candidates: readonly Candidate[],
  visit: Visit,
  lease: Lease,
): Promise<Exchange> {
  const id = parts.nextId();
  const families = candidates.map(familyOf);
  const opening: LedgerOpening = {
    id,
    atMs: parts.clock.nowMs(),
    requestId: visit.requestId,
    keyId: visit.caller.keyId,
    operation: ask.operation,
    dialect: dialect.name,
    model: ask.model,
    stream: ask.stream,
    // Counting is free.
    inputTokens: ask.operation === "count" ? 0 : approximateInput(input, families[0]),
    inputBound: inputBound(input, families),
  };
  return parts.ledger
    .open(opening)
    .then((entry) =>
      createExchange(
        id,
        entry,
        lease,
        parts.clock,
        visit.arrivedMs,
        parts.events.of({ id, requestId: visit.requestId }),
      ),
    );
}

async function whole(parts: GatewayParts, tries: Tries, exchange: Exchange): Promise<Reply> {
  const isCount = tries.inquiry.ask.operation === "count";
  const tried = await (isCount ? attemptCount(tries, parts.standIn, parts.missingCounters) : attemptWhole(tries));
  if ("failure" in tried) {
    await exchange.settle(await failedOutcome(tries, tried.by, tried.failure));
    throw attributed(tried.failure, tried.by);
  }
  exchange.firstByte();
  const { body, type, usage } = tried.value;
  await exchange.settle(await repliedOutcome(tries, tried.by, usage));
  const isEstimated = usage?.estimated === true || tried.by.candidate.provider === parts.standIn;
  return { body, by: tried.by, isEstimated, ...(type === undefined ? {} : { type }) };
}

async function streamed(parts: GatewayParts, tries: Tries, exchange: Exchange, visit: Visit): Promise<Reply> {
  let meter: Meter | null = null;
  const { inquiry } = tries;
  const stream = attemptStream(tries, (candidate) => {
    const family = familyOf(candidate);
    const inputTokens = approximateInput(inquiry.input, family);
    meter = createMeter({ ...noUsage, inputTokens, estimated: true }, family);
    return meter;
  });
  const usage = (): Usage => meter?.approximate() ?? noUsage;
  // Bytes that are no events have a type to be told before them, and no place for a heartbeat.
  const early = tries.inquiry.dialect.sound
    ? await stream
    : await within(stream, parts.pace.heartbeatMs, { ticker: parts.pace.ticker, clock: parts.clock });
  if (early !== null && "failure" in early) {
    await exchange.settle(await failedOutcome(tries, early.by, early.failure));
    throw attributed(early.failure, early.by);
  }
  const { wire } = visit;
  const signal = visit.signal();
  const overdue = early === null;
  const outcome = ({ by, error, opened }: PipeEnd): Promise<Outcome> =>
    opened && by !== null && meter !== null
      ? streamedOutcome(tries, by, meter, error)
      : failedOutcome(tries, by, error ?? toGatewayError(new Error("the stream never began")));
  const { pace, drains } = parts;
  const { drop = (): void => undefined } = visit;
  const body = pipe({ stream, exchange, wire, signal, drop, usage, outcome, drains, pace, overdue });
  const type = early?.value.type ?? null;
  return { body, by: early?.by ?? null, ...(type === null ? {} : { type }) };
}

/** The value if it comes in time, else null; the promise goes on. */
function within<T>(promise: Promise<T>, timeoutMs: number, { ticker, clock }: Watch): Promise<T | null> {
  const dueMs = clock.monotonicMs() + timeoutMs;
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (clock.monotonicMs() >= dueMs) resolve(null);
    };
    ticker.join(look);
    promise.then(resolve, reject).finally(() => ticker.leave(look));
  });
}
