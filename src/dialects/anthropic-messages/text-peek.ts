// Recognizes frames that only add text with a few searches, without parsing them.
import { stringFrom } from "../shared/json-accessors.ts";

const opening = '"type":"text_delta","text":"';

/** The text (with its escapes), or null when the frame must be parsed. */
export function skim(data: string): string | null {
  if (!data.startsWith('{"type":"content_block_delta"') || !data.endsWith("}")) return null;
  const start = data.indexOf(opening);
  if (start < 0) return null;
  const from = start + opening.length;
  return stringFrom(data, from);
}
