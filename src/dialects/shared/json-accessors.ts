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
