// Frames that are surely nothing but more text: told by a few searches, without parsing them.

/** Members that make a chunk more than text. Inside a string their quotes would be escaped, so they cannot be mistaken. */
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

/** Length of the text (escapes as written), or -1 when the frame must be read. */
export function skim(data: string): number {
  const start = data.indexOf(member);
  if (start < 0 || data.indexOf(member, start + member.length) >= 0) return -1;
  if (!data.startsWith("{") || !data.endsWith("}")) return -1;
  for (const other of notable) if (data.includes(other)) return -1;
  const from = data.indexOf('"', start + member.length) + 1;
  return Math.max(data.indexOf('"', from) - from, 0);
}
