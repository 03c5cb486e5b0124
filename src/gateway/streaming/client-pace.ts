// Detects clients that read nothing, or very little, of their stream, and so occupy memory.
import type { SharedInterval } from "../../lib/shared-interval.ts";
import type { Backlog } from "./backlog.ts";

export interface ClientPaceRules {
  /** A client that reads nothing for so long is closed. */
  readonly stallMs: number;
  /** So is one that was behind for most of `stallMs` and read less. */
  readonly minBytesPerSecond: number;
  readonly backlog: Backlog;
  readonly ticker: SharedInterval;
}

export interface ClientPace {
  /** The client is ready for more. */
  wants(): void;
  /** Once a tick: whether the client is ready for more, and how many bytes it has received in total. */
  look(isWaiting: boolean, bytes: number): void;
  leave(): void;
}

/** `cut` is called when the client is too slow; it must lead to `leave`. */
export function createClientPace(
  { stallMs, minBytesPerSecond, backlog, ticker }: ClientPaceRules,
  cut: () => void,
): ClientPace {
  let isBehind = false;
  let stalledTicks = 0;
  let windowTicks = 0;
  let behindTicks = 0;
  let bytesBefore = 0;
  const caughtUp = (): void => {
    isBehind = false;
    backlog.remove(cut);
  };
  /** A client that reads a little at intervals occupies as much memory as one that reads nothing. */
  const isTooSlow = (bytes: number): boolean => {
    const windowMs = ++windowTicks * ticker.tickMs;
    if (windowMs < stallMs) return false;
    const isSlow = (bytes - bytesBefore) * 1000 < minBytesPerSecond * windowMs && behindTicks * 2 > windowTicks;
    windowTicks = 0;
    behindTicks = 0;
    bytesBefore = bytes;
    return isSlow;
  };
  return {
    wants() {
      stalledTicks = 0;
      if (isBehind) caughtUp();
    },
    look(isWaiting, bytes) {
      if (!isWaiting) {
        if (!isBehind) backlog.add(cut);
        isBehind = true;
        behindTicks++;
        stalledTicks++;
      }
      if (isTooSlow(bytes) || stalledTicks * ticker.tickMs >= stallMs) cut();
    },
    leave() {
      if (isBehind) caughtUp();
    },
  };
}
