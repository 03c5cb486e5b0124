// One timer for many waiters: whoever must look at something now and then joins, and costs nothing in between.

export interface Ticker {
  /** Calls `look` once a tick until it leaves. */
  join(look: () => void): void;
  leave(look: () => void): void;
}

/** The timer runs only while somebody has joined, and keeps no process alive. */
export function createTicker(tickMs: number): Ticker {
  const looks = new Set<() => void>();
  let timer: Timer | undefined;
  return {
    join(look) {
      looks.add(look);
      if (timer !== undefined) return;
      timer = setInterval(() => {
        for (const waiting of looks) waiting();
      }, tickMs);
      timer.unref();
    },
    leave(look) {
      looks.delete(look);
      if (looks.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    },
  };
}
