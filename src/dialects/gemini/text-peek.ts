// Recognizes frames that only add text with a few searches, without parsing them.
import { stringFrom } from "../shared/json-accessors.ts";

/** Members that make a chunk more than text. Within a string their quotes are escaped, so they cannot be confused. */
const notable = [
  '"finishReason"',
  '"functionCall"',
  '"inlineData"',
  '"thought',
  '"promptFeedback"',
  '"error"',
  '"groundingMetadata"',
];
const member = '"text":';

/** The text (with its escapes), or null when the frame must be parsed. */
export function skim(data: string): string | null {
  const start = data.indexOf(member);
  if (start < 0 || data.indexOf(member, start + member.length) >= 0) return null;
  if (!data.startsWith("{") || !data.endsWith("}")) return null;
  for (const other of notable) if (data.includes(other)) return null;
  const from = data.indexOf('"', start + member.length) + 1;
  return stringFrom(data, from);
}
