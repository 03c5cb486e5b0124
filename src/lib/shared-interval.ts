// One timer for many subscribers that check something periodically.
import { LiveList, type Member } from "./live-list.ts";

/** Called at every tick. A subscriber of one interval at most. */
interface Look extends Member {
  (): void;
}

export interface SharedInterval {
  readonly tickMs: number;
  /** Calls `look` at every tick until it unsubscribes. */
  subscribe(look: Look): void;
  unsubscribe(look: Look): void;
}

/** The timer stops at the first tick without subscribers, and does not keep the process alive. */
export function createSharedInterval(tickMs: number): SharedInterval {
  const looks = new LiveList<Look>();
  let timer: Timer | undefined;
  const tick = (): void => {
    if (looks.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
    looks.each((look) => look());
  };
  return {
    tickMs,
    subscribe(look) {
      looks.add(look);
      if (timer !== undefined) return;
      timer = setInterval(tick, tickMs);
      timer.unref();
    },
    unsubscribe: (look) => looks.remove(look),
  };
}
