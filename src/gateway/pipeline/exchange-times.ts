// When a request reached each step of the pipeline. A step costs one reading of the clock.
import { notReached, timingText } from "../../canonical/timings.ts";
import type { Clock } from "../../lib/clock.ts";

/** When the steps before the pipeline ended, as in the context of the request. */
interface BeforePipeline {
  readonly arrivedMs: number;
  readonly authenticatedMs?: number | undefined;
  readonly readMs?: number | undefined;
}

/** Monotonic milliseconds. One object for each request, without closures: docs/decisions/0015-state-of-a-request.md. */
export class ExchangeTimes {
  declare readonly arrived: number;
  declare private readonly authenticated: number;
  declare private readonly received: number;
  declare private readonly parsed: number;
  declare private begun: number;
  declare authorized: number;
  declare routed: number;
  declare admitted: number;
  declare recorded: number;
  declare ended: number;

  constructor({ arrivedMs, authenticatedMs, readMs }: BeforePipeline, nowMs: number) {
    this.arrived = arrivedMs;
    this.authenticated = authenticatedMs ?? notReached;
    this.received = authenticatedMs === undefined || readMs === undefined ? notReached : authenticatedMs + readMs;
    this.parsed = nowMs;
    this.begun = notReached;
    this.authorized = notReached;
    this.routed = notReached;
    this.admitted = notReached;
    this.recorded = notReached;
    this.ended = notReached;
  }

  /** The admission begins; where requests wait for it, once for each try, of which the last one counts. */
  begin(clock: Clock): void {
    this.begun = this.begun === notReached ? this.parsed : clock.monotonicMs();
  }

  /**
   * The duration of each part up to now, as a row stores it. The start of the last attempt and the first byte are counted
   * from the arrival; null without them.
   */
  text(attemptMs: number | null, firstByteMs: number | null, nowMs: number): string {
    const { arrived, ended } = this;
    const hasReply = firstByteMs !== null;
    const attempted = hasReply ? attemptMs : ended === notReached ? null : ended - arrived;
    const marks = [
      this.authenticated,
      this.received,
      this.parsed,
      this.begun,
      this.authorized,
      this.routed,
      this.admitted,
      this.recorded,
      attempted === null ? notReached : arrived + attempted,
      hasReply ? arrived + firstByteMs : notReached,
      hasReply ? ended : notReached,
      nowMs,
    ];
    return timingText(marks, arrived);
  }
}
