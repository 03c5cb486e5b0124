// Opaque reasoning state: what only its maker can read travels untouched, tagged with who made it.

/** A signature or encrypted thought. `origin` names the maker; only that maker may get it back. */
export interface Opaque {
  readonly origin: string;
  readonly data: string;
}

const prefix = "gw1.";

/** The envelope in which foreign state travels through a client: `gw1.<origin>.<base64url>`. Same input, same text. */
export function wrapOpaque(opaque: Opaque): string {
  return `${prefix}${opaque.origin}.${Buffer.from(opaque.data, "utf8").toString("base64url")}`;
}

/** The state inside an envelope of ours; null for any other text. */
export function unwrapOpaque(text: string): Opaque | null {
  if (!text.startsWith(prefix)) return null;
  const dot = text.indexOf(".", prefix.length);
  if (dot < 0) return null;
  const data = Buffer.from(text.slice(dot + 1), "base64url").toString("utf8");
  return { origin: text.slice(prefix.length, dot), data };
}

/** An envelope of ours is unwrapped; bare text is taken as made by `origin`. */
export function readOpaque(text: string, origin: string): Opaque {
  return unwrapOpaque(text) ?? { origin, data: text };
}
