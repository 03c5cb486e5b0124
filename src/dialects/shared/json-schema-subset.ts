// Reduces JSON Schema to the subset of an upstream. Keywords are found by position: a property named like a keyword is
// unchanged.
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";

/** The schema in the subset; `exact` is false when its meaning changed; `lost` names keywords without a counterpart. */
export interface SchemaInSubset {
  readonly schema: JsonObject;
  readonly exact: boolean;
  readonly lost: readonly string[];
}

/**
 * What happens to a keyword. `note`: mentioned in the description. `lose`: the structure is unsupported. `schema`,
 * `list`, `map`: its value contains schemas. `flag`: a schema or a boolean. `union`: `oneOf`, sent as `anyOf`.
 */
type Rule = "keep" | "drop" | "note" | "lose" | "schema" | "flag" | "list" | "union" | "map";

type Rules = Readonly<Record<string, Rule>>;

/** What an upstream supports. Keywords without a rule are dropped. */
export interface SchemaTarget {
  readonly rules: Rules;
  /** Exceptions: constraints with the rule `note` that are supported after all. */
  isNative(keyword: string, value: Json): boolean;
  /** Rewrites a schema with supported keywords, before the rules are applied. */
  prepare?(schema: JsonObject): JsonObject;
  /** Final changes to one schema; returns false when its meaning changed. */
  finish?(out: JsonObject, before: JsonObject): boolean;
}

/** The same rule for several keywords. */
export function all(rule: Rule, ...keywords: readonly string[]): Record<string, Rule> {
  return Object.fromEntries(keywords.map((keyword) => [keyword, rule]));
}

interface Walk {
  readonly target: SchemaTarget;
  exact: boolean;
  readonly lost: Set<string>;
}

/** Copies one keyword into `out`; text for the description goes to `notes`. */
type Walker = (out: JsonObject, notes: string[], keyword: string, value: Json, walk: Walk) => void;

function walkAny(value: Json | undefined, walk: Walk): Json {
  return isObject(value) ? walkSchema(value, walk) : {};
}

const walkList = (value: Json, walk: Walk): Json[] =>
  Array.isArray(value) ? value.map((each) => walkAny(each, walk)) : [];

const walkers: { readonly [rule in Rule]: Walker } = {
  keep: (out, _, keyword, value) => {
    out[keyword] = value;
  },
  drop: () => undefined,
  note: (out, notes, keyword, value, walk) => {
    if (walk.target.isNative(keyword, value)) out[keyword] = value;
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
  flag: (out, _, keyword, value, walk) => {
    out[keyword] = typeof value === "boolean" ? value : walkAny(value, walk);
  },
  list: (out, _, keyword, value, walk) => {
    out[keyword] = walkList(value, walk);
  },
  union: (out, _, __, value, walk) => {
    walk.exact = false;
    out["anyOf"] = walkList(value, walk);
  },
  map: (out, _, keyword, value, walk) => {
    const entries = isObject(value) ? Object.entries(value) : [];
    out[keyword] = Object.fromEntries(entries.map(([name, each]) => [name, walkAny(each, walk)]));
  },
};

function walkSchema(before: JsonObject, walk: Walk): JsonObject {
  const { rules, prepare, finish } = walk.target;
  const schema = prepare?.(before) ?? before;
  const out: JsonObject = {};
  const notes: string[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    const rule = Object.hasOwn(rules, keyword) ? rules[keyword] : undefined;
    if (rule !== undefined && value !== undefined) walkers[rule](out, notes, keyword, value, walk);
  }
  if (finish?.(out, schema) === false) walk.exact = false;
  if (notes.length > 0) {
    const known = typeof out["description"] === "string" ? `${out["description"]} ` : "";
    out["description"] = `${known}(${notes.join(", ")})`;
  }
  return out;
}

/** Reduces a schema to the subset of `target`. */
export function intoSubset(schema: JsonObject, target: SchemaTarget): SchemaInSubset {
  const walk: Walk = { target, exact: true, lost: new Set() };
  const cleaned = walkSchema(schema, walk);
  return { schema: cleaned, exact: walk.exact && walk.lost.size === 0, lost: [...walk.lost] };
}

function refsIn(value: Json | undefined): string[] {
  if (Array.isArray(value)) return value.flatMap(refsIn);
  if (!isObject(value)) return [];
  const own = typeof value["$ref"] === "string" ? [value["$ref"]] : [];
  return [...own, ...Object.values(value).flatMap(refsIn)];
}

/** Whether a definition refers to itself or to the root. */
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
