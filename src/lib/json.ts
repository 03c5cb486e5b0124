// JSON values: their types, type guards and copies.

/** Any JSON value. An exact number is an object in it, for which `isObject` returns false. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
/** A JSON object; a missing member reads as undefined. */
export type JsonObject = { [name: string]: Json | undefined };

/** Parses text that may not be JSON; undefined when it is not. */
export function parseJsonText(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** A number with its source text, made by the runtime: `JSON.stringify` writes it unchanged. */
export interface ExactNumber extends JsonObject {
  readonly rawJSON: string;
}

/** Whether a value is a number with its source text. */
export function isExactNumber(value: unknown): value is ExactNumber {
  return typeof value === "object" && value !== null && "rawJSON" in value && Object.isFrozen(value);
}

/** True for a JSON object, not an array, not null and not an exact number. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value);
}

/** A copy without undefined members, so that optional fields can be written in one literal. */
export function omitUndefined(object: JsonObject): JsonObject {
  const defined: JsonObject = {};
  for (const name in object) if (object[name] !== undefined) defined[name] = object[name];
  return defined;
}

/** The same for an object of any type. */
export function withoutUndefined<T extends object>(object: T): { [name in keyof T]?: Exclude<T[name], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [name in keyof T]?: Exclude<T[name], undefined>;
  };
}

/** The relevant escapes: a backslash, after which everything is plain text, a complete pair, and a lone surrogate. */
const escapes = /\\(?:\\|ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|ud[89a-f][0-9a-f]{2})/gi;

const halfChars = "\\ud800".length;

/** The text with U+FFFD in place of each lone surrogate, escaped or not. */
export function wellFormedJson(text: string): string {
  const written = text.toWellFormed();
  if (!written.includes("\\ud") && !written.includes("\\uD")) return written;
  return written.replace(escapes, (found) => (found.length === halfChars ? "\ufffd" : found));
}

/** The JSON text of a value; a value that is not JSON becomes `null`. */
export function jsonText(value: Json | undefined): string {
  return wellFormedJson(JSON.stringify(value) ?? "null");
}
