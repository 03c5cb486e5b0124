// Wall and monotonic time, passed as a value so that tests can control it.

export interface Clock {
  /** Wall time in Unix milliseconds: for records, never for durations. */
  nowMs(): number;
  /** Milliseconds that never go backwards: for durations and deadlines. */
  monotonicMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
