// Trying candidates in order until one works: what may be tried again, and how often.
import { GatewayError, toGatewayError } from "../../canonical/error.ts";
import type { Warning } from "../../canonical/warning.ts";
import type { Dialect, UpstreamRequest } from "../../dialects/dialect.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Deadline, type DeadlineClock, deadline } from "../../lib/deadline.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import { originOf } from "../../providers/provider.ts";
import { safeError } from "../../providers/redaction.ts";
import type { Events } from "../../telemetry/events.ts";
import type { AudioTranscoder } from "../operations/audio-transcoder.ts";
import { type FetchContext, needsBytes, withBytes } from "../operations/image-transfer.ts";
import { readOrAgain } from "../operations/moderation-batches.ts";
import { voicesOf } from "../operations/voice-lists.ts";
import { declaredVoices } from "../operations/voice-mapping.ts";
import type { ServedBy } from "../pipeline/exchange.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import type { UsageEstimates } from "../pipeline/usage-estimate.ts";
import type { GatewayLimits } from "../policy/prompt-limits.ts";
import type { Candidate } from "../routing/catalog.ts";
import { type Cooldowns, needsOperator } from "../routing/cooldowns.ts";
import { inClientsName } from "../routing/model-names.ts";
import type { PreferredDialects } from "../routing/preferred-dialects.ts";
import {
  type BufferedResponse,
  bufferedResponse,
  mergedResponse,
  type ReadResponse,
} from "../streaming/buffered-response.ts";
import type { Meter } from "../streaming/meter.ts";
import type { Chunk } from "../streaming/transcoder.ts";
import { firstOf, type UpstreamStream } from "../streaming/upstream-stream.ts";
import type { AttemptLog } from "./attempt-log.ts";
import { type Way, waysAfter, waysTo } from "./dialect-order.ts";
import { ignoredFields } from "./ignored-fields.ts";
import { addressesIn, checkAddresses } from "./media-addresses.ts";
import { counted, readCall, upstreamStreamOf } from "./open-stream.ts";
import { planUpstream, refuseWhenStrict, type SpeechMeans, type UpstreamPlan } from "./upstream-plan.ts";

const maxAttempts = 3;
/** Calls of one request that are under way at once. */
const parallelCalls = 8;

/** What every try needs. */
export interface AttemptContext extends FetchContext {
  readonly candidates: readonly Candidate[];
  readonly inquiry: GatewayRequest;
  /** The client's: aborted when it goes away. */
  readonly signal: () => AbortSignal;
  readonly clock: Clock;
  readonly watch: DeadlineClock;
  readonly events: Events;
  readonly limits: Pick<GatewayLimits, "voiceListMs">;
  readonly log: AttemptLog;
  readonly estimates: UsageEstimates;
  readonly transcoder: AudioTranscoder | null;
  readonly preferred: PreferredDialects;
  readonly cooldowns: Cooldowns;
}

/** A stream that has begun: its first piece is already here. */
export interface OpenStream {
  readonly first: Chunk;
  readonly flow: UpstreamStream;
  readonly life: Deadline;
  readonly idleMs: number;
  readonly verbatim: boolean;
  /** Content-Type; null for events. */
  readonly type: string | null;
}

/** What came of all the tries: a value and who gave it, or the failure that speaks for the request and who was asked last. */
export type AttemptResult<T> =
  | { readonly value: T; readonly by: ServedBy }
  | { readonly failure: GatewayError; readonly by: ServedBy | null };

const gone = (): GatewayError => new GatewayError("client_closed", "The client closed the connection.");
const tooSlow = (): GatewayError => new GatewayError("upstream_timeout", "The provider did not respond in time.");

/** Failures speak for the whole request in this order: the last one that is neither a rate limit nor for the operator to mend, a rate limit, whatever came last. */
function verdict(failures: readonly GatewayError[]): GatewayError {
  const forCaller = failures.filter((failure) => !needsOperator(failure));
  const last = forCaller.findLast((failure) => failure.kind !== "upstream_rate_limited") ?? forCaller.at(-1);
  const none = () => new GatewayError("no_provider_available", "No provider is available for this model.");
  return last ?? failures.at(-1) ?? none();
}

