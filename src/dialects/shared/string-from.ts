// Finds a JSON string in a text that is not parsed.

const backslash = 92;

/** The string that starts at `from`, after its quote, with its escapes; null if the quote at its end may be escaped. */
export function stringFrom(text: string, from: number): string | null {
  const to = text.indexOf('"', from);
  if (to < 0 || (to > from && text.charCodeAt(to - 1) === backslash)) return null;
  return text.slice(from, to);
}
