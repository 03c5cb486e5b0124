// A wire object as the text parts of a form, in the spelling of the official SDKs.
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { FormPart } from "../dialect.ts";

function partsOf(name: string, value: Json | undefined): FormPart[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => partsOf(`${name}[]`, item));
  if (isObject(value)) return Object.entries(value).flatMap(([key, member]) => partsOf(`${name}[${key}]`, member));
  return [{ name, value: String(value) }];
}

/** Lists are repeated as `name[]`, members are `name[member]`, null is left out. */
export function formParts(wire: JsonObject): FormPart[] {
  return Object.entries(wire).flatMap(([name, value]) => partsOf(name, value));
}
