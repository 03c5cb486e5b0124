// JSON Schema in the subset that constrained output accepts. Walks by position: a property named like a keyword is left alone.
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";

/** The schema in the subset; `exact` is false when it says less or more than before; `lost` names what has no counterpart. */
export interface SchemaInSubset {
  readonly schema: JsonObject;
  readonly exact: boolean;
  readonly lost: readonly string[];
}

/** What to do with a keyword. `note`: told in the description. `lose`: the structure cannot be said at all. */
type Rule = "keep" | "drop" | "note" | "lose" | "schema" | "list" | "map";

const rules: Readonly<Record<string, Rule>> = {
  ...all("keep", ["type", "enum", "const", "$ref", "required", "description"]),
  ...all("drop", ["default", "examples", "$schema", "$id", "title", "$comment", "readOnly", "writeOnly", "deprecated"]),
  ...all("schema", ["items"]),
  ...all("list", ["anyOf", "oneOf", "allOf"]),
  ...all("map", ["properties", "$defs", "definitions"]),
  ...all("note", [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
  ]),
  ...all("note", ["pattern", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "format"]),
  ...all("lose", ["not", "if", "then", "else", "patternProperties", "propertyNames", "prefixItems", "contains"]),
  ...all("lose", ["dependentSchemas", "dependentRequired", "unevaluatedProperties", "unevaluatedItems"]),
};

function all(rule: Rule, keywords: readonly string[]): Record<string, Rule> {
  return Object.fromEntries(keywords.map((keyword) => [keyword, rule]));
}

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

/** Constraints that are native after all. */
const isNative = (keyword: string, value: Json): boolean =>
  (keyword === "format" && formats.has(value)) || (keyword === "minItems" && (value === 0 || value === 1));

interface Walk {
  exact: boolean;
  readonly lost: Set<string>;
}

function walkAny(value: Json | undefined, walk: Walk): Json {
  return isObject(value) ? walkSchema(value, walk) : {};
}

const keywordWalkers: {
  readonly [rule in Rule]: (out: JsonObject, notes: string[], keyword: string, value: Json, walk: Walk) => void;
} = {
  keep: (out, _, keyword, value) => {
    out[keyword] = value;
  },
  drop: () => undefined,
  note: (out, notes, keyword, value, walk) => {
    if (isNative(keyword, value)) out[keyword] = value;
    else {
      notes.push(`${keyword}: ${JSON.stringify(value)}`);
      walk.exact = false;
    }
  },
  lose: (_, __, keyword, ___, walk) => {
    walk.lost.add(keyword);
    walk.exact = false;
  },
  schema: (out, _, keyword, value, walk) => {
    out[keyword] = walkAny(value, walk);
  },
  list: (out, _, keyword, value, walk) => {
    if (keyword === "oneOf") walk.exact = false;
    const list = Array.isArray(value) ? value.map((each) => walkAny(each, walk)) : [];
    out[keyword === "oneOf" ? "anyOf" : keyword] = list;
  },
  map: (out, _, keyword, value, walk) => {
    const entries = isObject(value) ? Object.entries(value) : [];
    out[keyword] = Object.fromEntries(entries.map(([name, each]) => [name, walkAny(each, walk)]));
  },
};

function isObjectSchema(schema: JsonObject): boolean {
  const { type } = schema;
  return type === "object" || (Array.isArray(type) && type.includes("object")) || isObject(schema["properties"]);
}

function walkSchema(schema: JsonObject, walk: Walk): JsonObject {
  const out: JsonObject = {};
  const notes: string[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    const rule = Object.hasOwn(rules, keyword) ? rules[keyword] : undefined;
    if (rule !== undefined && value !== undefined) keywordWalkers[rule](out, notes, keyword, value, walk);
  }
  if (isObjectSchema(schema)) {
    if (schema["additionalProperties"] !== false) walk.exact = false;
    out["additionalProperties"] = false;
  }
  if (notes.length > 0) {
    const known = typeof out["description"] === "string" ? `${out["description"]} ` : "";
    out["description"] = `${known}(${notes.join(", ")})`;
  }
  return out;
}

function refsIn(value: Json | undefined): string[] {
  if (Array.isArray(value)) return value.flatMap(refsIn);
  if (!isObject(value)) return [];
  const own = typeof value["$ref"] === "string" ? [value["$ref"]] : [];
  return [...own, ...Object.values(value).flatMap(refsIn)];
}

/** True when some definition leads back to itself, or to the whole. */
export function isRecursive(schema: JsonObject): boolean {
  const next = new Map<string, string[]>();
  for (const place of ["$defs", "definitions"]) {
    const definitions = schema[place];
    if (!isObject(definitions)) continue;
    for (const [name, each] of Object.entries(definitions)) next.set(`#/${place}/${name}`, refsIn(each));
  }
  const done = new Set<string>();
  const loops = (ref: string, above: ReadonlySet<string>): boolean => {
    if (ref === "#" || above.has(ref)) return true;
    if (done.has(ref)) return false;
    done.add(ref);
    return (next.get(ref) ?? []).some((each) => loops(each, new Set([...above, ref])));
  };
  return refsIn(schema).some((ref) => loops(ref, new Set()));
}

/** Cleans a schema for constrained output. */
export function inSubset(schema: JsonObject): SchemaInSubset {
  const walk: Walk = { exact: true, lost: new Set() };
  const cleaned = walkSchema(schema, walk);
  if (isRecursive(schema)) walk.lost.add("$ref");
  return { schema: cleaned, exact: walk.exact && walk.lost.size === 0, lost: [...walk.lost] };
}
