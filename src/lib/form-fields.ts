// Converts the texts of a form to one object: repeated and bracketed names become lists and members.
import type { Json, JsonObject } from "./json.ts";

interface FormField {
  readonly name: string;
  readonly value: string;
}

/** `name`: it is invalid, or nested too deeply. `conflict`: it is given in two ways that contradict each other. */
export interface FormFieldFault {
  readonly reason: "name" | "conflict";
  readonly name: string;
}

type FormFieldResult =
  | { readonly ok: true; readonly object: JsonObject }
  | { readonly ok: false; readonly fault: FormFieldFault };

interface Node {
  readonly values: string[];
  readonly members: Map<string, Node>;
  /** Given with empty brackets: a list, even with one item. */
  isList: boolean;
}

const maxKeys = 4;
const nameForm = /^([^[\]]+)((?:\[[^[\]]*\])*)$/;

/** `a[b][]` as `["a", "b", ""]`; null for an invalid name. */
function keysOf(name: string): readonly string[] | null {
  const [, first, brackets = ""] = nameForm.exec(name) ?? [];
  if (first === undefined) return null;
  const keys = [first, ...[...brackets.matchAll(/\[([^[\]]*)\]/g)].map(([, key = ""]) => key)];
  const isBad = keys.length > maxKeys || keys.includes("__proto__") || keys.slice(0, -1).includes("");
  return isBad ? null : keys;
}

const newNode = (): Node => ({ values: [], members: new Map(), isList: false });

function nodeFor(root: Node, keys: readonly string[]): Node {
  return keys.reduce((node, key) => {
    const next = node.members.get(key) ?? newNode();
    node.members.set(key, next);
    return next;
  }, root);
}

/** `0`, `1`, `2`, in any order and without gaps: a list. */
function listed(members: ReadonlyMap<string, Node>): Node[] | null {
  const nodes = Array.from({ length: members.size }, (_, index) => members.get(String(index)));
  return nodes.every((node) => node !== undefined) ? nodes : null;
}

/** Undefined if a name was given in two ways. */
function meantBy({ values, members, isList }: Node): Json | undefined {
  if (members.size === 0) return isList || values.length > 1 ? values : values[0];
  if (values.length > 0) return undefined;
  const list = listed(members);
  if (list === null) return objectOf(members);
  const items = list.map(meantBy);
  return items.every((item) => item !== undefined) ? items : undefined;
}

function objectOf(members: ReadonlyMap<string, Node>): JsonObject | undefined {
  const entries = [...members].map(([key, node]) => [key, meantBy(node)] as const);
  return entries.every(([, value]) => value !== undefined) ? Object.fromEntries(entries) : undefined;
}

/** All texts of a form as one object of texts, lists and objects. */
export function formObject(fields: readonly FormField[]): FormFieldResult {
  const root = newNode();
  for (const { name, value } of fields) {
    const keys = keysOf(name);
    if (keys === null) return { ok: false, fault: { reason: "name", name } };
    const isList = keys.at(-1) === "";
    const node = nodeFor(root, isList ? keys.slice(0, -1) : keys);
    node.isList ||= isList;
    node.values.push(value);
  }
  const object: JsonObject = {};
  for (const [name, node] of root.members) {
    const value = meantBy(node);
    if (value === undefined) return { ok: false, fault: { reason: "conflict", name } };
    object[name] = value;
  }
  return { ok: true, object };
}
