// One timer for many subscribers that check something periodically.

export interface SharedInterval {
  readonly tickMs: number;
  /** Calls `look` at every tick until it unsubscribes. */
  subscribe(look: () => void): void;
  unsubscribe(look: () => void): void;
}

/** The timer stops at the first tick without subscribers, and does not keep the process alive. */
export function createSharedInterval(tickMs: number): SharedInterval {
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
    subscribe(look) {
      looks.add(look);
      if (timer !== undefined) return;
      timer = setInterval(tick, tickMs);
      timer.unref();
    },
    unsubscribe: (look) => void looks.delete(look),
  };
}
