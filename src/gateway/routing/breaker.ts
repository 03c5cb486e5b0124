// A circuit breaker: it opens after consecutive failures or at a high error rate, for longer each time, and closes when
// one request succeeds.

export interface BreakerLimits {
  /** Consecutive failures that open it. */
  readonly breakerFailures: number;
  /** Percentage of failures in the window that opens it. */
  readonly breakerErrorPercent: number;
  /** Requests in the window below which the percentage is ignored. */
  readonly breakerMinRequests: number;
  readonly breakerWindowMs: number;
  /** How long it is open the first time; doubled each time after that. */
  readonly ejectionMs: number;
  readonly maxEjectionMs: number;
}

export type BreakerState = "closed" | "open" | "half_open";

/** How long one request may probe the upstream before another one may. */
const probeMs = 10_000;
/** Doubling ends here; the maximum is reached long before. */
const maxEjections = 20;

/** All times are monotonic and supplied by the caller. Attempts that started before it opened are ignored. */
export class Breaker {
  private consecutive = 0;
  private ejections = 0;
  private openedMs = 0;
  /** 0: closed. */
  private openUntilMs = 0;
  private closedMs = 0;
  private probeUntilMs = 0;
  private windowMs = 0;
  private answeredCount = 0;
  private failedCount = 0;

  get isClosed(): boolean {
    return this.openUntilMs === 0;
  }

  get untilMs(): number {
    return this.openUntilMs;
  }

  state(nowMs: number): BreakerState {
    if (this.openUntilMs === 0) return "closed";
    return nowMs < this.openUntilMs ? "open" : "half_open";
  }

  /** Half-open, with a probe in progress. */
  isProbing(nowMs: number): boolean {
    return nowMs < this.probeUntilMs;
  }

  /** The next attempt is the probe. */
  beginProbe(nowMs: number): void {
    if (this.openUntilMs !== 0 && nowMs >= this.openUntilMs) this.probeUntilMs = nowMs + probeMs;
  }

  /** The attempt ended without a result about the upstream. */
  endProbe(): void {
    this.probeUntilMs = 0;
  }

  answered(nowMs: number, begunMs: number, { breakerWindowMs }: BreakerLimits): void {
    if (this.openUntilMs !== 0) {
      if (begunMs < this.openedMs) return;
      this.close(nowMs);
    }
    this.consecutive = 0;
    this.slide(nowMs, breakerWindowMs);
    this.answeredCount++;
  }

  /** True if it has just opened. */
  failed(nowMs: number, begunMs: number, limits: BreakerLimits): boolean {
    if (this.openUntilMs !== 0) {
      if (begunMs < this.openedMs || nowMs < this.openUntilMs) return false;
      this.open(nowMs, limits);
      return true;
    }
    if (this.ejections > 0 && nowMs - this.closedMs > 2 * limits.maxEjectionMs) this.ejections = 0;
    this.consecutive++;
    this.slide(nowMs, limits.breakerWindowMs);
    this.failedCount++;
    if (!this.isOverdrawn(limits)) return false;
    this.open(nowMs, limits);
    return true;
  }

  /** Opens it, whatever its state. */
  open(nowMs: number, { ejectionMs, maxEjectionMs }: BreakerLimits): void {
    this.openedMs = nowMs;
    this.openUntilMs = nowMs + Math.min(maxEjectionMs, ejectionMs * 2 ** this.ejections);
    this.ejections = Math.min(this.ejections + 1, maxEjections);
    this.probeUntilMs = 0;
  }

  private isOverdrawn({ breakerFailures, breakerErrorPercent, breakerMinRequests }: BreakerLimits): boolean {
    if (this.consecutive >= breakerFailures) return true;
    const count = this.answeredCount + this.failedCount;
    return count >= breakerMinRequests && this.failedCount * 100 >= breakerErrorPercent * count;
  }

  private close(nowMs: number): void {
    this.openUntilMs = 0;
    this.probeUntilMs = 0;
    this.closedMs = nowMs;
    this.answeredCount = 0;
    this.failedCount = 0;
  }

  private slide(nowMs: number, breakerWindowMs: number): void {
    if (nowMs - this.windowMs < breakerWindowMs) return;
    this.windowMs = nowMs;
    this.answeredCount = 0;
    this.failedCount = 0;
  }
}
