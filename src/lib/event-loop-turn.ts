// Letting others go first: long work takes a breath between its steps.

/** Resolves in the next turn of the event loop, when whatever waited has been served. */
export const nextEventLoopTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What a body of this size needs is done in one turn. */
const inOneTurnBytes = 64 * 1024;

/** True for a body whose phases take a turn each: others may go first in between. */
export const isLarge = (bytes = 0): boolean => bytes > inOneTurnBytes;

/** Resolves when the next phase of a request may begin. `bytes` is the size of its body. */
export async function betweenPhases(bytes: number): Promise<void> {
  if (isLarge(bytes)) await nextEventLoopTurn();
}

/** The next phase of a request, at once where it is small. */
export function inNextPhase<Result>(bytes: number, phase: () => Promise<Result>): Promise<Result> {
  return isLarge(bytes) ? nextEventLoopTurn().then(phase) : phase();
}

/** Does work that is made of steps, each in a turn of its own. */
export async function inSteps<Result>(work: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await nextEventLoopTurn();
  }
}
