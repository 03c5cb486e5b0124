// Thinking signatures: how they travel through clients, and which of them an upstream may receive.
import {
  type ProviderState,
  readProviderState,
  unwrapCallState,
  unwrapProviderState,
  wrapProviderState,
} from "../../canonical/provider-state.ts";

export const dialectName = "anthropic-messages";

/** The origin of signatures that clients of this dialect receive without an envelope. */
export const nativeOrigin = "anthropic";

/** Clients refuse an empty signature, so unsigned thinking carries an envelope of this origin. */
const unsigned: ProviderState = { origin: "none", data: "" };

/** The state of a call, carried by the thinking block before it, because a call has no member for it here. */
export function callState(text: unknown): ProviderState | null {
  return typeof text === "string" ? unwrapCallState(text) : null;
}

/** The canonical form of a signature; undefined when there is none. Text without an envelope was made by `origin`. */
export function readSignature(text: unknown, origin: string): ProviderState | undefined {
  if (typeof text !== "string" || text === "" || callState(text) !== null) return undefined;
  const state = readProviderState(text, origin);
  return state.data === "" ? undefined : state;
}

/** What the client receives: a native signature unchanged, any other in the gateway's envelope, never an empty text. */
export function writeSignature(signature: ProviderState | undefined): string {
  if (signature === undefined || signature.data === "") return wrapProviderState(unsigned);
  return signature.origin === nativeOrigin ? signature.data : wrapProviderState(signature);
}

/** The state that the upstream `origin` may receive: only its own, otherwise null. */
export function ownState(signature: ProviderState | undefined, origin: string): string | null {
  return signature !== undefined && signature.origin === origin && signature.data !== "" ? signature.data : null;
}

/** A client's signature for the upstream `origin`: opened from its envelope; null for one of another origin. */
export function forUpstream(text: string, origin: string): string | null {
  if (callState(text) !== null) return null;
  const state = unwrapProviderState(text);
  return state === null ? text : ownState(state, origin);
}
