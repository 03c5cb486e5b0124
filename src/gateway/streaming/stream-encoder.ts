// What goes to a client beside the frames of a stream: signs of life, errors, and what watches the frames.
import type { GatewayError } from "../../canonical/error.ts";
import type { ResponseFrame } from "../../dialects/dialect.ts";

/** What the pipe needs from the room above: the client's wire for silence and for errors. */
export interface StreamEncoder {
  heartbeat(started: boolean): Uint8Array;
  /** Empty where the wire has no words for it. */
  error(error: GatewayError): readonly ResponseFrame[];
  readonly tap?: StreamInterceptor;
}

/** Sees the frames of a response that is stored, on their way to the client. */
export interface StreamInterceptor {
  pass(frames: readonly ResponseFrame[]): void;
  /** The last ones, before they leave: what it returns leaves in their place. Never rejects. */
  last(frames: readonly ResponseFrame[], error: GatewayError | null): Promise<readonly ResponseFrame[]>;
}
