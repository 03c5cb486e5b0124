// One abort signal for one try: it follows its parent and a timer that can be stopped.

export interface Deadline {
  readonly signal: AbortSignal;
  /** Ends the try for a reason of the caller's. */
  abort(reason: unknown): void;
  /** Starts the timer anew with another bound, or stops it when none is given. */
  rearm(timeoutMs?: number): void;
  /** Stops the timer and forgets the parent. */
  release(): void;
}

/** `expired` makes the reason with which the signal aborts when the time is up. */
export function deadline(parent: AbortSignal, timeoutMs: number, expired: () => unknown): Deadline {
  const controller = new AbortController();
  const follow = (): void => controller.abort(parent.reason);
  if (parent.aborted) follow();
  else parent.addEventListener("abort", follow, { once: true });
  const arm = (ms: number): Timer => setTimeout(() => controller.abort(expired()), ms);
  let timer: Timer | undefined = arm(timeoutMs);
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    rearm(ms) {
      clearTimeout(timer);
      timer = ms === undefined ? undefined : arm(ms);
    },
    release() {
      clearTimeout(timer);
      parent.removeEventListener("abort", follow);
    },
  };
}
