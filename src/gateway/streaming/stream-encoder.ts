// What a client receives in addition to the frames of a stream: heartbeats and errors; and the interceptor of frames.
import type { GatewayError } from "../../canonical/error.ts";
import type { ResponseFrame } from "../../dialects/dialect.ts";

/** The client's format for heartbeats and errors. */
export interface StreamEncoder {
  heartbeat(started: boolean): Uint8Array;
  /** Empty if the format has no errors within a stream. */
  error(error: GatewayError): readonly ResponseFrame[];
  readonly tap?: StreamInterceptor;
}

/** Receives the frames of a stored response on their way to the client. */
export interface StreamInterceptor {
  pass(frames: readonly ResponseFrame[]): void;
  /** The last ones, before they are sent: the returned frames are sent instead. Never rejects. */
  last(frames: readonly ResponseFrame[], error: GatewayError | null): Promise<readonly ResponseFrame[]>;
}
