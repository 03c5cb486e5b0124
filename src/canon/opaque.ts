// Opaque reasoning state: what only its maker can read travels untouched, tagged with who made it.

/** A signature or encrypted thought. `origin` names the maker; only that maker may get it back. */
export interface Opaque {
  readonly origin: string;
  readonly data: string;
}

const prefix = "gw1.";

/** Ends the envelope of thought that may be shown but has no words, on wires where only redacted thought has none. */
const shownMark = ".shown";

/**
 * The envelope in which foreign state travels through a client: `gw1.<origin>.<base64url>`, and `.shown` where thought
 * that `isShown` has no words. Same input, same text.
 */
export function wrapOpaque(opaque: Opaque, isShown = false): string {
  const data = Buffer.from(opaque.data, "utf8").toString("base64url");
  return `${prefix}${opaque.origin}.${data}${isShown ? shownMark : ""}`;
}

/** True for an envelope whose thought may be shown, though no words of it stand beside. */
export function isShownOpaque(text: string): boolean {
  return text.startsWith(prefix) && text.endsWith(shownMark);
}

/** The state inside an envelope of ours; null for any other text. */
export function unwrapOpaque(text: string): Opaque | null {
  if (!text.startsWith(prefix)) return null;
  const dot = text.indexOf(".", prefix.length);
  if (dot < 0) return null;
  const end = text.endsWith(shownMark) ? -shownMark.length : undefined;
  const data = Buffer.from(text.slice(dot + 1, end), "base64url").toString("utf8");
  return { origin: text.slice(prefix.length, dot), data };
}

/** An envelope of ours is unwrapped; bare text is taken as made by `origin`. */
export function readOpaque(text: string, origin: string): Opaque {
  return unwrapOpaque(text) ?? { origin, data: text };
}
