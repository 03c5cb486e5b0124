// A JSON object with its original body, from which a request with another model is written without serializing it.
import { type Json, type JsonObject, wellFormedJson } from "./json.ts";
import { type JsonBody, utf8Text } from "./read-json.ts";

export interface JsonSource {
  /** The parsed value. */
  readonly value: JsonObject;
  /** Undefined once it is released. The value must then be serialized to be sent again. */
  body: JsonBody | undefined;
}

/** A text, or bytes in pieces that are sent one after the other. Large bytes are never joined: a copy would block the event loop. */
export type WrittenBody = string | readonly Uint8Array<ArrayBuffer>[];

const key = '"model"';
/**
 * A search for a plain text stops at every place of its first character, and JSON is full of quotes. As a class of
 * characters it takes a fifth of the time.
 */
const keyPattern = /["]model"/g;

/** A body in which texts are found, by native searches. */
interface Searched {
  /** The place of the name `model` in quotes; -1 if there is none. */
  keyAt(from: number): number;
  indexOf(text: string): number;
  codeAt(at: number): number;
  /** The place behind a text that is at `from`; null if another text is there. */
  behind(text: string, from: number): number | null;
  /** Null if it is not UTF-8. */
  text(): string | null;
  /** With a text in place of a part. */
  replaced(from: number, to: number, text: string): WrittenBody;
}

const inText = (body: string): Searched => ({
  keyAt(from) {
    keyPattern.lastIndex = from;
    return keyPattern.test(body) ? keyPattern.lastIndex - key.length : -1;
  },
  indexOf: (text) => body.indexOf(text),
  codeAt: (at) => body.charCodeAt(at),
  behind: (text, from) => (body.startsWith(text, from) ? from + text.length : null),
  text: () => body,
  replaced: (from, to, text) => body.slice(0, from) + text + body.slice(to),
});

function inBytes({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): Searched {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  return {
    keyAt: (from) => bytes.indexOf(key, from),
    indexOf: (text) => bytes.indexOf(text),
    codeAt: (at) => bytes[at] ?? 0,
    behind(text, from) {
      const written = Buffer.from(text);
      const to = from + written.length;
      return bytes.subarray(from, to).equals(written) ? to : null;
    },
    text: () => utf8Text(bytes),
    replaced: (from, to, text) => [bytes.subarray(0, from), Buffer.from(text), bytes.subarray(to)],
  };
}

const isAnother = (value: JsonObject, source: JsonObject): boolean => {
  for (const name in value) if (value[name] !== source[name] && name !== "model") return true;
  for (const name in source) if (value[name] === undefined && source[name] !== undefined) return true;
  return false;
};

const surrogateEscapes = ["\\ud", "\\uD"];
/** The start of every escape of an ASCII letter. Writers do not produce them, but a name could be hidden that way. */
const letterEscapes = ["\\u004", "\\u005", "\\u006", "\\u007"];

const holds = (body: Searched, needles: readonly string[]): boolean =>
  needles.some((needle) => body.indexOf(needle) >= 0);

/** Lone surrogates are replaced when a value is serialized, so they must not pass as they came either. */
function isWellFormed(body: Searched): boolean {
  if (!holds(body, surrogateEscapes)) return true;
  const text = body.text();
  return text !== null && wellFormedJson(text) === text;
}

const space = new Set([9, 10, 13, 32]);
const colon = 58;

function behindSpace(body: Searched, from: number): number {
  let at = from;
  while (space.has(body.codeAt(at))) at++;
  return at;
}

const plainName = /^[\w.:/@-]*$/;
const quoted = (name: string): string => (plainName.test(name) ? `"${name}"` : JSON.stringify(name));

/**
 * `body` with another model. Null unless its place is certain: the name is in the body once, so it is neither repeated
 * nor text nor a member of another object; no name can be hidden by escapes; and it is followed by the old value, as
 * serialized here.
 */
function withModel(body: Searched, old: string, model: string): WrittenBody | null {
  const at = body.keyAt(0);
  if (at < 0 || body.keyAt(at + key.length) >= 0) return null;
  const mark = behindSpace(body, at + key.length);
  if (body.codeAt(mark) !== colon) return null;
  const from = behindSpace(body, mark + 1);
  const to = body.behind(quoted(old), from);
  return to === null ? null : body.replaced(from, to, quoted(model));
}

const isText = (value: Json | undefined): value is string => typeof value === "string";

/**
 * The body of `value`: that of its source if only the model differs, which is replaced in a copy of it. Null if that is
 * impossible or uncertain, so that the value must be serialized.
 */
export function bodyOf(value: JsonObject, source: JsonSource): WrittenBody | null {
  if (source.body === undefined || isAnother(value, source.value)) return null;
  const body = typeof source.body === "string" ? inText(source.body) : inBytes(source.body);
  const [from, to] = [source.value["model"], value["model"]];
  if (body.indexOf("\\u") >= 0 && (holds(body, letterEscapes) || !isWellFormed(body))) return null;
  const original = typeof source.body === "string" ? source.body : [source.body];
  if (from === undefined && to === undefined) return original;
  const replaced = isText(from) && isText(to) ? withModel(body, from, to) : null;
  return replaced !== null && from === to ? original : replaced;
}
