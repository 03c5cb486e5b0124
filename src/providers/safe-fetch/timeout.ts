// How long one fetch may take in all, and that it ends when its caller has left.

/** Calls once after so many milliseconds; gives what takes that back. */
export type SetTimer = (call: () => void, afterMs: number) => () => void;

export const systemTimer: SetTimer = (call, afterMs) => {
  const timer = setTimeout(call, afterMs);
  timer.unref();
  return () => clearTimeout(timer);
};

export interface Deadline {
  readonly signal: AbortSignal;
  /** Forgets the timer and the parent. */
  release(): void;
}

/** A timer of its own, and a listener: they cost little compared with a fetch, and are exact. */
export function withTimeout(
  parent: AbortSignal,
  timeoutMs: number,
  setTimer: SetTimer,
  expired: () => unknown,
): Deadline {
  const controller = new AbortController();
  const follow = (): void => controller.abort(parent.reason);
  if (parent.aborted) follow();
  else parent.addEventListener("abort", follow, { once: true });
  const takeBack = setTimer(() => controller.abort(expired()), timeoutMs);
  const release = (): void => {
    takeBack();
    parent.removeEventListener("abort", follow);
  };
  return { signal: controller.signal, release };
}
