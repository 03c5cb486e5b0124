// Helpers to read a wire object that has passed the schema.
import { GatewayError } from "../../canonical/error.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { isAbsent as isNothing } from "../shared/json-accessors.ts";

export { objectsIn, optionalText } from "../shared/json-accessors.ts";

/** The text under `name`. Throws the error of a missing required field. */
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

/** Whether a value is null, or an empty text, list or object. */
export function isAbsent(value: Json | undefined): boolean {
  return value === "" || isNothing(value);
}

/** Members of a message, in a complete reply and in message_start. */
export const messageMembers: JsonObject = { container: null, diagnostics: null };

/** Members of the event that ends a message. */
export const endMembers: JsonObject = { container: null };

/** A text block. In a stream, citations follow later. */
export function textBlock(text: string, citations: JsonObject[] = []): JsonObject {
  return { type: "text", text, citations: citations.length > 0 ? citations : null };
}

/** A tool call of the model. */
export function toolUseBlock(id: string, name: string, input: JsonObject): JsonObject {
  return { type: "tool_use", id, name, input, caller: { type: "direct" } };
}
