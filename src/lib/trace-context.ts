// The W3C trace context: which trace a request belongs to (https://www.w3.org/TR/trace-context/).

/** The position of a request in a trace. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  /** The lowest bit: the trace is sampled. */
  readonly flags: number;
  /** Positions in the systems of vendors; empty if there are none. */
  readonly state: string;
}

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const isZero = /^0+$/;
/** Longer ones may be dropped, and so are ones with other characters. */
const statePattern = /^[\x20-\x7e]{1,512}$/;

/** Null for an invalid `traceparent`, which is ignored together with its `tracestate`. */
export function traceParentOf(header: (name: string) => string | null): TraceParent | null {
  const text = header("traceparent");
  const [, version, traceId, spanId, flags, rest] = (text === null ? null : pattern.exec(text)) ?? [];
  if (version === undefined || traceId === undefined || spanId === undefined || flags === undefined) return null;
  if (version === "ff" || (version === "00" && rest !== undefined)) return null;
  if (isZero.test(traceId) || isZero.test(spanId)) return null;
  const state = header("tracestate") ?? "";
  return { traceId, spanId, flags: Number.parseInt(flags, 16), state: statePattern.test(state) ? state : "" };
}

/** The headers for a request that belongs to the trace. */
export function traceHeaders({ traceId, spanId, flags, state }: TraceParent): Record<string, string> {
  const traceparent = `00-${traceId}-${spanId}-${(flags & 1).toString(16).padStart(2, "0")}`;
  return state === "" ? { traceparent } : { traceparent, tracestate: state };
}
