// Frames that are surely nothing but more text: told by a few searches, without parsing them.
import { stringFrom } from "../shared/string-from.ts";

const opening = '"type":"text_delta","text":"';

/** The text (escapes as written), or null when the frame must be read. */
export function skim(data: string): string | null {
  if (!data.startsWith('{"type":"content_block_delta"') || !data.endsWith("}")) return null;
  const start = data.indexOf(opening);
  if (start < 0) return null;
  const from = start + opening.length;
  return stringFrom(data, from);
}
