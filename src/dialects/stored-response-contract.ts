// What the gateway and a dialect whose responses are stored say to each other: whose response it is, and what a frame holds of it.
import type { JsonObject } from "../lib/json.ts";
import type { Frame } from "../lib/sse.ts";

/** One item of a conversation, as its dialect writes it. */
export type Item = JsonObject;

/** A response as it is stored, and as a client gets it again. */
export type ResponseDocument = JsonObject;

/** What the gateway decides about a response, whichever provider generates it. */
export interface ResponseIdentity {
  readonly id: string;
  readonly isStored: boolean;
  /** The gateway itself has sent the event that opens the stream. */
  readonly isBackground: boolean;
  readonly previousId: string | null;
}

/** A frame with what it holds of a response, so that its text need not be parsed again. */
export interface ResponseFrame extends Frame {
  /** The response from this frame on. */
  readonly response?: ResponseDocument;
  /** Set on the frame that ends the stream: the same frame with another response. */
  readonly withResponse?: (response: ResponseDocument) => Frame;
  /** An item that is complete, or as far as it came. */
  readonly item?: Item;
}
