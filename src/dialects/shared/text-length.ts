// Counts characters as OpenAI-shaped wires do.

/** Characters as these wires count them: a surrogate pair is one. */
export function characterCount(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xdc00 && unit <= 0xdfff) count--;
  }
  return count;
}
