// One timer for many waiters: whoever must look at something now and then joins, and costs nothing in between.

export interface Ticker {
  readonly tickMs: number;
  /** Calls `look` once a tick until it leaves. */
  join(look: () => void): void;
  leave(look: () => void): void;
}

/** The timer stops at the first tick that finds nobody, and keeps no process alive. */
export function createTicker(tickMs: number): Ticker {
  const looks = new Set<() => void>();
  let timer: Timer | undefined;
  const tick = (): void => {
    if (looks.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
    for (const look of looks) look();
  };
  return {
    tickMs,
    join(look) {
      looks.add(look);
      if (timer !== undefined) return;
      timer = setInterval(tick, tickMs);
      timer.unref();
    },
    leave: (look) => void looks.delete(look),
  };
}
