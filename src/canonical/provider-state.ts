// Opaque reasoning state: what only its maker can read travels untouched, tagged with who made it.
import { isObject, type Json, parseJsonText } from "../lib/json.ts";

/** A signature or encrypted thought. `origin` names the maker; only that maker may get it back. */
export interface ProviderState {
  readonly origin: string;
  readonly data: string;
}

const prefix = "gw1.";

/** Ends the envelope of thought that may be shown but has no words, on wires where only redacted thought has none. */
const shownMark = ".shown";

/** Ends the envelope of whole thinking blocks. */
const thoughtsMark = ".thoughts";

/**
 * The envelope in which foreign state travels through a client: `gw1.<origin>.<base64url>`, and `.shown` where thought
 * that `isShown` has no words. Same input, same text.
 */
export function wrapProviderState(state: ProviderState, isShown = false): string {
  const data = Buffer.from(state.data, "utf8").toString("base64url");
  return `${prefix}${state.origin}.${data}${isShown ? shownMark : ""}`;
}

/** True for an envelope whose thought may be shown, though no words of it stand beside. */
export function isShownOpaque(text: string): boolean {
  return text.startsWith(prefix) && text.endsWith(shownMark);
}

/** The state inside an envelope of ours; null for any other text. */
export function unwrapProviderState(text: string): ProviderState | null {
  if (!text.startsWith(prefix)) return null;
  const dot = text.indexOf(".", prefix.length);
  if (dot < 0) return null;
  const mark = [shownMark, thoughtsMark].find((known) => text.endsWith(known)) ?? "";
  const data = Buffer.from(text.slice(dot + 1, text.length - mark.length), "base64url").toString("utf8");
  return { origin: text.slice(prefix.length, dot), data };
}

/** Marks the state of a call that travels beside the call: some wires have no place for it on the call itself. */
const callMark = "call.";

/** The envelope of a call's state on such a wire. */
export function wrapCallState(state: ProviderState): string {
  return `${callMark}${wrapProviderState(state)}`;
}

/** The state of a call; null for any other text. */
export function unwrapCallState(text: string): ProviderState | null {
  return text.startsWith(callMark) ? unwrapProviderState(text.slice(callMark.length)) : null;
}

/** A thinking block with the state that proves it; `redacted`: there is only the state. */
export interface SealedThought {
  readonly text: string;
  readonly data: string;
  readonly redacted?: boolean;
}

/**
 * The envelope of whole thinking blocks, words and state, for wires whose clients keep the state of a part but not the
 * thinking before it.
 */
export function wrapThoughts(origin: string, thoughts: readonly SealedThought[]): string {
  return `${wrapProviderState({ origin, data: JSON.stringify(thoughts) })}${thoughtsMark}`;
}

function readThought(value: Json): SealedThought[] {
  if (!isObject(value) || typeof value.text !== "string" || typeof value.data !== "string") return [];
  return [{ text: value.text, data: value.data, ...(value.redacted === true ? { redacted: true } : {}) }];
}

/** The thinking blocks in such an envelope and their maker; null for any other text. */
export function unwrapThoughts(text: string): { origin: string; thoughts: readonly SealedThought[] } | null {
  if (!text.endsWith(thoughtsMark)) return null;
  const state = unwrapProviderState(text);
  const thoughts = state === null ? undefined : parseJsonText(state.data);
  if (state === null || !Array.isArray(thoughts)) return null;
  return { origin: state.origin, thoughts: thoughts.flatMap(readThought) };
}

/** An envelope of ours is unwrapped; bare text is taken as made by `origin`. */
export function readProviderState(text: string, origin: string): ProviderState {
  return unwrapProviderState(text) ?? { origin, data: text };
}
