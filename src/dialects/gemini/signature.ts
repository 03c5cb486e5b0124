// Thought signatures: how state travels through clients of this dialect, and which of it an upstream may see again.
import type { ThinkingBlock } from "../../canonical/chat.ts";
import {
  type ProviderState,
  unwrapProviderState,
  unwrapThoughts,
  wrapProviderState,
  wrapThoughts,
} from "../../canonical/provider-state.ts";

export const dialectName = "gemini";

/** The maker of signatures that clients of this dialect hold bare. */
export const nativeOrigin = "gemini";

/** Stands in for the signature of a call whose history comes from elsewhere; servers accept it as one. */
export const dummySignature = "skip_thought_signature_validator";
const encodedSentinel = Buffer.from(dummySignature).toString("base64");

/** How the base64 of every envelope begins: the field holds bytes, so an envelope travels encoded. */
const encodedPrefix = "Z3cxL";

/** Clients get this where a call has no signature, so that it can be told from one that lost its own. */
const unsigned: ProviderState = { origin: "none", data: "" };
export const unsignedCall = encode(unsigned);

function encode(state: ProviderState): string {
  return Buffer.from(wrapProviderState(state)).toString("base64");
}

function decoded(text: string): string {
  return text.startsWith(encodedPrefix) ? Buffer.from(text, "base64").toString("utf8") : text;
}

/** The state in an envelope of the gateway, bare or encoded; null for any other text. */
export function openEnvelope(text: string): ProviderState | null {
  return unwrapProviderState(decoded(text));
}

/** A thinking block whose state its maker wants back. */
export type SignedThought = ThinkingBlock & { readonly signature: ProviderState };

/** The state of thinking blocks for a client: whole blocks, since a client may keep this text and nothing else of them. */
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

/** The thinking blocks that stood under `thoughtSignature`; null where there were none, or only the state of one. */
export function readThoughts(text: unknown): ThinkingBlock[] | null {
  const opened = typeof text === "string" ? unwrapThoughts(decoded(text)) : null;
  if (opened === null) return null;
  return opened.thoughts.map(({ text: said, data, redacted }) => ({
    type: "thinking",
    text: said,
    signature: { origin: opened.origin, data },
    ...(redacted === true ? { redacted: true } : {}),
  }));
}

/** What stood under `thoughtSignature`. `sealed`: another maker's thought, which came in an envelope. */
export interface State {
  readonly opaque: ProviderState;
  readonly sealed: boolean;
}

/** Null where there is no state: nothing, the sentinel, an empty envelope. Bare text was made by `origin`. */
export function readState(text: unknown, origin: string): State | null {
  if (typeof text !== "string" || text === "" || text === dummySignature || text === encodedSentinel) return null;
  const state = openEnvelope(text);
  if (state === null) return { opaque: { origin, data: text }, sealed: false };
  return state.data === "" ? null : { opaque: state, sealed: state.origin !== nativeOrigin };
}

/** What the client holds: the native signature bare, any other in an envelope. */
export function writeState(state: ProviderState): string {
  return state.origin === nativeOrigin ? state.data : encode(state);
}

/** What the upstream `origin` may see: the state that it made itself, else null. */
export function ownState(signature: ProviderState | undefined, origin: string): string | null {
  return signature !== undefined && signature.origin === origin && signature.data !== "" ? signature.data : null;
}
