// The state of an upstream: a credential of a provider, and each of its models that a route names.
import type { ErrorKind, GatewayError } from "../../canonical/error.ts";
import { Breaker, type BreakerLimits } from "./breaker.ts";

/** Why an upstream is avoided. */
export type Ailment = "cooling_down" | "rate_limited" | "breaker_open" | "probe_in_progress";

export interface HealthLimits extends BreakerLimits {
  readonly candidateCooldownMs: number;
  /** The percentage of attempts at an upstream whose ambiguous failure may be followed by another attempt. */
  readonly retryBudgetPercent: number;
  readonly retryBudgetMin: number;
}

const retryWindowMs = 10_000;
/** The weight of the last measurement in a mean. */
const smoothing = 0.2;

/** Half of the time over which outcomes are counted. */
const outcomeWindowMs = 60_000;

/** Attempts and failures of the last one to two minutes. */
class Outcomes {
  private windowMs = 0;
  private attempts = 0;
  private failures = 0;
  private earlierAttempts = 0;
  private earlierFailures = 0;

  add(nowMs: number, hasFailed: boolean): void {
    this.slide(nowMs);
    this.attempts++;
    if (hasFailed) this.failures++;
  }

  recent(nowMs: number): { readonly attempts: number; readonly failures: number } {
    this.slide(nowMs);
    return {
      attempts: this.attempts + this.earlierAttempts,
      failures: this.failures + this.earlierFailures,
    };
  }

  private slide(nowMs: number): void {
    const ageMs = nowMs - this.windowMs;
    if (ageMs < outcomeWindowMs) return;
    const isRecent = ageMs < 2 * outcomeWindowMs;
    this.earlierAttempts = isRecent ? this.attempts : 0;
    this.earlierFailures = isRecent ? this.failures : 0;
    this.windowMs = nowMs;
    this.attempts = 0;
    this.failures = 0;
  }
}

/** A failure that its upstream is responsible for. */
interface UpstreamFailure {
  readonly error: GatewayError;
  readonly atMs: number;
}

/** What is measured of a credential as a whole, and of each of its models. */
class Measured {
  readonly breaker = new Breaker();
  readonly outcomes = new Outcomes();
  lastFailure: UpstreamFailure | null = null;
  /** The first one since the upstream was last free of failures. */
  firstFailure: UpstreamFailure | null = null;
  limitedUntilMs = 0;
  inFlight = 0;
  /** Means in milliseconds; 0 without a measurement. */
  firstTokenMs = 0;
  replyMs = 0;

  failed(error: GatewayError, atMs: number): void {
    const wasFree = this.breaker.isClosed && this.outcomes.recent(atMs).failures === 0;
    this.lastFailure = { error, atMs };
    if (wasFree || this.firstFailure === null) this.firstFailure = this.lastFailure;
    this.outcomes.add(atMs, true);
  }

  measured(tookMs: number, isStream: boolean): void {
    if (isStream) this.firstTokenMs = mean(this.firstTokenMs, tookMs);
    else this.replyMs = mean(this.replyMs, tookMs);
  }
}

/** One credential of one provider. */
export class Upstream extends Measured {
  readonly models = new Map<string, UpstreamModel>();
  readonly provider: string;
  /** Null if the provider has only one. */
  readonly credential: string | null;
  /** When it answered last; 0 if it has not. */
  answeredMs = 0;
  private windowMs = 0;
  private attempts = 0;
  private retries = 0;

  constructor(provider: string, credential: string | null) {
    super();
    this.provider = provider;
    this.credential = credential;
  }

  ailment(nowMs: number): Ailment | null {
    return nowMs < this.limitedUntilMs ? "rate_limited" : breakerAilment(this.breaker, nowMs);
  }

  begin(nowMs: number): void {
    this.slide(nowMs);
    this.attempts++;
    this.inFlight++;
    this.breaker.beginProbe(nowMs);
  }

  /** Uses one retry of the budget. False if it is used up. */
  takeRetry(nowMs: number, { retryBudgetPercent, retryBudgetMin }: HealthLimits): boolean {
    this.slide(nowMs);
    if (this.retries >= Math.max(retryBudgetMin, (this.attempts * retryBudgetPercent) / 100)) return false;
    this.retries++;
    return true;
  }

  private slide(nowMs: number): void {
    if (nowMs - this.windowMs < retryWindowMs) return;
    this.windowMs = nowMs;
    this.attempts = 0;
    this.retries = 0;
  }
}

/** A model of an upstream that a route names. */
export class UpstreamModel extends Measured {
  readonly upstream: Upstream;
  readonly model: string;
  /** Avoided until then: its provider does not have it, or refuses it to the credential. */
  asideUntilMs = 0;
  setAsideBy: ErrorKind | null = null;

  constructor(upstream: Upstream, model: string) {
    super();
    this.upstream = upstream;
    this.model = model;
  }

  ailment(nowMs: number): Ailment | null {
    if (nowMs < this.asideUntilMs) return "cooling_down";
    if (nowMs < this.limitedUntilMs) return "rate_limited";
    return breakerAilment(this.breaker, nowMs) ?? this.upstream.ailment(nowMs);
  }
}

const mean = (before: number, tookMs: number): number =>
  before === 0 ? Math.max(tookMs, 0.001) : before + smoothing * (tookMs - before);

function breakerAilment(breaker: Breaker, nowMs: number): Ailment | null {
  if (breaker.isClosed) return null;
  if (breaker.state(nowMs) === "open") return "breaker_open";
  return breaker.isProbing(nowMs) ? "probe_in_progress" : null;
}
