// The timers of streams to clients, by the limits of the configuration in effect.
import type { Limits } from "../config/limits.ts";
import type { Backlog } from "../gateway/streaming/backlog.ts";
import type { StreamTimers } from "../gateway/streaming/client-stream.ts";
import { createSharedInterval } from "../lib/shared-interval.ts";

/** The tick of heartbeats, which is how late one may be: a second, unless a test is in a hurry. */
const second = 1_000;

/** `fixedMs` takes the place of the configured time between heartbeats. */
export function streamTimersOf(fixedMs: number | undefined, limits: Limits, backlog: Backlog): StreamTimers {
  const ticker = createSharedInterval(fixedMs === undefined ? second : fixedMs / 15);
  return {
    ...{ backlog, ticker, bounds: limits },
    // Limits change while the gateway runs.
    get heartbeatMs() {
      return fixedMs ?? limits.heartbeatMs;
    },
    get stallMs() {
      return limits.clientStallMs;
    },
    get minBytesPerSecond() {
      return limits.minClientBytesPerSecond;
    },
    get keepAliveMs() {
      return limits.keepAliveMs;
    },
  };
}
