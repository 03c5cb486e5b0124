// Frames that are surely nothing but more text: told by their beginning, without parsing them.

const opening = '{"type":"response.output_text.delta"';
const delta = '"delta":"';

/** Length of the text (escapes as written), or -1 when the frame must be read. */
export function skim(data: string): number {
  if (!data.startsWith(opening) || !data.endsWith("}")) return -1;
  const start = data.indexOf(delta, opening.length);
  if (start < 0) return -1;
  const from = start + delta.length;
  return Math.max(data.indexOf('"', from) - from, 0);
}
