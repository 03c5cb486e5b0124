// The outcome of each attempt of a request, and the usage that replies reported, for the ledger.
import type { GatewayError } from "../../canonical/error.ts";
import { addUsage, type Usage } from "../../canonical/usage.ts";
import type { Candidate } from "../routing/catalog.ts";

/**
 * What a provider without a valid reply may bill. `unsent`: nothing reached it. `refused`: it returned a 4xx, and
 * bills nothing. `possible`: it received the request, and then failed, stalled or was aborted.
 */
type AttemptOutcome = "unsent" | "refused" | "possible";

/** A failed attempt. */
export interface FailedAttempt {
  /** Its number among all attempts of the request, from 1. */
  readonly number: number;
  readonly candidate: Candidate;
  readonly outcome: AttemptOutcome;
  readonly errorCode: string;
  /** The status of the provider's response; null if there was none. */
  readonly httpStatus: number | null;
  /** Counted from the arrival of the request. */
  readonly startedMs: number;
  readonly durationMs: number;
}

/** A candidate that cannot serve the request, or not in this dialect. */
interface UnableCandidate {
  readonly candidate: Candidate;
  readonly error: GatewayError;
}

export interface AttemptLog {
  /** The candidate is skipped in this dialect, because it cannot serve the request. */
  unable(candidate: Candidate, error: GatewayError): void;
  unables(): readonly UnableCandidate[];
  /** The number of the current attempt, from 1. */
  number(): number;
  /** The next attempt starts. */
  begin(candidate: Candidate): void;
  /** A call of the current attempt is sent. */
  sent(): void;
  /** That call did not reach the provider. */
  unreachable(): void;
  /** The status of the provider's response to a call. */
  answered(httpStatus: number): void;
  /** The reply to a call was read; `usage` is what the provider reported. */
  read(usage: Usage | undefined): void;
  /** The reply that was read is not used. */
  discard(): void;
  /** The current attempt failed. */
  failed(error: GatewayError): void;
  /** The sum of all reported usage, including replies that were not used; undefined if there was none. */
  reported(): Usage | undefined;
  failures(): readonly FailedAttempt[];
  /** Counts the time until `promise` is settled as time that the gateway waited. Returns the promise. */
  waits<T>(promise: Promise<T>): Promise<T>;
  /** The total time waited, including the time before the first attempt. */
  waitedMs(): number;
  /** When the last attempt started, relative to the arrival of the request; null before the first one. */
  startedMs(): number | null;
}

interface Current {
  readonly candidate: Candidate;
  readonly startedMs: number;
  sent: number;
  unreachable: number;
  refused: number;
  read: number;
  httpStatus: number | null;
}

function outcomeOf({ sent, unreachable, refused, read }: Current): AttemptOutcome {
  if (sent > unreachable + refused + read) return "possible";
  return sent > unreachable ? "refused" : "unsent";
}

const isRefusal = (httpStatus: number): boolean => httpStatus >= 400 && httpStatus < 500;

const none: readonly FailedAttempt[] = [];
const noUnables: readonly UnableCandidate[] = [];

/** One object for each request, without closures: docs/decisions/0015-state-of-a-request.md. */
class RequestAttempts implements AttemptLog {
  declare private readonly nowMs: () => number;
  declare private readonly arrivedMs: number;
  declare private failedAttempts: FailedAttempt[] | null;
  declare private unableCandidates: UnableCandidate[] | null;
  declare private current: Current | null;
  declare private usage: Usage | undefined;
  declare private attempt: number;
  declare private begunMs: number | null;
  declare private waiting: number;
  declare private waitingSinceMs: number;
  declare private totalWaitedMs: number;

  constructor(nowMs: () => number, arrivedMs: number, waitedMs: number) {
    this.nowMs = nowMs;
    this.arrivedMs = arrivedMs;
    this.failedAttempts = null;
    this.unableCandidates = null;
    this.current = null;
    this.usage = undefined;
    this.attempt = 0;
    this.begunMs = null;
    this.waiting = 0;
    this.waitingSinceMs = 0;
    this.totalWaitedMs = waitedMs;
  }

  unable(candidate: Candidate, error: GatewayError): void {
    this.unableCandidates ??= [];
    if (this.unableCandidates.some((each) => each.candidate === candidate)) return;
    this.unableCandidates.push({ candidate, error });
  }

  unables(): readonly UnableCandidate[] {
    return this.unableCandidates ?? noUnables;
  }

  number(): number {
    return this.attempt;
  }

  begin(candidate: Candidate): void {
    this.attempt++;
    this.begunMs = this.nowMs() - this.arrivedMs;
    const startedMs = Math.round(this.begunMs);
    this.current = { candidate, startedMs, sent: 0, unreachable: 0, refused: 0, read: 0, httpStatus: null };
  }

  sent(): void {
    if (this.current !== null) this.current.sent++;
  }

  unreachable(): void {
    if (this.current !== null) this.current.unreachable++;
  }

  answered(httpStatus: number): void {
    if (this.current === null) return;
    this.current.httpStatus = httpStatus;
    if (isRefusal(httpStatus)) this.current.refused++;
  }

  read(usage: Usage | undefined): void {
    if (usage === undefined) return;
    if (this.current !== null) this.current.read++;
    this.usage = this.usage === undefined ? usage : addUsage(this.usage, usage);
  }

  discard(): void {
    if (this.current !== null) this.current.read = 0;
  }

  failed({ code }: GatewayError): void {
    if (this.current === null) return;
    const { candidate, httpStatus, startedMs } = this.current;
    const durationMs = Math.round(this.nowMs() - this.arrivedMs) - startedMs;
    const outcome = outcomeOf(this.current);
    this.failedAttempts ??= [];
    this.failedAttempts.push({
      number: this.attempt,
      candidate,
      outcome,
      errorCode: code,
      httpStatus,
      startedMs,
      durationMs,
    });
    this.current = null;
  }

  reported(): Usage | undefined {
    return this.usage;
  }

  failures(): readonly FailedAttempt[] {
    return this.failedAttempts ?? none;
  }

  waits<T>(promise: Promise<T>): Promise<T> {
    if (this.waiting++ === 0) this.waitingSinceMs = this.nowMs();
    const settled = (): void => {
      if (--this.waiting === 0) this.totalWaitedMs += this.nowMs() - this.waitingSinceMs;
    };
    promise.then(settled, settled);
    return promise;
  }

  waitedMs(): number {
    return this.totalWaitedMs;
  }

  startedMs(): number | null {
    return this.begunMs;
  }
}

/**
 * `arrivedMs` is the monotonic arrival time of the request; `waitedMs` is how long it has waited for its client since.
 */
export function createAttemptLog(nowMs: () => number, arrivedMs: number, waitedMs = 0): AttemptLog {
  return new RequestAttempts(nowMs, arrivedMs, waitedMs);
}
