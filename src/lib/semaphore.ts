// A semaphore that lets a limited number through at a time; the others wait in order.

export interface Semaphore {
  /** Resolves when a slot is free. */
  acquire(): Promise<void>;
  /** Frees the slot; once for each that was acquired. */
  release(): void;
  /** How many are running or waiting. */
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
      // The slot passes directly to the next one in line.
      if (next === undefined) inside--;
      else next();
    },
    count: () => inside + waiting.length,
  };
}