/** The way to one candidate in one dialect, or why there is none. */
function laneTo(
  gatewayRequest: GatewayRequest,
  candidate: Candidate,
  upstream: Dialect,
  means?: SpeechMeans,
): UpstreamPlan | GatewayError {
  try {
    return planUpstream(gatewayRequest, candidate, upstream, means);
  } catch (thrown) {
    return toGatewayError(thrown);
  }
}

/** The voices of the candidate's account, where somebody wants one of them by a name that is not its id. */
async function listedVoices({ inquiry, clock, limits, events }: AttemptContext, candidate: Candidate) {
  const { request } = inquiry;
  if (request.operation !== "speak" || request.ownVoice || Object.hasOwn(declaredVoices(candidate), request.voice))
    return undefined;
  return voicesOf(candidate.provider, { clock, timeoutMs: limits.voiceListMs, failed: events.listingFailed });
}

/** The same for an upstream that wants bytes where the client gave addresses. */
async function laneWithBytes(
  context: AttemptContext,
  candidate: Candidate,
  upstream: Dialect,
): Promise<UpstreamPlan | GatewayError> {
  try {
    return laneTo(await withBytes(context.inquiry, context, context.signal()), candidate, upstream);
  } catch (thrown) {
    return context.signal().aborted ? gone() : toGatewayError(thrown);
  }
}

/** The server has no such path, or no such model on it, which says nothing about the request: the next candidate is another server. */
const isUnknownThere = (failure: GatewayError): boolean =>
  failure.kind === "upstream_rejected" && (failure.status === 404 || failure.status === 405);

type TryOne<T> = (plan: UpstreamPlan, candidate: Candidate) => Promise<T>;

/** What has been tried so far for one request. */
interface AttemptState<T> {
  readonly failures: GatewayError[];
  /** The first reason why something could not be said. */
  unsaid: GatewayError | null;
  by: ServedBy | null;
  attempts: number;
  value: { readonly got: T } | null;
}

/** Why an address that the client names must not go to this candidate; null where all may. */
async function refusedAddress(context: AttemptContext, { provider }: Candidate): Promise<GatewayError | null> {
  const addresses = addressesIn(context.inquiry.request);
  if (addresses.length === 0) return null;
  try {
    await checkAddresses(addresses, provider, context);
    return null;
  } catch (thrown) {
    return context.signal().aborted ? gone() : toGatewayError(thrown);
  }
}

/** The way of one request to a candidate, in one dialect. */
async function laneOf(
  context: AttemptContext,
  candidate: Candidate,
  { upstream, inquiry }: Way,
): Promise<UpstreamPlan | GatewayError> {
  const refused = await refusedAddress(context, candidate);
  if (refused !== null) return refused;
  return needsBytes(inquiry, upstream)
    ? laneWithBytes({ ...context, inquiry }, candidate, upstream)
    : laneTo(inquiry, candidate, upstream, {
        listedVoices: await listedVoices(context, candidate),
        transcodes: context.transcoder !== null,
      });
}

/** Asks one candidate, and once more for every remedy that a refusal of it names. False when nobody else may be asked. */
async function askCandidate<T>(
  context: AttemptContext,
  candidate: Candidate,
  trail: AttemptState<T>,
  tryOne: TryOne<T>,
): Promise<boolean> {
  let refusal: GatewayError | null = null;
  let ways = waysTo(context.inquiry, candidate, context.preferred);
  for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
    const lane = await laneOf(context, candidate, way);
    if (lane instanceof GatewayError) {
      trail.unsaid ??= lane;
      continue;
    }
    trail.by = {
      candidate,
      attempts: ++trail.attempts,
      warnings: lane.warnings,
      requestedModel: context.inquiry.request.model,
    };
    context.log.begin(candidate);
    try {
      trail.value = { got: await tryOne(lane, candidate) };
      if (refusal !== null) context.preferred.remember(candidate, context.inquiry.request, way.upstream);
      context.cooldowns.answered(candidate);
      return false;
    } catch (thrown) {
      const asked = context.inquiry.request.model;
      const shown = inClientsName(safeError(thrown, candidate.provider), candidate.model, asked);
      const failure = context.signal().aborted ? gone() : shown;
      context.log.failed(failure);
      context.events.attemptFailed(candidate.provider.name, candidate.model, failure);
      context.cooldowns.failed(candidate, failure);
      const after = waysAfter(failure, way, ways);
      if (after === null) {
        trail.failures.push(failure);
        return failure.retry !== "never";
      }
      refusal ??= failure;
      ways = after;
    }
  }
  if (refusal === null) return true;
  trail.failures.push(refusal);
  return refusal.retry !== "never" || isUnknownThere(refusal);
}

