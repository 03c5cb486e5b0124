// Frames that are surely nothing but more text: told by a few searches, without parsing them.
import { stringFrom } from "../shared/string-from.ts";

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

/** The text (escapes as written), or null when the frame must be read. */
export function skim(data: string): string | null {
  const start = data.indexOf(opening);
  if (start < 0 || !data.startsWith('{"') || !data.endsWith("}")) return null;
  for (const member of notable) if (data.includes(member)) return null;
  const from = start + opening.length;
  return stringFrom(data, from);
}
