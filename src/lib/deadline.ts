// One abort signal for one try: it follows its parent, and aborts when its time is up.
import type { Clock } from "./clock.ts";
import type { SharedInterval } from "./shared-interval.ts";

export interface Deadline {
  readonly signal: AbortSignal;
  /** Ends the try for a reason of the caller's. */
  abort(reason: unknown): void;
  /** Forgets the bound and the parent; who holds it can still abort. */
  release(): void;
}

/** What looks at deadlines and at parents: its tick is how late either may be noticed. */
export interface DeadlineClock {
  readonly ticker: SharedInterval;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/**
 * The parent is asked for at the first tick and not before: most tries are over by then, and the signal of a request
 * that nobody has asked for costs nothing. `expired` makes the reason with which the signal aborts when the time is up. There is no timer of its own: setting
 * and clearing one costs more CPU than everything else here (docs/decisions/0004-no-timer-per-request.md).
 */
export function deadline(
  parent: () => AbortSignal,
  timeoutMs: number,
  watch: DeadlineClock,
  expired: () => unknown,
): Deadline {
  const controller = new AbortController();
  const dueMs = watch.clock.monotonicMs() + timeoutMs;
  const stop = (reason: unknown): void => {
    watch.ticker.unsubscribe(look);
    controller.abort(reason);
  };
  const look = (): void => {
    const { aborted, reason } = parent();
    if (aborted) stop(reason);
    else if (watch.clock.monotonicMs() >= dueMs) stop(expired());
  };
  watch.ticker.subscribe(look);
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release: () => watch.ticker.unsubscribe(look),
  };
}
