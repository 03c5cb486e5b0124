// Small builders for schemas of optional fields, where `null` counts as absent.
import { type TProperties, type TSchema, type TSchemaOptions, Type } from "typebox";

type JsonType = "string" | "number" | "integer" | "boolean" | "object" | "array";

/**
 * An optional field of one or several types. One schema with a list of types gives an error one path and one message.
 */
export function optional(type: JsonType | readonly JsonType[], options: TSchemaOptions = {}): TSchema {
  return Type.Optional(Type.Unsafe({ ...options, type: [...(typeof type === "string" ? [type] : type), "null"] }));
}

/** An optional field with only these values. */
export function enumeration(words: readonly string[], options: TSchemaOptions = {}): TSchema {
  return optional("string", { ...options, enum: [...words, null] });
}

/** An object that may have unknown fields too. */
export function object(properties: TProperties): TSchema {
  return Type.Object(properties, { additionalProperties: true });
}
