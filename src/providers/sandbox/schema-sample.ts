// A value that matches a JSON Schema, for the sandbox's tool calls and structured outputs. Same schema, same value.
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";

const maxDepth = 12;

function sampleString(schema: JsonObject): string {
  const formats: { readonly [format: string]: string } = {
    "date-time": "2025-01-01T00:00:00Z",
    date: "2025-01-01",
    time: "00:00:00Z",
    email: "sandbox@example.com",
    uri: "https://example.com/",
    uuid: "00000000-0000-4000-8000-000000000000",
    ipv4: "192.0.2.1",
  };
  const text = formats[String(schema.format)] ?? "sandbox";
  const shortest = typeof schema.minLength === "number" ? schema.minLength : 0;
  const longest = typeof schema.maxLength === "number" ? schema.maxLength : text.length + shortest;
  return text.padEnd(shortest, "x").slice(0, longest);
}

function sampleNumber(schema: JsonObject): number {
  const least = typeof schema.minimum === "number" ? schema.minimum : undefined;
  const most = typeof schema.maximum === "number" ? schema.maximum : undefined;
  if (least !== undefined && least > 1) return Math.ceil(least);
  return most !== undefined && most < 1 ? Math.floor(most) : 1;
}

function sampleObject(schema: JsonObject, root: JsonObject, depth: number): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const filled: JsonObject = {};
  for (const [name, property] of Object.entries(properties))
    filled[name] = isObject(property) ? sample(property, root, depth + 1) : null;
  return filled;
}

function sampleArray(schema: JsonObject, root: JsonObject, depth: number): Json[] {
  const count = typeof schema.minItems === "number" ? Math.min(schema.minItems, 16) : 1;
  const items = schema.items;
  return isObject(items) ? Array.from({ length: count }, () => sample(items, root, depth + 1)) : [];
}

const byType: { readonly [type: string]: (schema: JsonObject, root: JsonObject, depth: number) => Json } = {
  string: sampleString,
  integer: sampleNumber,
  number: sampleNumber,
  boolean: () => true,
  null: () => null,
  object: sampleObject,
  array: sampleArray,
};

function referenced(schema: JsonObject, root: JsonObject): JsonObject | null {
  if (schema.$ref === "#") return root;
  if (typeof schema.$ref !== "string" || !schema.$ref.startsWith("#/")) return null;
  let target: Json | undefined = root;
  for (const part of schema.$ref.slice(2).split("/")) target = isObject(target) ? target[part] : undefined;
  return isObject(target) ? target : null;
}

/** `root` contains the definitions that `$ref` refers to. */
export function sample(schema: JsonObject, root: JsonObject = schema, depth = 0): Json {
  if (depth > maxDepth) return null;
  const target = referenced(schema, root);
  if (target !== null) return sample(target, root, depth + 1);
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null;
  const branches = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (Array.isArray(branches) && isObject(branches[0])) return sample(branches[0], root, depth + 1);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  const make = byType[String(type ?? (isObject(schema.properties) ? "object" : "string"))];
  return make === undefined ? null : make(schema, root, depth);
}
