// One abort signal for one try: it follows its parent, and aborts when its time is up.
import type { Clock } from "./clock.ts";
import type { Ticker } from "./ticker.ts";

export interface Deadline {
  readonly signal: AbortSignal;
  /** Ends the try for a reason of the caller's. */
  abort(reason: unknown): void;
  /** From now on there is no bound. */
  disarm(): void;
  /** Forgets the bound and the parent. */
  release(): void;
}

/** What looks at deadlines: its tick is how late one may be noticed. */
export interface Watch {
  readonly ticker: Ticker;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/**
 * `expired` makes the reason with which the signal aborts when the time is up. There is no timer of its own: setting
 * and clearing one costs more CPU than everything else here (docs/decisions/0004-no-timer-per-request.md).
 */
export function deadline(parent: AbortSignal, timeoutMs: number, watch: Watch, expired: () => unknown): Deadline {
  const controller = new AbortController();
  const dueMs = watch.clock.monotonicMs() + timeoutMs;
  const follow = (): void => controller.abort(parent.reason);
  const look = (): void => {
    if (watch.clock.monotonicMs() < dueMs) return;
    watch.ticker.leave(look);
    controller.abort(expired());
  };
  if (parent.aborted) follow();
  else parent.addEventListener("abort", follow, { once: true });
  watch.ticker.join(look);
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    disarm: () => watch.ticker.leave(look),
    release() {
      watch.ticker.leave(look);
      parent.removeEventListener("abort", follow);
    },
  };
}
