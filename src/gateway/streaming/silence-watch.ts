// How long an upstream has been silent: events are life, and what a vendor documents as "still at work" is life for a while.
import type { EndMarkers } from "./end-markers.ts";
import type { UpstreamStream } from "./upstream-stream.ts";

interface Watched {
  readonly flow: Pick<UpstreamStream, "endMarkers">;
  readonly idleMs: number;
}

interface Patience {
  /** How long it may send nothing but signs that it is still at work. */
  readonly keepAliveMs: number;
  readonly ticker: { readonly tickMs: number };
}

/** Looked at with each tick of waiting for the upstream. One object for each stream. */
export class SilenceWatch {
  /** Ticks since its last sign of life, and since its last event. */
  private waitedTicks = 0;
  private eventlessTicks = 0;
  /** What it had sent at the last tick. */
  private signs: EndMarkers = { events: 0, keepAlives: 0 };

  /** True when it has been silent for too long. Comments other than those signs are silence. */
  isOver({ flow, idleMs }: Watched, { keepAliveMs, ticker: { tickMs } }: Patience): boolean {
    const { events, keepAlives } = flow.endMarkers();
    if (events !== this.signs.events) this.eventlessTicks = 0;
    if (events !== this.signs.events || keepAlives !== this.signs.keepAlives) this.waitedTicks = 0;
    this.signs = { events, keepAlives };
    // The first tick may come right behind the last chunk: it proves no silence.
    const isSilent = this.waitedTicks++ * tickMs >= idleMs;
    const isEventless = this.eventlessTicks++ * tickMs >= Math.max(idleMs, keepAliveMs);
    return isSilent || isEventless;
  }
}
