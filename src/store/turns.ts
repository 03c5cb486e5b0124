// Orders statements and transactions on one shared connection: a transaction runs without any other statement.

export interface Turns {
  /** Runs concurrently with other statements, after every transaction that was queued before. */
  statement<Result>(run: () => Promise<Result>): Promise<Result>;
  /** Runs when everything queued before it has ended. */
  transaction<Result>(run: () => Promise<Result>): Promise<Result>;
}

const ignore = (): undefined => undefined;

export function createTurns(): Turns {
  const statements = new Set<Promise<unknown>>();
  /** The last transaction that is waiting or running. */
  let last: Promise<unknown> | null = null;
  return {
    async statement(run) {
      while (last !== null) await last.catch(ignore);
      const running = run();
      statements.add(running);
      try {
        return await running;
      } finally {
        statements.delete(running);
      }
    },
    async transaction(run) {
      const before = Promise.allSettled([last, ...statements]);
      const mine = before.then(run).finally(() => {
        if (last === mine) last = null;
      });
      last = mine;
      return await mine;
    },
  };
}
