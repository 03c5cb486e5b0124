// The subset of JSON Schema that servers of this dialect accept.
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { all, intoSubset, type SchemaInSubset, type SchemaTarget } from "../shared/json-schema-subset.ts";

const formats = new Set<unknown>(["date-time", "date", "time", "enum", "int32", "int64", "float", "double"]);

/** Annotations, which do not constrain values. */
const remarks = new Set(["description", "title", "default", "examples", "$comment", "deprecated"]);

/** The place of definitions here; drafts of JSON Schema use different names for it. */
function homeOf(ref: Json | undefined): Json | undefined {
  return typeof ref === "string" ? ref.replace(/^#\/definitions\//, "#/$defs/") : ref;
}

function joinedProperties(left: Json | undefined, right: Json | undefined): Json {
  return { ...(isObject(left) ? left : {}), ...(isObject(right) ? right : {}) };
}

const listed = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

/** One schema that requires what both require; where both have the same keyword, the first is used. */
function both(left: JsonObject, right: JsonObject): JsonObject {
  const joined: JsonObject = { ...right, ...left };
  if (right.properties !== undefined) joined.properties = joinedProperties(left.properties, right.properties);
  if (right.required !== undefined)
    joined.required = [...new Set([...listed(left.required), ...listed(right.required)])];
  return joined;
}

/** Removes `allOf`: its schemas are merged into the surrounding one. */
export function withoutAllOf(schema: JsonObject): JsonObject {
  const { allOf, ...rest } = schema;
  return listed(allOf).filter(isObject).map(withoutAllOf).reduce(both, rest);
}

/** A constant becomes an enum with one value. */
export function withoutConst(schema: JsonObject): JsonObject {
  const { const: only, ...rest } = schema;
  return only === undefined ? schema : { ...rest, enum: [only] };
}

function prepare(schema: JsonObject): JsonObject {
  const joined = withoutConst(schema.allOf === undefined ? schema : withoutAllOf(schema));
  const { definitions, ...rest } = joined;
  const moved = definitions === undefined ? joined : { ...rest, $defs: joinedProperties(joined.$defs, definitions) };
  return typeof moved.$ref === "string" ? { ...moved, $ref: homeOf(moved.$ref) } : moved;
}

/** A reference may not have other keywords. */
function finish(out: JsonObject): boolean {
  if (out.$ref === undefined) return true;
  const others = Object.keys(out).filter((name) => !name.startsWith("$"));
  for (const name of others) delete out[name];
  return others.every((name) => remarks.has(name));
}

const target: SchemaTarget = {
  rules: {
    ...all("keep", "type", "enum", "$ref", "$id", "$anchor", "required", "description", "title", "propertyOrdering"),
    ...all("keep", "minItems", "maxItems", "minimum", "maximum"),
    ...all("drop", "default", "examples", "example", "$schema", "$comment", "readOnly", "writeOnly", "deprecated"),
    ...all("schema", "items"),
    ...all("flag", "additionalProperties"),
    ...all("list", "anyOf", "prefixItems"),
    ...all("union", "oneOf"),
    ...all("map", "properties", "$defs"),
    ...all("note", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern"),
    ...all("note", "uniqueItems", "minProperties", "maxProperties", "format"),
    ...all("lose", "not", "if", "then", "else", "patternProperties", "propertyNames", "contains", "dependentSchemas"),
    ...all("lose", "dependentRequired", "unevaluatedProperties", "unevaluatedItems"),
  },
  isNative: (keyword, value) => keyword === "format" && formats.has(value),
  prepare,
  finish,
};

/** Reduces a JSON Schema to the subset. */
export function inJsonSubset(schema: JsonObject): SchemaInSubset {
  return intoSubset(schema, target);
}
