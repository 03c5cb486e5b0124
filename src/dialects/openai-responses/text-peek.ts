// Frames that are surely nothing but more text: told by their beginning, without parsing them.
import { stringFrom } from "../shared/string-from.ts";

const opening = '{"type":"response.output_text.delta"';
const delta = '"delta":"';

/** The text (escapes as written), or null when the frame must be read. */
export function skim(data: string): string | null {
  if (!data.startsWith(opening) || !data.endsWith("}")) return null;
  const start = data.indexOf(delta, opening.length);
  if (start < 0) return null;
  const from = start + delta.length;
  return stringFrom(data, from);
}
