// Recognizes frames that only add text by their prefix, without parsing them.
import { stringFrom } from "../shared/json-accessors.ts";

const opening = '{"type":"response.output_text.delta"';
const delta = '"delta":"';

/** The text (with its escapes), or null when the frame must be parsed. */
export function skim(data: string): string | null {
  if (!data.startsWith(opening) || !data.endsWith("}")) return null;
  const start = data.indexOf(delta, opening.length);
  if (start < 0) return null;
  const from = start + delta.length;
  return stringFrom(data, from);
}
