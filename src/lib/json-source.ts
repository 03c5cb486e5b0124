// A JSON object with its original bytes, from which a value that differs in one string is written without serializing
// it.
import { type Json, type JsonObject, wellFormedJson } from "./json.ts";
import { utf8Text } from "./read-json.ts";

export interface JsonSource {
  /** The parsed value. */
  readonly value: JsonObject;
  /** Undefined once they are released. The value must then be serialized to be sent again. */
  bytes: Uint8Array<ArrayBuffer> | undefined;
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): Buffer<ArrayBuffer> =>
  Buffer.from(buffer, byteOffset, byteLength);

const isAnother = (value: JsonObject, source: JsonObject, member: string): boolean => {
  for (const name in value) if (value[name] !== source[name] && name !== member) return true;
  for (const name in source) if (value[name] === undefined && source[name] !== undefined) return true;
  return false;
};

const anyEscape = Buffer.from("\\u");
const surrogateEscapes = [Buffer.from("\\ud"), Buffer.from("\\uD")];
/** The start of every escape of an ASCII letter. Writers do not produce them, but a name could be hidden that way. */
const letterEscapes = ["\\u004", "\\u005", "\\u006", "\\u007"].map((text) => Buffer.from(text));

const holds = (bytes: Buffer, needles: readonly Buffer[]): boolean =>
  needles.some((needle) => bytes.indexOf(needle) >= 0);

/** Lone surrogates are replaced when a value is serialized, so they must not pass as bytes either. */
function isWellFormed(bytes: Buffer<ArrayBuffer>): boolean {
  if (!holds(bytes, surrogateEscapes)) return true;
  const text = utf8Text(bytes);
  return text !== null && wellFormedJson(text) === text;
}

const space = new Set([9, 10, 13, 32]);
const colon = 58;

function behindSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (space.has(bytes[at] ?? 0)) at++;
  return at;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Where the value of a top-level member is. Null unless it is certain: its name is in the bytes once, so it is neither
 * repeated nor text nor a member of another object; no name can be hidden by escapes; and it is followed by the value,
 * as serialized here.
 */
function placeOf(bytes: Buffer, name: string, value: string): Range | null {
  const key = Buffer.from(JSON.stringify(name));
  const at = bytes.indexOf(key);
  if (at < 0 || bytes.indexOf(key, at + key.length) >= 0) return null;
  const mark = behindSpace(bytes, at + key.length);
  if (bytes[mark] !== colon) return null;
  const from = behindSpace(bytes, mark + 1);
  const written = Buffer.from(JSON.stringify(value));
  const to = from + written.length;
  return bytes.subarray(from, to).equals(written) ? { from, to } : null;
}

function replaced(bytes: Buffer<ArrayBuffer>, { from, to }: Range, value: string): Uint8Array<ArrayBuffer> {
  const written = Buffer.from(JSON.stringify(value));
  const copy = Buffer.allocUnsafeSlow(bytes.length - (to - from) + written.length);
  bytes.copy(copy, 0, 0, from);
  written.copy(copy, from);
  bytes.copy(copy, from + written.length, to);
  return copy;
}

const isText = (value: Json | undefined): value is string => typeof value === "string";

/**
 * The bytes of `value`: those of its source if only `member` differs, which is replaced in a copy of them. Null if
 * that is impossible or uncertain, so that the value must be serialized.
 */
export function bytesOf(value: JsonObject, source: JsonSource, member: string): Uint8Array<ArrayBuffer> | null {
  if (source.bytes === undefined || isAnother(value, source.value, member)) return null;
  const bytes = asBuffer(source.bytes);
  const [from, to] = [source.value[member], value[member]];
  const isEscaped = bytes.indexOf(anyEscape) >= 0;
  if (isEscaped && (holds(bytes, letterEscapes) || !isWellFormed(bytes))) return null;
  if (from === undefined && to === undefined) return source.bytes;
  const place = isText(from) && isText(to) ? placeOf(bytes, member, from) : null;
  if (place === null || !isText(to)) return null;
  return from === to ? source.bytes : replaced(bytes, place, to);
}
