// The timeouts of an attempt: one table with their fields and defaults, which docs/configuration.md shows.

/** In milliseconds. */
export interface Timeouts {
  /** Until a connection is made. */
  readonly connectMs: number;
  /** From the request to the first event of a stream. */
  readonly firstByteMs: number;
  /** Between two reads of a stream that has started. */
  readonly idleMs: number;
  /** From the request to the status line of a complete reply. */
  readonly wholeMs: number;
}

interface TimeoutRow {
  /** In the configuration, of a provider, a route, and an operation of a route. */
  readonly field: string;
  readonly meaning: string;
  /** Where it has an effect. */
  readonly operations: string;
}

export const timeoutRows: { readonly [name in keyof Timeouts]: TimeoutRow } = {
  connectMs: { field: "connect_timeout_ms", operations: "all but `video`", meaning: "Timeout for the connection." },
  firstByteMs: {
    field: "first_byte_timeout_ms",
    operations: "streams",
    meaning: "Timeout for the first byte of a stream.",
  },
  idleMs: { field: "idle_timeout_ms", operations: "streams", meaning: "Timeout between two events of a stream." },
  wholeMs: {
    field: "timeout_ms",
    operations: "all; `video`: until the task is accepted",
    meaning: "Timeout for a complete response that is not streamed.",
  },
};

export const defaultTimeouts: Timeouts = { connectMs: 5_000, firstByteMs: 300_000, idleMs: 120_000, wholeMs: 600_000 };
/** For models that reason before they respond. */
export const reasoningTimeouts: Timeouts = {
  ...defaultTimeouts,
  firstByteMs: 600_000,
  idleMs: 300_000,
  wholeMs: 900_000,
};
export const maxTimeoutMs = 86_400_000;