/** Asks one candidate after the other. One that cannot be told what was asked does not count as a try. */
async function firstThatWorks<T>(context: AttemptContext, tryOne: TryOne<T>): Promise<AttemptResult<T>> {
  const trail: AttemptState<T> = { failures: [], unsaid: null, by: null, attempts: 0, value: null };
  for (const candidate of context.cooldowns.ordered(context.candidates)) {
    if (trail.attempts >= maxAttempts) break;
    if (!(await askCandidate(context, candidate, trail, tryOne))) break;
  }
  if (trail.value !== null && trail.by !== null) return { value: trail.value.got, by: trail.by };
  const last = trail.failures.at(-1);
  // A path that the server does not have says less than why the request cannot be put otherwise.
  if (trail.unsaid !== null && trail.failures.every(isUnknownThere)) return { failure: trail.unsaid, by: trail.by };
  return { failure: last?.retry === "never" ? last : verdict(trail.failures), by: trail.by };
}

/** A reply, with warnings of what only the reply shows to be lost. */
interface Checked {
  readonly reply: BufferedResponse;
  readonly ignored: readonly Warning[];
}

/** The replies to all calls of a lane as the client's one. Throws `unsupported_parameter` in strict mode for an ignored field. */
async function checked(
  replies: readonly [ReadResponse, ...ReadResponse[]],
  plan: UpstreamPlan,
  candidate: Candidate,
  context: AttemptContext,
): Promise<Checked> {
  const { inquiry } = context;
  const [only, ...others] = replies;
  const reply =
    others.length === 0
      ? bufferedResponse(await counted(only, plan, context, candidate), plan, inquiry)
      : await mergedResponse(replies, plan, context, candidate);
  const ignored = ignoredFields(replies, plan, inquiry, originOf(candidate.provider, candidate.model));
  refuseWhenStrict(inquiry, ignored);
  return { reply, ignored };
}

/** A whole reply from the first candidate that gives one. */
export async function attemptWhole(context: AttemptContext): Promise<AttemptResult<BufferedResponse>> {
  const tried = await firstThatWorks(context, async (plan, candidate) => {
    const { provider } = candidate;
    const life = deadline(context.signal, provider.timeouts.wholeMs, context.watch, tooSlow);
    const { signal } = life;
    const read = readOrAgain(
      (call: UpstreamRequest): Promise<ReadResponse> => readCall(context, plan, candidate, call, signal),
    );
    try {
      const [first, ...others] = await mapConcurrent(plan.calls, parallelCalls, read);
      if (first === undefined) throw new GatewayError("internal_error", "There is no response.");
      const reply = await checked([first, ...others], plan, candidate, context);
      life.done();
      return reply;
    } catch (thrown) {
      life.abort(thrown);
      life.release();
      throw thrown;
    }
  });
  if ("failure" in tried) return tried;
  const { value, by } = tried;
  return { value: value.reply, by: { ...by, warnings: [...by.warnings, ...value.ignored] } };
}

/** A stream whose first piece is no error, from the first candidate that gives one. */
export function attemptStream(
  context: AttemptContext,
  meter: (candidate: Candidate) => Meter,
): Promise<AttemptResult<OpenStream>> {
  return firstThatWorks(context, async (plan, candidate) => {
    const { timeouts } = candidate.provider;
    const life = deadline(context.signal, timeouts.firstByteMs, context.watch, tooSlow);
    try {
      const stream = await upstreamStreamOf(context, plan, candidate, meter(candidate), life);
      const first = await firstOf(stream);
      if (first.end?.error) throw first.end.error;
      life.release();
      return { first, flow: stream, life, idleMs: timeouts.idleMs, verbatim: plan.verbatim, type: stream.type() };
    } catch (thrown) {
      life.abort(thrown);
      life.release();
      throw thrown;
    }
  });
}
