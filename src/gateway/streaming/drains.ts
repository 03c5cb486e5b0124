// Streams without a reader whose upstream has sent its finish: a few at a time may end by themselves.

export interface Drains {
  /** Maximum tokens that may still arrive. */
  readonly maxTokens: number;
  /** Resolves when `begin` calls `done`, or at the timeout; at once, without `begin`, if too many are running. */
  drain(begin: (done: () => void) => void): Promise<void>;
}

/** Usage follows a finish within this time and these tokens, or not at all. By the names of the limits. */
interface DrainBounds {
  readonly maxDrainedStreams: number;
  readonly drainedStreamMs: number;
  readonly drainedStreamTokens: number;
}

export function createDrains(bounds: DrainBounds): Drains {
  let underWay = 0;
  return {
    get maxTokens() {
      return bounds.drainedStreamTokens;
    },
    async drain(begin) {
      if (underWay >= bounds.maxDrainedStreams) return;
      underWay++;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, bounds.drainedStreamMs);
      try {
        begin(resolve);
        await promise;
      } finally {
        clearTimeout(timer);
        underWay--;
      }
    },
  };
}
