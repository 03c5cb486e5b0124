// The life of one exchange: admitted, opened in the ledger before dispatch, settled exactly once, whatever happens.
import { changed, type GatewayError } from "../../canonical/error.ts";
import type { Operation } from "../../canonical/operation.ts";
import type { Usage } from "../../canonical/usage.ts";
import type { Warning } from "../../canonical/warning.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Events, RequestIds } from "../../telemetry/events.ts";
import type { SettledExchange } from "../../telemetry/metrics.ts";
import type { ExchangeTrace } from "../../telemetry/trace.ts";
import type { BodyRecorder } from "../bodies/recorder.ts";
import { type Ending, endStateOf, pricedAttempts, settlementOf } from "../ledger/settlement.ts";
import type { LedgerAttempt, LedgerEntry, LedgerSettlement, PassedOver } from "../ledger/types.ts";
import type { PendingReservations, Reservations } from "../policy/reservations.ts";
import type { Prices } from "../prices/prices.ts";
import type { Candidate } from "../routing/catalog.ts";
import type { Affinity, Router } from "../routing/router.ts";
import type { ExchangeTimes } from "./exchange-times.ts";
import type { RunningRequest, RunningWork, Stoppable } from "./running-work.ts";

/** The provider of a reply, and the number of attempts. */
export interface ServedBy {
  readonly candidate: Candidate;
  /** The model name that the client sent. */
  readonly requestedModel: string;
  readonly attempts: number;
  readonly warnings: readonly Warning[];
}

/** The failure with the last candidate, for the headers of the response. */
export function withServedBy(failure: GatewayError, servedBy: ServedBy | null): GatewayError {
  if (servedBy === null) return failure;
  const { candidate, attempts } = servedBy;
  return changed(failure, { attempted: { provider: candidate.provider.entry.name, model: candidate.model, attempts } });
}

export interface ExchangeOutcome {
  readonly servedBy: ServedBy | null;
  readonly usage: Usage | undefined;
  /** Null when the reply was complete. */
  readonly error: GatewayError | null;
  /** False if `usage` is only what failed attempts may have cost. Default true. */
  readonly charged?: boolean;
  /** When the successful attempt started, relative to the arrival of the request. */
  readonly attemptStartedMs?: number | null;
  readonly failedAttempts?: readonly LedgerAttempt[];
  /** How long the gateway waited for others before the reply started. Absent: not measured. */
  readonly waitedMs?: number;
  readonly passedOver?: readonly PassedOver[];
}

export interface Exchange extends RequestIds {
  /** Before each attempt. False if a limit of the candidate's provider is reached. */
  startAttempt(candidate: Candidate): boolean;
  /** This candidate answers: it is busy until the settlement. */
  answeredBy(candidate: Candidate): void;
  readonly candidates: readonly Candidate[];
  firstByte(): void;
  /** Records that the client has received its status: a later failure is an event of the stream. */
  headSent(): void;
  /** The reply is a stream, which lasts until the settlement. */
  startStream(): void;
  /** Nothing more comes from a provider. Default: with the settlement. */
  replyEnded(): void;
  /** How many tokens of output may be forwarded: fewer than requested if no more can be reserved. */
  cover(outputTokens: number): number;
  /** Records the usage and the provider so far, in case the process stops. */
  progress(usage: Usage, servedBy: ServedBy | null): void;
  readonly settlement: LedgerSettlement | null;
  /** Writes the settlement, then releases the reservations. Further calls change nothing. */
  settle(outcome: ExchangeOutcome): Promise<unknown>;
  /** Why it must end early; null while it may continue. */
  readonly stopped: GatewayError | null;
  /** Records its bodies; null where none are stored. */
  readonly bodies: BodyRecorder | null;
  /** The signal of its work: that of the client, or an aborted one once it is stopped. */
  signal(client: () => AbortSignal): AbortSignal;
  /** The callback when it is stopped: a stream then ends with an error. */
  onStop(end: (reason: GatewayError) => void): void;
  /** The request is answered and the exchange continues: `settlePending` settles it, possibly in another process. */
  leavePending(pending: PendingReservations): void;
}

