// JSON text without lone surrogates, which UTF-8 cannot encode and servers refuse.
import type { Json } from "./json.ts";

/** The relevant escapes: a backslash, after which everything is plain text, a complete pair, and a lone surrogate. */
const escapes = /\\(?:\\|ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|ud[89a-f][0-9a-f]{2})/gi;

const halfChars = "\\ud800".length;

/** The text with U+FFFD in place of each lone surrogate, escaped or not. */
export function wellFormedJson(text: string): string {
  const written = text.toWellFormed();
  if (!written.includes("\\ud") && !written.includes("\\uD")) return written;
  return written.replace(escapes, (found) => (found.length === halfChars ? "\ufffd" : found));
}

/** The JSON text of a value; a value that is not JSON becomes `null`. */
export function jsonText(value: Json | undefined): string {
  return wellFormedJson(JSON.stringify(value) ?? "null");
}
