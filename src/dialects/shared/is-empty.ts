// Values that count as absent: many clients send empty fields.
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";

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
