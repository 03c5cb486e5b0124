// Giving up on work that cannot be stopped.

/** The work's outcome, or the signal's reason where that comes first. What cannot be stopped goes on unheard. */
export function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const giveUp = (): void => reject(signal.reason);
  if (signal.aborted) giveUp();
  signal.addEventListener("abort", giveUp, { once: true });
  work.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  return promise;
}
