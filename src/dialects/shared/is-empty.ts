// What counts as not said: many clients send empty fields where they mean nothing.
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";

/** `null`, an empty list and an empty object are how many clients say nothing. */
export function isAbsent(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

/** Takes these fields out of a body that is ours to change, where they are there but say nothing: servers refuse them. */
export function removeAbsent(body: JsonObject, fields: readonly string[]): void {
  for (const field of fields) if (field in body && isAbsent(body[field])) delete body[field];
}
