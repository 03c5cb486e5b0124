// Letting others go first: long work takes a breath between its steps.

/** Resolves in the next turn of the event loop, when whatever waited has been served. */
export const nextEventLoopTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Does work that is made of steps, each in a turn of its own. */
export async function inSteps<Result>(work: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await nextEventLoopTurn();
  }
}
