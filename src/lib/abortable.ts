// Waits that an abort signal ends: for work that cannot be stopped, and for time.
import type { Cancellation } from "./cancellation.ts";

/** The outcome of the work, or the signal's reason if that comes first. The work itself is not stopped. */
export function raceAbort<T>(work: Promise<T>, signal: Cancellation): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const giveUp = (): void => reject(signal.reason);
  if (signal.aborted) giveUp();
  signal.addEventListener("abort", giveUp);
  work.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  return promise;
}

/** Waits for the time, or rejects with the signal's reason if that comes first. */
export function pause(ms: number, signal: Cancellation): Promise<void> {
  if (signal.aborted) return Promise.reject(signal.reason);
  if (ms === 0) return Promise.resolve();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = (): void => {
    clearTimeout(timer);
    reject(signal.reason);
  };
  const timer = setTimeout(() => {
    signal.removeEventListener("abort", stop);
    resolve();
  }, ms);
  signal.addEventListener("abort", stop);
  return promise;
}
