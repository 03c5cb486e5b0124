// The caller and the connection of a request, and its reply.
import type { JsonObject } from "../../lib/json.ts";
import type { Caller } from "../policy/caller.ts";
import type { StreamEncoder } from "../streaming/stream-encoder.ts";
import type { Exchange, ServedBy } from "./exchange.ts";

/** The caller and the connection. */
export interface RequestContext {
  readonly caller: Caller;
  /** Aborted when the client disconnects. Creating it is expensive, so it is only created where it is needed. */
  readonly signal: () => AbortSignal;
  /** Closes the client's connection, even if it reads nothing. Absent without a connection. */
  readonly drop?: (() => void) | undefined;
  /** Monotonic time of arrival, in milliseconds. */
  readonly arrivedMs: number;
  /** When its key was verified, as `arrivedMs`. Absent: not measured. */
  readonly authenticatedMs?: number | undefined;
  /** How long the client took to send the body. Absent: no time. */
  readonly readMs?: number | undefined;
  /** The request id that the client sees. */
  readonly requestId: string;
  /** The session of an agent, if the request names one. */
  readonly session: string | null;
  /** Heartbeats and errors of a stream; absent: in the format of the request's own dialect. */
  readonly encoder?: StreamEncoder;
  /** Called when the row of the ledger is open, before anything is sent. */
  readonly opened?: () => void;
}

/** `by` is unknown for a stream that had to start with heartbeats. */
export interface GatewayReply {
  readonly body: Uint8Array | string | ReadableStream<Uint8Array>;
  /** In place of a body if the request is for a value. */
  readonly json?: JsonObject;
  /** Content-Type, if it is neither JSON nor events. */
  readonly type?: string;
  readonly servedBy: ServedBy | null;
  /**
   * What the caller pays, in nano-dollars; null if the model has no price. Unknown for a stream, which has not ended.
   */
  readonly price?: bigint | null;
  /** True: the provider did not report the usage. Unknown for a stream, which has not ended. */
  readonly isEstimated?: boolean;
  /** Its exchange; that of a stream is settled before its last bytes. */
  readonly exchange?: Pick<Exchange, "id" | "settlement">;
}
