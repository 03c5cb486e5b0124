// A whole reply told as a stream, for clients that asked for one where the upstream has none.
import type { Dialect } from "../../dialects/dialect.ts";
import { formatFrame } from "../../lib/sse.ts";
import type { Lane } from "../attempts/upstream-plan.ts";
import type { Inquiry } from "../pipeline/gateway-request.ts";
import { type ReadReply, understood } from "./buffered-response.ts";
import type { Meter } from "./meter.ts";
import type { Flow } from "./upstream-stream.ts";

const encoder = new TextEncoder();

/** True where the client's dialect can tell a whole reply as a stream, and the upstream gave none: its dialect has none, or it did not care. */
export function mustBeTold({ dialect }: Inquiry, upstream: Dialect, headers: Headers): boolean {
  if (dialect.stream?.whole === undefined) return false;
  return upstream.stream === undefined || !(headers.get("content-type") ?? "").startsWith("text/event-stream");
}

/** The reply as a flow of one piece. */
export function toldFlow(read: ReadReply, lane: Lane, inquiry: Inquiry, meter: Meter, origin: string): Flow {
  const said = understood(read, lane, { origin, ask: inquiry.ask });
  const answer = read.usage === undefined ? said : { ...said, usage: read.usage };
  if (answer.usage !== undefined) meter.see({ type: "finish", stops: [], usage: answer.usage });
  const frames = inquiry.dialect.stream?.whole?.(answer, inquiry.write) ?? [];
  const bytes = encoder.encode(frames.map(formatFrame).join(""));
  return {
    next: async (consume) => consume({ bytes, end: { error: null } }),
    signs: () => ({ events: 1, keepAlives: 0 }),
    apologise: () => null,
    finishing: () => false,
    type: () => null,
    close: () => undefined,
  };
}
