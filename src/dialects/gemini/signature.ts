// Thought signatures: how state travels through clients of this dialect, and which of it an upstream may receive.
import type { ThinkingBlock } from "../../canonical/chat.ts";
import {
  type ProviderState,
  unwrapProviderState,
  unwrapThoughts,
  wrapProviderState,
  wrapThoughts,
} from "../../canonical/provider-state.ts";

export const dialectName = "gemini";

/** The origin of signatures that clients of this dialect receive without an envelope. */
export const nativeOrigin = "gemini";

/** Replaces the signature of a call from another provider's history. Servers accept it. */
export const dummySignature = "skip_thought_signature_validator";
const encodedSentinel = Buffer.from(dummySignature).toString("base64");

/** The start of every Base64 encoded envelope: the field contains bytes, so envelopes are encoded. */
const encodedPrefix = "Z3cxL";

/** Sent to clients for a call without a signature, to distinguish it from a call that lost its own. */
const unsigned: ProviderState = { origin: "none", data: "" };
export const unsignedCall = encode(unsigned);

function encode(state: ProviderState): string {
  return Buffer.from(wrapProviderState(state)).toString("base64");
}

function decoded(text: string): string {
  return text.startsWith(encodedPrefix) ? Buffer.from(text, "base64").toString("utf8") : text;
}

/** The state in an envelope of the gateway, encoded or not; null for any other text. */
export function openEnvelope(text: string): ProviderState | null {
  return unwrapProviderState(decoded(text));
}

/** A thinking block whose state must be sent back. */
export type SignedThought = ThinkingBlock & { readonly signature: ProviderState };

/**
 * The state of thinking blocks for a client. It contains the complete blocks, because a client may store only this
 * text.
 */
export function writeThoughts(blocks: readonly [SignedThought, ...SignedThought[]]): string {
  const [{ signature, text, redacted }, ...others] = blocks;
  if (others.length === 0 && text === "" && redacted) return writeState(signature);
  const thoughts = blocks.map((block) => ({
    text: block.text,
    data: block.signature.data,
    ...(block.redacted ? { redacted: true } : {}),
  }));
  return Buffer.from(wrapThoughts(signature.origin, thoughts)).toString("base64");
}

/** The thinking blocks in `thoughtSignature`; null when it contains none, or only the state of one. */
export function readThoughts(text: unknown): ThinkingBlock[] | null {
  const opened = typeof text === "string" ? unwrapThoughts(decoded(text)) : null;
  if (opened === null) return null;
  return opened.thoughts.map(({ text: thoughtText, data, redacted }) => ({
    type: "thinking",
    text: thoughtText,
    signature: { origin: opened.origin, data },
    ...(redacted === true ? { redacted: true } : {}),
  }));
}

/** What `thoughtSignature` contained. `sealed`: another provider's thinking, in an envelope. */
interface State {
  readonly opaque: ProviderState;
  readonly sealed: boolean;
}

/** Null for missing state, the dummy signature or an empty envelope. Text without an envelope was made by `origin`. */
export function readState(text: unknown, origin: string): State | null {
  if (typeof text !== "string" || text === "" || text === dummySignature || text === encodedSentinel) return null;
  const state = openEnvelope(text);
  if (state === null) return { opaque: { origin, data: text }, sealed: false };
  return state.data === "" ? null : { opaque: state, sealed: state.origin !== nativeOrigin };
}

/** What the client receives: a native signature unchanged, any other in an envelope. */
export function writeState(state: ProviderState): string {
  return state.origin === nativeOrigin ? state.data : encode(state);
}

/** The state that the upstream `origin` may receive: only its own, otherwise null. */
export function ownState(signature: ProviderState | undefined, origin: string): string | null {
  return signature !== undefined && signature.origin === origin && signature.data !== "" ? signature.data : null;
}
