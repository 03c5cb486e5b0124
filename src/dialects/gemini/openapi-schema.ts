// Schemas in this dialect's older form (a subset of OpenAPI's with upper case types), to and from JSON Schema.
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { all, intoSubset, isRecursive, type SchemaInSubset, type SchemaTarget } from "../shared/json-schema-subset.ts";
import { camelCase } from "./field-case.ts";
import { withoutAllOf, withoutConst } from "./json-schema.ts";

/** Counts that this form writes as strings. */
const counts = new Set(["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"]);
const maps = new Set(["properties", "defs", "$defs"]);
const inner = new Set(["items", "anyOf", "additionalProperties"]);

function readAny(value: Json | undefined): Json {
  if (Array.isArray(value)) return value.map(readAny);
  return isObject(value) ? readSchema(value) : (value ?? null);
}

/** Properties in the order that `propertyOrdering` gives. */
function ordered(properties: JsonObject, ordering: Json | undefined): JsonObject {
  const first = Array.isArray(ordering) ? ordering.filter((name) => typeof name === "string") : [];
  const names = [...first, ...Object.keys(properties)].filter((name) => Object.hasOwn(properties, name));
  return Object.fromEntries(names.map((name) => [name, readAny(properties[name])]));
}

function readKeyword(name: string, value: Json): Json {
  if (counts.has(name) && typeof value === "string" && /^\d+$/.test(value)) return Number(value);
  return inner.has(name) ? readAny(value) : value;
}

/** A type, combined with null where the schema is nullable. */
function readType(schema: JsonObject): JsonObject {
  const { type, nullable } = schema;
  if (typeof type !== "string" || type === "TYPE_UNSPECIFIED") return {};
  const name = type.toLowerCase();
  return { type: nullable === true && name !== "null" ? [name, "null"] : name };
}

/** Enum values, with null where the schema is nullable, because here `nullable` implies it. */
function readEnum(values: Json, nullable: Json | undefined): Json {
  return nullable === true && Array.isArray(values) && !values.includes(null) ? [...values, null] : values;
}

/** Converts a schema of the older form to JSON Schema. Property names are not keywords. */
export function readSchema(schema: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const [spelling, value] of Object.entries(schema)) {
    const name = camelCase(spelling);
    if (value === undefined || value === null || name === "nullable" || name === "propertyOrdering") continue;
    if (name === "type") Object.assign(out, readType(schema));
    else if (maps.has(name) && isObject(value))
      out[name] = ordered(value, schema.propertyOrdering ?? schema.property_ordering);
    else if (name === "example") out["examples"] = [value];
    else if (name === "format" && value === "enum") continue;
    else if (name === "enum") out[name] = readEnum(value, schema.nullable);
    else out[name] = readKeyword(name, value);
  }
  return out;
}

const definitionPath = /^#\/(\$defs|definitions)\/([^/]+)$/;

/** A definition of the schema itself; null for any other reference. */
function definition(root: JsonObject, ref: string): JsonObject | null {
  const [, home = "", name = ""] = definitionPath.exec(ref) ?? [];
  const definitions = root[home];
  const found = isObject(definitions) ? definitions[name.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined;
  return isObject(found) ? found : null;
}

/** A list of types as one nullable type, or as `anyOf`. */
function withoutTypeList(schema: JsonObject): JsonObject {
  const { type, ...rest } = schema;
  if (!Array.isArray(type)) return schema;
  const types = type.filter((name) => name !== "null");
  const nullable = types.length < type.length ? { nullable: true } : {};
  if (types.length === 1) return { ...rest, type: types[0], ...nullable };
  return { ...rest, anyOf: types.map((name) => ({ type: name })), ...nullable };
}

/** Enum values must be strings here. */
function withTextEnum(schema: JsonObject): JsonObject {
  if (!Array.isArray(schema.enum)) return schema;
  const values = schema.enum
    .filter((value) => value !== null)
    .map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  return { ...schema, type: schema.type ?? "string", format: "enum", enum: values };
}

function finish(out: JsonObject): boolean {
  if (typeof out.type === "string") out.type = out.type.toUpperCase();
  for (const name of counts) if (typeof out[name] === "number") out[name] = String(out[name]);
  return true;
}

const stringFormats = new Set<unknown>(["enum", "date-time"]);
const numberFormats = new Set<unknown>(["float", "double", "int32", "int64"]);

/** Definitions may refer to each other many times, so the number of inlined ones is limited. */
const maxOpened = 1000;

/** Definitions are inlined where they are referenced; recursive ones cannot be. */
function targetFor(root: JsonObject, recursive: boolean): SchemaTarget {
  let count = 0;
  const opened = (schema: JsonObject): JsonObject => {
    const { $ref, ...rest } = schema;
    if (typeof $ref !== "string") return schema;
    const found = recursive || ++count > maxOpened ? null : definition(root, $ref);
    return found === null ? { type: "object", ...rest } : { ...opened(found), ...rest };
  };
  return {
    rules: {
      ...all("keep", "type", "nullable", "enum", "required", "description", "title", "minItems", "maxItems"),
      ...all("keep", "minimum", "maximum", "minLength", "maxLength", "pattern", "minProperties", "maxProperties"),
      ...all("drop", "default", "examples", "example", "$schema", "$id", "$anchor", "$comment", "$defs", "definitions"),
      ...all("drop", "readOnly", "writeOnly", "deprecated", "additionalProperties"),
      ...all("schema", "items"),
      ...all("list", "anyOf"),
      ...all("union", "oneOf"),
      ...all("map", "properties"),
      ...all("note", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "uniqueItems", "format"),
      ...all("lose", "not", "if", "then", "else", "patternProperties", "propertyNames", "prefixItems", "contains"),
      ...all("lose", "dependentSchemas", "dependentRequired", "unevaluatedProperties", "unevaluatedItems"),
    },
    isNative: (keyword, value) => keyword === "format" && (stringFormats.has(value) || numberFormats.has(value)),
    prepare: (schema) => withTextEnum(withoutTypeList(withoutConst(withoutAllOf(opened(schema))))),
    finish,
  };
}

/** Converts a JSON Schema to the older form. */
export function inOpenApiSubset(schema: JsonObject): SchemaInSubset {
  const recursive = isRecursive(schema);
  const cleaned = intoSubset(schema, targetFor(schema, recursive));
  return recursive ? { ...cleaned, exact: false, lost: [...cleaned.lost, "$ref"] } : cleaned;
}
