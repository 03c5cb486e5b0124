// Opaque reasoning state: only its provider can read it. It is forwarded unchanged and tagged with its origin.
import { isObject, type Json, parseJsonText } from "../lib/json.ts";

/** A signature or encrypted thinking. `origin` is the provider; only that provider may receive it again. */
export interface ProviderState {
  readonly origin: string;
  readonly data: string;
}

const prefix = "gw1.";

/** Suffix of the envelope for visible thinking without text, on wires where only redacted thinking has none. */
const shownMark = ".shown";

/** Suffix of the envelope of complete thinking blocks. */
const thoughtsMark = ".thoughts";

/**
 * The envelope in which state of other providers travels through a client: `gw1.<origin>.<base64url>`, with the suffix
 * `.shown` for thinking that `isShown` but has no text. It depends only on its input.
 */
export function wrapProviderState(state: ProviderState, isShown = false): string {
  const data = Buffer.from(state.data, "utf8").toString("base64url");
  return `${prefix}${state.origin}.${data}${isShown ? shownMark : ""}`;
}

/** Whether the thinking of an envelope may be shown, although it has no text. */
export function isShownOpaque(text: string): boolean {
  return text.startsWith(prefix) && text.endsWith(shownMark);
}

/** The state inside an envelope of the gateway; null for any other text. */
export function unwrapProviderState(text: string): ProviderState | null {
  if (!text.startsWith(prefix)) return null;
  const dot = text.indexOf(".", prefix.length);
  if (dot < 0) return null;
  const mark = [shownMark, thoughtsMark].find((known) => text.endsWith(known)) ?? "";
  const data = Buffer.from(text.slice(dot + 1, text.length - mark.length), "base64url").toString("utf8");
  return { origin: text.slice(prefix.length, dot), data };
}

/** Marks the state of a call on wires where the call itself cannot carry it. */
const callMark = "call.";

/** The envelope of a call's state on such a wire. */
export function wrapCallState(state: ProviderState): string {
  return `${callMark}${wrapProviderState(state)}`;
}

/** The state of a call; null for any other text. */
export function unwrapCallState(text: string): ProviderState | null {
  return text.startsWith(callMark) ? unwrapProviderState(text.slice(callMark.length)) : null;
}

/** A thinking block with its state; `redacted`: there is only the state. */
interface SealedThought {
  readonly text: string;
  readonly data: string;
  readonly redacted?: boolean;
}

/**
 * The envelope of complete thinking blocks, with text and state, for wires whose clients send back the state of a part
 * but not the thinking before it.
 */
export function wrapThoughts(origin: string, thoughts: readonly SealedThought[]): string {
  return `${wrapProviderState({ origin, data: JSON.stringify(thoughts) })}${thoughtsMark}`;
}

function readThought(value: Json): SealedThought[] {
  if (!isObject(value) || typeof value.text !== "string" || typeof value.data !== "string") return [];
  return [{ text: value.text, data: value.data, ...(value.redacted === true ? { redacted: true } : {}) }];
}

/** The thinking blocks in such an envelope and their origin; null for any other text. */
export function unwrapThoughts(text: string): { origin: string; thoughts: readonly SealedThought[] } | null {
  if (!text.endsWith(thoughtsMark)) return null;
  const state = unwrapProviderState(text);
  const thoughts = state === null ? undefined : parseJsonText(state.data);
  if (state === null || !Array.isArray(thoughts)) return null;
  return { origin: state.origin, thoughts: thoughts.flatMap(readThought) };
}

/** Opens an envelope of the gateway; text without an envelope was made by `origin`. */
export function readProviderState(text: string, origin: string): ProviderState {
  return unwrapProviderState(text) ?? { origin, data: text };
}
