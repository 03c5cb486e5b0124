// Reads the last members of a long JSON object from its bytes, so that everything before them need not be decoded or
// parsed.
import { isObject, type JsonObject, parseJsonText } from "./json.ts";

/** The bytes after the requested member are limited. */
const maxTailBytes = 4_096;
const comma = 44;
const spaces = new Set([9, 10, 13, 32]);

/** Whether only a comma and white space separate a member from the previous one. */
function isBehindComma(bytes: Buffer, at: number): boolean {
  let before = at - 1;
  while (spaces.has(bytes[before] ?? comma)) before--;
  return bytes[before] === comma;
}

/**
 * The member of this name and all that follow it, of an object that is valid JSON. Null unless it is certainly a
 * top-level member: its name is in the bytes once, where a text would have its quotes escaped, and the rest closes
 * exactly one object.
 */
export function lastMembers({ buffer, byteOffset, byteLength }: Uint8Array, name: string): JsonObject | null {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  const key = `"${name}"`;
  const at = bytes.lastIndexOf(key);
  if (at < 1 || !isBehindComma(bytes, at) || byteLength - at > maxTailBytes || bytes.indexOf(key) !== at) return null;
  const members = parseJsonText(`{${bytes.toString("utf8", at)}`);
  return isObject(members) ? members : null;
}

/** Whether this text is in the bytes: a native search. */
export function holdsText({ buffer, byteOffset, byteLength }: Uint8Array, text: string): boolean {
  return Buffer.from(buffer, byteOffset, byteLength).indexOf(text) >= 0;
}
