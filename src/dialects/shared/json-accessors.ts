// Helpers to read members of a wire object that has passed the schema.
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";

/** The text under `name` as an optional member of that name. */
export function optionalText<Name extends string>(
  object: JsonObject,
  name: string,
  as: Name,
): { readonly [key in Name]?: string } {
  const value = object[name];
  return typeof value === "string" && value !== "" ? ({ [as]: value } as { [key in Name]: string }) : {};
}

/** The number under `name` as an optional member called `as`. */
export function optionalNumber<Name extends string>(
  object: JsonObject,
  name: string,
  as: Name,
): { readonly [key in Name]?: number } {
  const value = object[name];
  return typeof value === "number" ? ({ [as]: value } as { [key in Name]: number }) : {};
}

/** The objects of a list; other items are left out. */
export function objectsIn(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** True for `null`, an empty list and an empty object. */
export function isAbsent(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

/** Removes these fields from a rendered body where they are present but empty, because servers refuse them. */
export function removeAbsent(body: JsonObject, fields: readonly string[]): void {
  for (const field of fields) if (field in body && isAbsent(body[field])) delete body[field];
}

const backslash = 92;

/** The string that starts at `from`, after its quote, with its escapes; null if the quote at its end may be escaped. */
export function stringFrom(text: string, from: number): string | null {
  const to = text.indexOf('"', from);
  if (to < 0 || (to > from && text.charCodeAt(to - 1) === backslash)) return null;
  return text.slice(from, to);
}

/** Characters as these wires count them: a surrogate pair is one. */
export function characterCount(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xdc00 && unit <= 0xdfff) count--;
  }
  return count;
}
