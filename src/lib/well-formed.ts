// JSON text without halves of surrogate pairs, which are no characters: UTF-8 cannot hold them, and servers refuse them.
import type { Json } from "./json.ts";

/** Escapes that matter: a backslash, which makes what follows it plain text, a whole pair, and a half. */
const escapes = /\\(?:\\|ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|ud[89a-f][0-9a-f]{2})/gi;

const halfChars = "\\ud800".length;

/** The text with U+FFFD in place of each lone surrogate, whether it is written as an escape or as itself. */
export function wellFormedJson(text: string): string {
  const written = text.toWellFormed();
  if (!written.includes("\\ud") && !written.includes("\\uD")) return written;
  return written.replace(escapes, (found) => (found.length === halfChars ? "\ufffd" : found));
}

/** The JSON text of a value that leaves; what is no JSON value is `null`. */
export function jsonText(value: Json | undefined): string {
  return wellFormedJson(JSON.stringify(value) ?? "null");
}
