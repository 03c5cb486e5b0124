// Streams that nobody reads any more and whose upstream has said its finish: a few at a time may end by themselves.

export interface Drains {
  /** Tokens that one may still bring. */
  readonly maxTokens: number;
  /** Resolves when `begin` says that it is done, or its time is up; at once, without `begin`, where too many are under way. */
  drain(begin: (done: () => void) => void): Promise<void>;
}

export interface DrainBounds {
  readonly maxAtOnce: number;
  readonly maxMs: number;
  readonly maxTokens: number;
}

/** 5 seconds and 4,096 tokens: usage follows a finish within both, or not at all. */
export const usualDrains: DrainBounds = { maxAtOnce: 256, maxMs: 5_000, maxTokens: 4_096 };

export function createDrains({ maxAtOnce, maxMs, maxTokens }: DrainBounds): Drains {
  let underWay = 0;
  return {
    maxTokens,
    async drain(begin) {
      if (underWay >= maxAtOnce) return;
      underWay++;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, maxMs);
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
