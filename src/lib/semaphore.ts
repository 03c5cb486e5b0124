// A gate that lets a few through at a time; the others wait in order.

export interface Semaphore {
  /** Resolves when there is room. */
  acquire(): Promise<void>;
  /** Makes room for the next; once for each that entered. */
  release(): void;
  /** How many are inside or wait. */
  count(): number;
}

export function createSemaphore(most: number): Semaphore {
  const waiting: (() => void)[] = [];
  let inside = 0;
  return {
    acquire() {
      if (inside < most) {
        inside++;
        return Promise.resolve();
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      return promise;
    },
    release() {
      const next = waiting.shift();
      // The place goes on to the next one, so that nobody slips in between.
      if (next === undefined) inside--;
      else next();
    },
    count: () => inside + waiting.length,
  };
}
