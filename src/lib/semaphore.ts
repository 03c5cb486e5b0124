// A gate that lets a few through at a time; the others wait in order.

export interface Gate {
  /** Resolves when there is room. */
  enter(): Promise<void>;
  /** Makes room for the next; once for each that entered. */
  leave(): void;
  /** How many are inside or wait. */
  count(): number;
}

export function createGate(most: number): Gate {
  const waiting: (() => void)[] = [];
  let inside = 0;
  return {
    enter() {
      if (inside < most) {
        inside++;
        return Promise.resolve();
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      return promise;
    },
    leave() {
      const next = waiting.shift();
      // The place goes on to the next one, so that nobody slips in between.
      if (next === undefined) inside--;
      else next();
    },
    count: () => inside + waiting.length,
  };
}
