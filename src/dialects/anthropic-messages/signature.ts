// Proof of thought: how signatures travel through clients, and which of them an upstream may see again.
import {
  type ProviderState,
  readProviderState,
  unwrapCallState,
  unwrapProviderState,
  wrapProviderState,
} from "../../canonical/provider-state.ts";

export const dialectName = "anthropic-messages";

/** The maker of signatures that clients of this dialect hold bare. */
export const nativeOrigin = "anthropic";

/** Clients refuse an empty signature, so thought that nobody signed carries an envelope of this origin. */
const unsigned: ProviderState = { origin: "none", data: "" };

/** The state of a call, which a thinking block before it carries: a call has no place for it on this wire. */
export function callState(text: unknown): ProviderState | null {
  return typeof text === "string" ? unwrapCallState(text) : null;
}

/** The signature as canon keeps it; undefined when there is none. Bare text was made by `origin`. */
export function readSignature(text: unknown, origin: string): ProviderState | undefined {
  if (typeof text !== "string" || text === "" || callState(text) !== null) return undefined;
  const state = readProviderState(text, origin);
  return state.data === "" ? undefined : state;
}

/** What the client holds: the native signature bare, any other in the gateway's envelope, never an empty text. */
export function writeSignature(signature: ProviderState | undefined): string {
  if (signature === undefined || signature.data === "") return wrapProviderState(unsigned);
  return signature.origin === nativeOrigin ? signature.data : wrapProviderState(signature);
}

/** What the upstream `origin` may see: the state that it made itself, else null. */
export function ownState(signature: ProviderState | undefined, origin: string): string | null {
  return signature !== undefined && signature.origin === origin && signature.data !== "" ? signature.data : null;
}

/** A client's signature for the upstream `origin`: bare text as it is, own envelopes opened, foreign ones null. */
export function forUpstream(text: string, origin: string): string | null {
  if (callState(text) !== null) return null;
  const state = unwrapProviderState(text);
  return state === null ? text : ownState(state, origin);
}
