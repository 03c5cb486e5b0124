// Attempts of a request to a model: each dialect of a candidate in order, with changes of the request after a refusal.

import { GatewayError } from "../../canonical/error.ts";
import type { Warning } from "../../canonical/warning.ts";
import type { Cancellation } from "../../lib/cancellation.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Deadline, type DeadlineClock, deadline } from "../../lib/deadline.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import { originOf } from "../../providers/provider.ts";
import type { Events } from "../../telemetry/events.ts";
import type { BodyRecorder } from "../bodies/recorder.ts";
import type { AudioTranscoder } from "../operations/audio-transcoder.ts";
import type { FetchContext } from "../operations/image-transfer.ts";
import { readOrAgain } from "../operations/moderation.ts";
import type { VoiceLists } from "../operations/voice-lists.ts";
import type { GatewayRequest } from "../pipeline/gateway-request.ts";
import type { UsageEstimates } from "../pipeline/usage-estimate.ts";
import type { Candidate } from "../routing/catalog.ts";
import type { PreferredDialects } from "../routing/preferred-dialects.ts";
import { counted, mergedResponse } from "../streaming/buffered-response.ts";
import type { Meter } from "../streaming/meter.ts";
import type { Chunk } from "../streaming/transcoder.ts";
import type { UpstreamStream } from "../streaming/upstream-stream.ts";
import type { AttemptLog } from "./attempt-log.ts";
import {
  type AttemptBounds,
  type AttemptedExchange,
  type AttemptResult,
  attemptCandidates,
  type CandidateAttempts,
  type Preparation,
  unlessRefused,
} from "./attempt-loop.ts";
import { checkedPlanOf, needsContent } from "./checked-plan.ts";
import { checkRefusal, streamBeginning } from "./content-refusals.ts";
import { ignoredFields } from "./ignored-fields.ts";
import { upstreamStreamOf } from "./open-stream.ts";
import { planFor, waysAfter, waysTo } from "./plan-upstream.ts";
import { ownTimeoutMs, timeoutMs } from "./retry.ts";
import { readCall } from "./send-call.ts";
import { refuseWhenStrict } from "./strictness.ts";
import type { BufferedResponse, ReadResponse, UpstreamPlan, Way } from "./upstream-plan.ts";

/** What every attempt depends on. */
export interface AttemptContext extends FetchContext, AttemptBounds {
  readonly candidates: readonly Candidate[];
  readonly gatewayRequest: GatewayRequest;
  readonly signal: () => AbortSignal;
  readonly clock: Clock;
  readonly watch: DeadlineClock;
  readonly events: Events;
  readonly ids: AttemptedExchange;
  readonly voiceLists: VoiceLists;
  readonly log: AttemptLog;
  readonly estimates: UsageEstimates;
  readonly bodies: BodyRecorder | null;
  readonly transcoder: AudioTranscoder | null;
  readonly preferred: PreferredDialects;
}

/** A stream that has started, with its first chunk. */
export interface OpenStream {
  readonly first: Chunk;
  readonly flow: UpstreamStream;
  readonly life: Deadline;
  readonly idleMs: number;
  readonly type: string | null;
}

const tooSlow = (): GatewayError => new GatewayError("upstream_timeout", "The provider did not respond in time.");

/** Synchronous if nothing has to be looked up. */
function planOf(
  context: AttemptContext,
  candidate: Candidate,
  way: Way,
): UpstreamPlan | GatewayError | Promise<UpstreamPlan | GatewayError> {
  return needsContent(way.gatewayRequest)
    ? checkedPlanOf(context, candidate, way, planFor)
    : planFor(way.gatewayRequest, candidate, way.upstream, context);
}

type Send<T> = (context: AttemptContext, plan: UpstreamPlan, candidate: Candidate) => Promise<T>;

/** One dialect of a candidate after the other, and each remedy that a refusal suggests. */
class AttemptsAtCandidate<T> implements CandidateAttempts<T> {
  declare private readonly context: AttemptContext;
  declare private readonly candidate: Candidate;
  declare private readonly sendPlan: Send<T>;
  declare private ways: Way[];
  declare private way: Way | undefined;

  constructor(context: AttemptContext, candidate: Candidate, sendPlan: Send<T>) {
    this.context = context;
    this.candidate = candidate;
    this.sendPlan = sendPlan;
    this.ways = waysTo(context.gatewayRequest, candidate, context.preferred);
    this.way = undefined;
  }

  next(): Preparation<T> | Promise<Preparation<T>> {
    this.way = this.ways.shift();
    if (this.way === undefined) return null;
    const { context, candidate, sendPlan } = this;
    const prepared = (plan: UpstreamPlan | GatewayError): Preparation<T> =>
      plan instanceof GatewayError ? plan : { warnings: plan.warnings, send: () => sendPlan(context, plan, candidate) };
    const plan = planOf(context, candidate, this.way);
    return plan instanceof Promise ? plan.then(prepared) : prepared(plan);
  }

