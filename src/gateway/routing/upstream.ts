// The state of an upstream: a credential of a provider, and each of its models that a route names.
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

/** One credential of one provider. */
export class Upstream {
  readonly breaker = new Breaker();
  readonly models = new Map<string, UpstreamModel>();
  readonly provider: string;
  /** Null if the provider has only one. */
  readonly credential: string | null;
  limitedUntilMs = 0;
  inFlight = 0;
  private windowMs = 0;
  private attempts = 0;
  private retries = 0;

  constructor(provider: string, credential: string | null) {
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
export class UpstreamModel {
  readonly breaker = new Breaker();
  readonly upstream: Upstream;
  readonly model: string;
  limitedUntilMs = 0;
  /** Avoided until then: its provider does not have it, or refuses it to the credential. */
  asideUntilMs = 0;
  inFlight = 0;
  /** Means in milliseconds; 0 without a measurement. */
  firstTokenMs = 0;
  replyMs = 0;

  constructor(upstream: Upstream, model: string) {
    this.upstream = upstream;
    this.model = model;
  }

  ailment(nowMs: number): Ailment | null {
    if (nowMs < this.asideUntilMs) return "cooling_down";
    if (nowMs < this.limitedUntilMs) return "rate_limited";
    return breakerAilment(this.breaker, nowMs) ?? this.upstream.ailment(nowMs);
  }

  measured(tookMs: number, isStream: boolean): void {
    if (isStream) this.firstTokenMs = mean(this.firstTokenMs, tookMs);
    else this.replyMs = mean(this.replyMs, tookMs);
  }
}

const mean = (before: number, tookMs: number): number =>
  before === 0 ? Math.max(tookMs, 0.001) : before + smoothing * (tookMs - before);

function breakerAilment(breaker: Breaker, nowMs: number): Ailment | null {
  if (breaker.isClosed) return null;
  if (breaker.state(nowMs) === "open") return "breaker_open";
  return breaker.isProbing(nowMs) ? "probe_in_progress" : null;
}
