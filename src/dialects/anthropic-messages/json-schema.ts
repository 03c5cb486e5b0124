// The subset of JSON Schema that this dialect's constrained output accepts.
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { all, intoSubset, isRecursive, type SchemaInSubset, type SchemaTarget } from "../shared/json-schema-subset.ts";

const formats = new Set<unknown>([
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "uri",
  "ipv4",
  "ipv6",
  "uuid",
]);

function isObjectSchema(schema: JsonObject): boolean {
  const { type } = schema;
  return type === "object" || (Array.isArray(type) && type.includes("object")) || isObject(schema["properties"]);
}

/** Objects must be closed here, so `additionalProperties` is always false. */
function closed(out: JsonObject, before: JsonObject): boolean {
  if (!isObjectSchema(before)) return true;
  out["additionalProperties"] = false;
  return before["additionalProperties"] === false;
}

const target: SchemaTarget = {
  rules: {
    ...all("keep", "type", "enum", "const", "$ref", "required", "description"),
    ...all("drop", "default", "examples", "$schema", "$id", "title", "$comment", "readOnly", "writeOnly", "deprecated"),
    ...all("schema", "items"),
    ...all("list", "anyOf", "allOf"),
    ...all("union", "oneOf"),
    ...all("map", "properties", "$defs", "definitions"),
    ...all("note", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength"),
    ...all("note", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"),
    ...all("note", "format"),
    ...all("lose", "not", "if", "then", "else", "patternProperties", "propertyNames", "prefixItems", "contains"),
    ...all("lose", "dependentSchemas", "dependentRequired", "unevaluatedProperties", "unevaluatedItems"),
  },
  isNative: (keyword: string, value: Json) =>
    (keyword === "format" && formats.has(value)) || (keyword === "minItems" && (value === 0 || value === 1)),
  finish: closed,
};

/** Reduces a schema to the subset for constrained output. */
export function inSubset(schema: JsonObject): SchemaInSubset {
  const cleaned = intoSubset(schema, target);
  return isRecursive(schema) ? { ...cleaned, exact: false, lost: [...cleaned.lost, "$ref"] } : cleaned;
}
