// Small ways to read a wire object that has passed the schema.
import { GatewayError } from "../../canonical/error.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { isAbsent as isNothing } from "../shared/is-empty.ts";

export { objectsIn, optionalNumber, optionalText } from "../shared/json-accessors.ts";

/** The text under `name`, or the refusal of a required field that is missing. */
export function requiredText(object: JsonObject, name: string, path: string): string {
  const value = object[name];
  if (typeof value !== "string") throw missing(`${path}.${name}`);
  return value;
}

export function requiredObject(object: JsonObject, name: string, path: string): JsonObject {
  const value = object[name];
  if (!isObject(value)) throw missing(`${path}.${name}`);
  return value;
}

function missing(param: string): GatewayError {
  return new GatewayError(
    "missing_required_parameter",
    `'${param}' is required and has the wrong type or is missing.`,
    {
      param,
    },
  );
}

/** Null, empty text, empty lists and empty objects count as absent. */
export function isAbsent(value: Json | undefined): boolean {
  return value === "" || isNothing(value);
}
