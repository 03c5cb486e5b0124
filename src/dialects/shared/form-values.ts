// Converts forms to objects and back: a form contains only text, and clients format numbers in different ways.
import type { TSchema } from "typebox";
import { isObject, type Json, type JsonObject, parseJsonText } from "../../lib/json.ts";
import type { FormPart, UploadedFile } from "../dialect.ts";

/** The parts of a schema that are read. */
interface Shape {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly enum?: readonly unknown[];
}

const numberForm = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/;

const truths: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

/** By schema type: the value of a text, or undefined where it is invalid. */
const readers: { readonly [type: string]: (text: string, shape: Shape) => Json | undefined } = {
  string: (text) => text,
  number: (text) => (numberForm.test(text.trim()) ? Number(text) : undefined),
  integer: (text) => (numberForm.test(text.trim()) ? Number(text) : undefined),
  boolean: (text) => truths.get(text.trim().toLowerCase()),
  object: (text) => (text.trimStart().startsWith("{") ? parseJsonText(text) : undefined),
  array: (text, shape) => {
    if (text.trimStart().startsWith("[")) return parseJsonText(text);
    // Values of an enumeration contain no commas, so commas separate several.
    const texts = shape.items?.enum === undefined ? [text] : text.split(",").map((word) => word.trim());
    return texts.map((each) => valueFor(each, shape.items ?? {}));
  },
  null: (text) => (text === "" ? null : undefined),
};

const typesOf = ({ type, anyOf }: Shape): readonly string[] => {
  if (anyOf !== undefined) return anyOf.flatMap(typesOf);
  return typeof type === "string" ? [type] : (type ?? []);
};

/** A text stays a text where the schema allows it; invalid values are left for validation to refuse by their path. */
function fromText(text: string, shape: Shape): Json {
  const types = typesOf(shape);
  if (types.includes("string") || types.length === 0) return text;
  const branch = (type: string): Shape => shape.anyOf?.find((each) => typesOf(each).includes(type)) ?? shape;
  for (const type of types.toSorted((left) => (left === "null" ? -1 : 0))) {
    const value = readers[type]?.(text, branch(type));
    if (value !== undefined) return value;
  }
  return text;
}

function membersFor(object: JsonObject, shape: Shape): JsonObject {
  const members = shape.properties ?? {};
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [
      name,
      value === undefined || !Object.hasOwn(members, name) ? value : valueFor(value, members[name] ?? {}),
    ]),
  );
}

function valueFor(value: Json, shape: Shape): Json {
  if (typeof value === "string") return fromText(value, shape);
  const fitting = (kind: string): Shape => shape.anyOf?.find((each) => typesOf(each).includes(kind)) ?? shape;
  if (Array.isArray(value)) {
    const items = fitting("array").items;
    return items === undefined ? value : value.map((item) => valueFor(item, items));
  }
  return isObject(value) ? membersFor(value, fitting("object")) : value;
}

/** The wire of a form, with texts converted to the numbers, booleans and lists that the schema requires. */
export function formValues(schema: TSchema, wire: JsonObject): JsonObject {
  return membersFor(wire, schema as Shape);
}

/** Files whose part is named `image`, `image[]` or `image[0]`, by number, otherwise in order. */
export function filesNamed(files: readonly UploadedFile[] | undefined, name: string): readonly UploadedFile[] {
  const numbered = (files ?? []).flatMap((file) => {
    if (file.field === name || file.field === `${name}[]`) return [{ file, at: -1 }];
    const index = file.field.startsWith(`${name}[`) ? /^\[(\d{1,4})\]$/.exec(file.field.slice(name.length)) : null;
    return index === null ? [] : [{ file, at: Number(index[1]) }];
  });
  return numbered.toSorted((left, right) => left.at - right.at).map(({ file }) => file);
}

function partsOf(name: string, value: Json | undefined): FormPart[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => partsOf(`${name}[]`, item));
  if (isObject(value)) return Object.entries(value).flatMap(([key, member]) => partsOf(`${name}[${key}]`, member));
  return [{ name, value: String(value) }];
}

/**
 * An object as the text parts of a form, as the official SDKs write it: lists are repeated as `name[]`, members are
 * `name[member]`, null is left out.
 */
export function formParts(wire: JsonObject): FormPart[] {
  return Object.entries(wire).flatMap(([name, value]) => partsOf(name, value));
}
