// What goes to a client beside the frames of a stream: signs of life, errors, and what watches the frames.
import type { GatewayError } from "../../canonical/error.ts";

/** What the pipe needs from the room above: the client's wire for silence and for errors. */
export interface StreamEncoder {
  heartbeat(started: boolean): Uint8Array;
  /** Empty where the wire has no words for it. */
  error(error: GatewayError): Uint8Array;
  readonly tap?: StreamInterceptor;
}

/** Sees whole frames on their way to the client, and may put others in their place. */
export interface StreamInterceptor {
  pass(bytes: Uint8Array): Uint8Array;
  /** The last ones of a reply that came well, before they leave. Never rejects. */
  last(bytes: Uint8Array): Promise<Uint8Array>;
}
