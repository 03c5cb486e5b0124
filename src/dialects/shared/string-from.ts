// A JSON string inside a text that is not parsed.

const backslash = 92;

/** The string that begins at `from`, behind its quote, with escapes as written; null where an escape stands before a quote. */
export function stringFrom(text: string, from: number): string | null {
  const to = text.indexOf('"', from);
  if (to < 0 || (to > from && text.charCodeAt(to - 1) === backslash)) return null;
  return text.slice(from, to);
}
