// The timers of streams to clients, by the limits of the configuration in effect.
import type { Limits } from "./config/limits.ts";
import type { Backlog } from "./gateway/streaming/backlog.ts";
import type { StreamTimers } from "./gateway/streaming/client-stream.ts";
import { createSharedInterval } from "./lib/shared-interval.ts";

/** Ticks are a fifteenth of a heartbeat: a second, unless a test is in a hurry. */
export function streamTimersOf(heartbeatMs: number, limits: Limits, backlog: Backlog): StreamTimers {
  const ticker = createSharedInterval(heartbeatMs / 15);
  return {
    ...{ heartbeatMs, backlog, ticker, bounds: limits },
    // Limits change while the gateway runs.
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
