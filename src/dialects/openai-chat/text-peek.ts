// Recognizes frames that only add text with a few searches, without parsing them.
import { stringFrom } from "../shared/json-accessors.ts";

/** Members that make a chunk more than text. Within a string their quotes are escaped, so they cannot be confused. */
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

/** The text (with its escapes), or null when the frame must be parsed. */
export function skim(data: string): string | null {
  const start = data.indexOf(opening);
  if (start < 0 || !data.startsWith('{"') || !data.endsWith("}")) return null;
  for (const member of notable) if (data.includes(member)) return null;
  const from = start + opening.length;
  return stringFrom(data, from);
}