interface ExchangeDependencies extends RequestIds {
  readonly trace: ExchangeTrace | null;
  readonly router: Pick<Router, "health" | "answered">;
  readonly affinity: Affinity | null;
  readonly passedOver?: readonly PassedOver[] | undefined;
  readonly entry: LedgerEntry;
  readonly reservations: Reservations;
  readonly candidates: readonly Candidate[];
  readonly operation: Operation;
  readonly model: string;
  readonly tier: string | null;
  readonly prices: Prices;
  readonly clock: Clock;
  readonly events: Events;
  readonly times: ExchangeTimes;
  readonly keyId: string;
  readonly project: string;
  readonly bodies: BodyRecorder | null;
  readonly running: RunningWork;
}

const servedByFields = (servedBy: ServedBy | null) => ({
  provider: servedBy?.candidate.provider.entry.name ?? null,
  upstreamModel: servedBy?.candidate.model ?? null,
});

const none: readonly never[] = [];

function joined(before: readonly PassedOver[] = none, later: readonly PassedOver[] = none) {
  return before.length === 0 ? later : [...before, ...later];
}

/** One object for each request, without closures: docs/decisions/0015-state-of-a-request.md. */
class RunningExchange implements Exchange, Stoppable {
  declare readonly id: string;
  declare readonly requestId: string;
  declare readonly trace: ExchangeTrace | null;
  declare readonly candidates: readonly Candidate[];
  declare private readonly given: ExchangeDependencies;
  /** Not rounded, because the gateway's own time is short. */
  declare private firstByteMs: number | null;
  declare private isHeadSent: boolean;
  declare private isStream: boolean;
  declare private readonly admittedAtMs: number;
  declare private done: Promise<unknown> | null;
  declare private busy: Candidate | null;
  declare settlement: LedgerSettlement | null;
  declare readonly keyId: string;
  declare place: number | undefined;
  declare readonly bodies: BodyRecorder | null;
  declare stopped: GatewayError | null;
  declare private end: ((reason: GatewayError) => void) | null;

  constructor(given: ExchangeDependencies) {
    this.id = given.id;
    this.requestId = given.requestId;
    this.trace = given.trace;
    this.candidates = given.candidates;
    this.given = given;
    this.firstByteMs = null;
    this.isHeadSent = false;
    this.isStream = false;
    this.done = null;
    this.busy = null;
    this.settlement = null;
    this.admittedAtMs = given.clock.nowMs();
    this.keyId = given.keyId;
    this.place = undefined;
    this.bodies = given.bodies;
    this.stopped = null;
    this.end = null;
    given.running.add(this);
  }

  stop(reason: GatewayError): void {
    if (this.stopped !== null) return;
    this.stopped = reason;
    this.end?.(reason);
  }

  describe(): RunningRequest {
    const { id, requestId, keyId, admittedAtMs: startedMs } = this;
    const { project, operation, model } = this.given;
    const firstByteMs = this.firstByteMs === null ? null : Math.round(this.firstByteMs);
    const provider = this.busy?.provider.entry.name ?? null;
    return { id, requestId, keyId, project, operation, model, provider, startedMs, firstByteMs };
  }

  signal(client: () => AbortSignal): AbortSignal {
    return this.stopped === null ? client() : AbortSignal.abort(this.stopped);
  }

  onStop(end: (reason: GatewayError) => void): void {
    this.end = end;
    if (this.stopped !== null) end(this.stopped);
  }

  firstByte(): void {
    this.firstByteMs ??= this.elapsedMs();
    this.trace?.firstByte();
    this.isHeadSent = true;
  }

  headSent(): void {
    this.isHeadSent = true;
  }

