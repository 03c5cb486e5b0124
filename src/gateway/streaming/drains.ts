// Streams that nobody reads any more and whose upstream has said its finish: a few at a time may end by themselves.

export interface Drains {
  /** Tokens that one may still bring. */
  readonly maxTokens: number;
  /** Resolves when `begin` says that it is done, or its time is up; at once, without `begin`, where too many are under way. */
  drain(begin: (done: () => void) => void): Promise<void>;
}

/** Usage follows a finish within its time and its tokens, or not at all. By the names of the limits. */
export interface DrainBounds {
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
