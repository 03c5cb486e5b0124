// Who asks for an answer, on which connection, and the answer that goes back.
import type { JsonObject } from "../../lib/json.ts";
import type { Caller } from "../policy/caller.ts";
import type { StreamEncoder } from "../streaming/stream-encoder.ts";
import type { Exchange, ServedBy } from "./exchange.ts";

/** Who asks, on which connection. */
export interface RequestContext {
  readonly caller: Caller;
  /** Aborted when the client goes away. Making it costs, so it is asked for where it is needed, and late. */
  readonly signal: () => AbortSignal;
  /** Closes the client's connection, also while it reads nothing. Absent where there is none. */
  readonly drop?: (() => void) | undefined;
  /** Monotonic time of arrival, in milliseconds. */
  readonly arrivedMs: number;
  /** How long the client took to send the body. Absent: no time. */
  readonly readMs?: number;
  /** The id that the client sees. */
  readonly requestId: string;
  /** The session of an agent, where the request names one. */
  readonly session: string | null;
  /** Silence and errors of a stream; absent: in the words of the request's own dialect. */
  readonly encoder?: StreamEncoder;
}

/** `by` is unknown for a stream that had to begin with heartbeats. */
export interface GatewayReply {
  readonly body: Uint8Array | string | ReadableStream<Uint8Array>;
  /** In place of a body where the request is for a value. */
  readonly json?: JsonObject;
  /** Content-Type, where it is neither JSON nor events. */
  readonly type?: string;
  readonly servedBy: ServedBy | null;
  /** What the caller pays, in nano-dollars; null where the model has no price. Not known of a stream, which has not ended. */
  readonly price?: bigint | null;
  /** True: no provider reported the usage in the reply. Not known of a stream, which has not ended. */
  readonly isEstimated?: boolean;
  /** The exchange that it came from; of a stream, it is settled before its last bytes. */
  readonly exchange?: Pick<Exchange, "id" | "settlement">;
}
