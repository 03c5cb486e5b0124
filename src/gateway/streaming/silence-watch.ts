// How long an upstream has been idle: events count as activity, and documented keep-alives do for a while.
import type { EndMarkers } from "./end-markers.ts";
import type { UpstreamStream } from "./upstream-stream.ts";

interface Watched {
  readonly flow: Pick<UpstreamStream, "endMarkers">;
  readonly idleMs: number;
}

interface Patience {
  /** How long it may send only keep-alives. */
  readonly keepAliveMs: number;
  readonly ticker: { readonly tickMs: number };
}

/** Checked at each tick while waiting for the upstream. One object for each stream. */
export class SilenceWatch {
  /** Ticks since its last activity, and since its last event. */
  private waitedTicks = 0;
  private eventlessTicks = 0;
  /** The markers at the last tick. */
  private signs: EndMarkers = { events: 0, keepAlives: 0 };

  /** True when it has been idle for too long. Other comments do not count as activity. */
  isOver({ flow, idleMs }: Watched, { keepAliveMs, ticker: { tickMs } }: Patience): boolean {
    const { events, keepAlives } = flow.endMarkers();
    if (events !== this.signs.events) this.eventlessTicks = 0;
    if (events !== this.signs.events || keepAlives !== this.signs.keepAlives) this.waitedTicks = 0;
    this.signs = { events, keepAlives };
    // The first tick may come directly after the last chunk, so it proves no idle time.
    const isSilent = this.waitedTicks++ * tickMs >= idleMs;
    const isEventless = this.eventlessTicks++ * tickMs >= Math.max(idleMs, keepAliveMs);
    return isSilent || isEventless;
  }
}