  startStream(): void {
    this.isStream = true;
    this.given.events.streamStarted();
    this.trace?.streamStarted();
  }

  replyEnded(): void {
    this.given.times.ended = this.given.clock.monotonicMs();
  }

  cover(outputTokens: number): number {
    return this.given.reservations.cover(outputTokens);
  }

  progress(usage: Usage, servedBy: ServedBy | null): void {
    this.given.reservations.extend(usage);
    this.given.entry.progress({ usage, ...servedByFields(servedBy) });
  }

  startAttempt(candidate: Candidate): boolean {
    return this.given.reservations.attempt(candidate);
  }

  answeredBy(candidate: Candidate): void {
    const { router, affinity } = this.given;
    this.busy = candidate;
    if (affinity !== null) router.answered(affinity, candidate);
  }

  settle(outcome: ExchangeOutcome): Promise<unknown> {
    if (this.done !== null) return this.done;
    this.releaseBusy();
    const { reservations, events, entry, running } = this.given;
    running.remove(this);
    const ending = this.ending(outcome);
    const { failedAttempts = none } = outcome;
    const settlement = settlementOf(ending, this.given.prices);
    this.settlement = settlement;
    this.bodies?.settled(settlement);
    const others = failedAttempts.length === 0 ? none : pricedAttempts(failedAttempts, ending, this.given.prices);
    reservations.settle(settlement, others);
    reservations.release();
    const settled = this.settled(outcome, settlement);
    events.exchangeSettled(settled, outcome.error, this);
    this.trace?.settled(settled, outcome.error);
    this.done = entry.settle(settlement, others);
    return this.done;
  }

  leavePending(pending: PendingReservations): void {
    if (this.done !== null) return;
    this.done = Promise.resolve();
    this.releaseBusy();
    this.given.running.remove(this);
    this.trace?.leftPending();
    pending.add(this.id, this.given.reservations);
    this.given.reservations.release();
  }

  private releaseBusy(): void {
    if (this.busy !== null) this.given.router.health.release(this.busy);
    this.busy = null;
  }

  private elapsedMs(): number {
    return this.given.clock.monotonicMs() - this.given.times.arrived;
  }

  private settled({ servedBy, waitedMs }: ExchangeOutcome, settlement: LedgerSettlement): SettledExchange {
    const { firstByteMs, isStream } = this;
    const overheadMs = firstByteMs === null || waitedMs === undefined ? null : firstByteMs - waitedMs;
    const { operation } = this.given;
    return { operation, settlement, warnings: servedBy?.warnings ?? none, isStream, overheadMs };
  }

  private ending({
    servedBy,
    usage,
    error,
    charged = true,
    attemptStartedMs = null,
    passedOver,
  }: ExchangeOutcome): Ending {
    const { operation, model, tier, times, clock } = this.given;
    const nowMs = clock.monotonicMs();
    return {
      operation,
      model,
      tier,
      admittedAtMs: this.admittedAtMs,
      state: endStateOf(error),
      httpStatus: error === null || this.isHeadSent ? 200 : error.status,
      errorCode: error === null ? null : error.code,
      provider: servedBy?.candidate.provider.entry.name ?? null,
      providerKind: servedBy?.candidate.provider.kind.name ?? null,
      upstreamModel: servedBy?.candidate.model ?? null,
      credential: servedBy?.candidate.provider.entry.credentialName ?? null,
      attempts: servedBy?.attempts ?? 0,
      warnings: servedBy?.warnings ?? none,
      usage,
      isCharged: charged,
      attemptStartedMs,
      passedOver: joined(this.given.passedOver, passedOver),
      firstByteMs: this.firstByteMs === null ? null : Math.round(this.firstByteMs),
      durationMs: Math.round(nowMs - times.arrived),
      timings: times.text(attemptStartedMs, this.firstByteMs, nowMs),
    };
  }
}

export const createExchange = (dependencies: ExchangeDependencies): Exchange => new RunningExchange(dependencies);
