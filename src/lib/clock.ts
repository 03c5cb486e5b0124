// The two times a gateway needs, given as a value so that tests can hold them still.

export interface Clock {
  /** Wall time in Unix milliseconds: for records, never for durations. */
  nowMs(): number;
  /** Milliseconds that only go forward: for durations and deadlines. */
  monotonicMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
