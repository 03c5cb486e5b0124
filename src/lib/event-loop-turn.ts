// Splits long work into turns of the event loop, so that other requests are not blocked.

/** Resolves in the next turn of the event loop, after everything that was waiting. */
export const nextEventLoopTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Bodies up to this size are processed in one turn. */
const inOneTurnBytes = 64 * 1024;

/** Whether each phase of a body is a separate turn. */
export const isLarge = (bytes = 0): boolean => bytes > inOneTurnBytes;

/** Resolves when the next phase of a request may start. `bytes` is the size of its body. */
export async function betweenPhases(bytes: number): Promise<void> {
  if (isLarge(bytes)) await nextEventLoopTurn();
}

/** The next phase of a request, at once if it is small. */
export function inNextPhase<Result>(bytes: number, phase: () => Promise<Result>): Promise<Result> {
  return isLarge(bytes) ? nextEventLoopTurn().then(phase) : phase();
}

/** Runs work that is split into steps, each in a turn of its own. */
export async function inSteps<Result>(work: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await nextEventLoopTurn();
  }
}
