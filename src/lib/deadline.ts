// One cancellation for one attempt: it follows its parent, and aborts when its time is up.
import type { Cancellation } from "./cancellation.ts";
import type { Clock } from "./clock.ts";
import type { SharedInterval } from "./shared-interval.ts";

export interface Deadline {
  readonly signal: Cancellation;
  /** Aborts the attempt for a reason of the caller's. */
  abort(reason: unknown): void;
  /** Removes the deadline and the parent; the attempt can still be aborted. */
  release(): void;
}

/** Checks deadlines and parents at every tick, which is how late either may be noticed. */
export interface DeadlineClock {
  readonly ticker: SharedInterval;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/**
 * The parent signal is read at the first tick and not before: most attempts have ended by then, and a request signal
 * that is never read costs nothing. `expired` makes the reason with which the signal aborts when the time is up.
 * Deadlines have no timer of their own: setting and clearing one costs more CPU than everything else here
 * (docs/decisions/0004-no-timer-per-request.md).
 */
export function deadline(
  parent: () => AbortSignal,
  timeoutMs: number,
  watch: DeadlineClock,
  expired: () => unknown,
): Deadline {
  return new WatchedDeadline(parent, timeoutMs, watch, expired);
}

class WatchedDeadline implements Deadline, Cancellation {
  declare aborted: boolean;
  declare reason: unknown;
  declare private listeners: (() => void)[] | null;
  declare private readonly parent: () => AbortSignal;
  declare private readonly dueMs: number;
  declare private readonly watch: DeadlineClock;
  declare private readonly expired: () => unknown;
  declare private readonly look: () => void;

  constructor(parent: () => AbortSignal, timeoutMs: number, watch: DeadlineClock, expired: () => unknown) {
    this.aborted = false;
    this.reason = undefined;
    this.listeners = null;
    this.parent = parent;
    this.dueMs = watch.clock.monotonicMs() + timeoutMs;
    this.watch = watch;
    this.expired = expired;
    this.look = () => this.check();
    watch.ticker.subscribe(this.look);
  }

  get signal(): Cancellation {
    return this;
  }

  addEventListener(_type: "abort", listener: () => void): void {
    if (this.listeners === null) this.listeners = [listener];
    else this.listeners.push(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    const at = this.listeners?.indexOf(listener) ?? -1;
    if (at >= 0) this.listeners?.splice(at, 1);
  }

  private check(): void {
    const { aborted, reason } = this.parent();
    if (aborted) this.stop(reason);
    else if (this.watch.clock.monotonicMs() >= this.dueMs) this.stop(this.expired());
  }

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const { listeners } = this;
    this.listeners = null;
    for (const listener of listeners ?? []) listener();
  }

  release(): void {
    this.watch.ticker.unsubscribe(this.look);
  }

  private stop(reason: unknown): void {
    this.release();
    this.abort(reason);
  }
}

/** The value if it arrives in time, otherwise null; the promise continues. */
export function settledWithin<T>(
  promise: Promise<T>,
  timeoutMs: number,
  { ticker, clock }: DeadlineClock,
): Promise<T | null> {
  const dueMs = clock.monotonicMs() + timeoutMs;
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (clock.monotonicMs() >= dueMs) resolve(null);
    };
    ticker.subscribe(look);
    promise.then(resolve, reject).finally(() => ticker.unsubscribe(look));
  });
}
