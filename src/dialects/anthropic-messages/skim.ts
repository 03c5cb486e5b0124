// Frames that are surely nothing but more text: told by a few searches, without parsing them.

const opening = '"type":"text_delta","text":"';

/** Length of the text (escapes as written), or -1 when the frame must be read. */
export function skim(data: string): number {
  if (!data.startsWith('{"type":"content_block_delta"') || !data.endsWith("}")) return -1;
  const start = data.indexOf(opening);
  if (start < 0) return -1;
  const from = start + opening.length;
  return Math.max(data.indexOf('"', from) - from, 0);
}
