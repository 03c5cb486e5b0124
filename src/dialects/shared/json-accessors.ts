// Small ways to read members of a wire object that the schema has passed.
import { type ExactNumber, isExactNumber, isObject, type Json, type JsonObject } from "../../lib/json.ts";

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

/** As `optionalNumber`, for a number that may be larger than JavaScript's. */
export function optionalExact<Name extends string>(
  object: JsonObject,
  name: string,
  as: Name,
): { readonly [key in Name]?: number | ExactNumber } {
  const value = object[name];
  return isExactNumber(value) ? ({ [as]: value } as { [key in Name]: ExactNumber }) : optionalNumber(object, name, as);
}

/** The objects of a list; anything else in it is left out. */
export function objectsIn(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