  canRecover(failure: GatewayError): boolean {
    const after = this.way === undefined ? null : waysAfter(failure, this.way, this.ways);
    if (after !== null) this.ways = after;
    return after !== null;
  }

  recovered(): void {
    const { context, candidate, way } = this;
    if (way !== undefined) context.preferred.remember(candidate, context.gatewayRequest.outline, way.upstream);
  }
}

function attempt<T>(context: AttemptContext, send: Send<T>): Promise<AttemptResult<T>> {
  const { candidates, signal, log, events, ids, gatewayRequest, limits, router, repeats, dueMs } = context;
  return attemptCandidates({
    candidates,
    signal,
    log,
    events,
    ids,
    router,
    repeats,
    dueMs,
    isStream: gatewayRequest.outline.stream,
    maxAttemptsPerRequest: limits.maxAttemptsPerRequest,
    requestedModel: gatewayRequest.outline.model,
    attemptsFor: (candidate) => new AttemptsAtCandidate(context, candidate, send),
    mayContinue: unlessRefused,
  });
}

/** A reply, with warnings for losses that only the reply shows. */
interface Checked {
  readonly reply: BufferedResponse;
  readonly ignored: readonly Warning[];
}

/** Merges the replies to all calls of a plan. Throws `unsupported_parameter` in strict mode for an ignored field. */
async function checked(
  replies: readonly [ReadResponse, ...ReadResponse[]],
  plan: UpstreamPlan,
  candidate: Candidate,
  context: AttemptContext,
): Promise<Checked> {
  const { gatewayRequest } = context;
  const [only, ...others] = replies;
  const reply =
    others.length === 0
      ? await plan.codec.encodeResponse(await counted(only, plan, context, candidate), plan, gatewayRequest)
      : await mergedResponse(replies, plan, context, candidate);
  const ignored = ignoredFields(replies, plan, gatewayRequest, originOf(candidate.provider, candidate.model));
  refuseWhenStrict(gatewayRequest, ignored);
  return { reply, ignored };
}

/** The replies to all calls of a plan, in order. */
async function readCalls(
  context: AttemptContext,
  plan: UpstreamPlan,
  candidate: Candidate,
  signal: Cancellation,
): Promise<ReadResponse[]> {
  const [only] = plan.calls;
  if (plan.calls.length === 1 && !("again" in only)) return [await readCall(context, plan, candidate, only, signal)];
  const read = readOrAgain((call: UpstreamPlan["calls"][number]) => readCall(context, plan, candidate, call, signal));
  return mapConcurrent(plan.calls, context.limits.maxParallelCalls, read);
}

async function sendWhole(context: AttemptContext, plan: UpstreamPlan, candidate: Candidate): Promise<Checked> {
  const life = deadline(context.signal, timeoutMs(context, candidate, "wholeMs"), context.watch, tooSlow);
  try {
    const [first, ...others] = await readCalls(context, plan, candidate, life.signal);
    if (first === undefined) throw new GatewayError("internal_error", "There is no response.");
    checkRefusal(context, [first, ...others], plan, candidate);
    return await checked([first, ...others], plan, candidate, context);
  } catch (thrown) {
    life.abort(thrown);
    throw thrown;
  } finally {
    life.release();
  }
}

/** A complete reply from the first candidate that returns one. */
export async function attemptWhole(context: AttemptContext): Promise<AttemptResult<BufferedResponse>> {
  const result = await attempt(context, sendWhole);
  if ("failure" in result) return result;
  const { value, servedBy } = result;
  const { reply, ignored } = value;
  return {
    value: reply,
    servedBy: ignored.length === 0 ? servedBy : { ...servedBy, warnings: [...servedBy.warnings, ...ignored] },
  };
}

/** A stream whose first chunk is not an error, from the first candidate that returns one. */
export function attemptStream(
  context: AttemptContext,
  meter: (candidate: Candidate) => Meter,
): Promise<AttemptResult<OpenStream>> {
  return attempt(context, async (_context, plan, candidate) => {
    const firstByteMs = timeoutMs(context, candidate, "firstByteMs");
    const life = deadline(context.signal, firstByteMs, context.watch, tooSlow);
    try {
      const beginning = streamBeginning(context, candidate, meter(candidate));
      const flow = await upstreamStreamOf(context, plan, candidate, beginning.meter, life);
      const first = await context.log.waits(beginning.first(flow));
      if (first.end?.error) throw first.end.error;
      return { first, flow, life, idleMs: ownTimeoutMs(context, candidate, "idleMs"), type: flow.type() };
    } catch (thrown) {
      life.abort(thrown);
      throw thrown;
    } finally {
      life.release();
    }
  });
}
