// Frames that are surely nothing but more text: told by a few searches, without parsing them.

/** Members that make a chunk more than text. Inside a string their quotes would be escaped, so they cannot be mistaken. */
const notable = [
  '"tool_calls"',
  '"function_call"',
  '"finish_reason":"',
  '"usage":{',
  '"error"',
  '"role"',
  '"refusal":"',
];
const opening = '"content":"';

/** Length of the text (escapes as written), or -1 when the frame must be read. */
export function skim(data: string): number {
  const start = data.indexOf(opening);
  if (start < 0 || !data.startsWith('{"') || !data.endsWith("}")) return -1;
  for (const member of notable) if (data.includes(member)) return -1;
  const from = start + opening.length;
  return Math.max(data.indexOf('"', from) - from, 0);
}
