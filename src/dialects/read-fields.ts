// The client half of a field table: the schema of a request, its canonical fields, and members without a canonical
// field.
import { type TProperties, type TSchema, Type } from "typebox";
import type { RequestFields } from "../canonical/request-field.ts";
import type { UnmappedField } from "../canonical/warning.ts";
import { isExactNumber, isObject, type Json, type JsonObject } from "../lib/json.ts";
import {
  type FieldTable,
  isLossRow,
  type Reading,
  type RenderSetting,
  rowsOf,
  type UntypedField,
  type UntypedTable,
  type WireMember,
  type WireMembers,
} from "./field-table.ts";
import { object, optional } from "./schema-helpers.ts";
import { isAbsent } from "./shared/json-accessors.ts";
import type { UploadedFile } from "./upstream-request.ts";

/** Rows that a client of the format can use. */
function clientRows(table: UntypedTable): [field: string, row: UntypedField][] {
  return rowsOf(table).flatMap(([field, row]): [string, UntypedField][] =>
    isLossRow(row) || (row.schema ?? row.parseMembers ?? row.also) === undefined ? [] : [[field, row]],
  );
}

/** Adds a schema at its path; parents without an entry of their own are optional objects. */
function addSchema(properties: TProperties, [name = "", ...rest]: readonly string[], schema: TSchema): void {
  const present = properties[name];
  if (rest.length === 0) {
    const hasParts = present !== undefined && "properties" in present;
    properties[name] = hasParts ? withProperties(schema, present) : schema;
    return;
  }
  const inner: TProperties = {};
  addSchema(inner, rest, schema);
  properties[name] = withProperties(present ?? optional("object"), { properties: inner } as TSchema);
}

const propertiesOf = (schema: TSchema): TProperties => (schema as { properties?: TProperties }).properties ?? {};

/** A parent's schema with more properties. */
function withProperties(parent: TSchema, more: TSchema): TSchema {
  const properties: TProperties = { ...propertiesOf(parent) };
  for (const [name, schema] of Object.entries(propertiesOf(more))) addSchema(properties, [name], schema);
  return Type.Optional(Type.Unsafe({ ...parent, properties }));
}

/** The schema of a body: strict in the types and bounds of rows and members, open to unknown ones. */
export function requestSchema(table: UntypedTable, members: WireMembers): TSchema {
  const properties: TProperties = {};
  for (const [path, { schema }] of Object.entries(members)) {
    if (schema !== undefined) addSchema(properties, path.split("."), schema);
  }
  for (const [, { path, schema, also = {} }] of clientRows(table)) {
    if (schema !== undefined) addSchema(properties, path.split("."), schema);
    for (const [name, older] of Object.entries(also)) addSchema(properties, name.split("."), older);
  }
  return object(properties);
}

/** The member at a path; undefined where it is absent. */
function memberAt(wire: JsonObject, path: readonly string[]): Json | undefined {
  const value = path.reduce<Json | undefined>((inner, name) => (isObject(inner) ? inner[name] : undefined), wire);
  return isAbsent(value) ? undefined : value;
}

type ReadRow = (reading: Reading, fields: Record<string, unknown>) => void;

function rowReader([field, row]: [string, UntypedField]): ReadRow {
  if (row.carriedBy !== undefined) return () => undefined;
  const paths = [row.path, ...Object.keys(row.also ?? {})].map((path) => path.split("."));
  return (reading, fields) => {
    if (row.parseMembers !== undefined) {
      Object.assign(fields, row.parseMembers(reading));
      return;
    }
    const member = paths.map((path) => memberAt(reading.wire, path)).find((value) => value !== undefined);
    if (member === undefined) return;
    const plain = isExactNumber(member) ? Number(member.rawJSON) : member;
    const value = row.parse === undefined ? plain : row.parse(member, reading);
    if (value !== undefined) fields[field] = value;
  };
}

function ruleOf({ lost }: WireMember, value: Json, wire: JsonObject): UnmappedField["rule"] | null {
  if (typeof lost === "function") return lost(value, wire);
  return lost === undefined ? "warn" : lost;
}

/** The parent paths of a path. */
function parentsOf(path: string): string[] {
  const names = path.split(".");
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join("."));
}

/** Finds the members of a wire that no row reads, and applies their rules. */
function unmappedReader(table: UntypedTable, members: WireMembers): (wire: JsonObject) => UnmappedField[] {
  const read = new Set(clientRows(table).flatMap(([, row]) => [row.path, ...Object.keys(row.also ?? {})]));
  const entries = new Map(Object.entries(members));
  const parents = new Set([...read, ...entries.keys()].flatMap(parentsOf));
  const membersOf = (object: JsonObject, prefix: string, wire: JsonObject): UnmappedField[] =>
    Object.entries(object).flatMap(([name, value]): UnmappedField[] => {
      const path = `${prefix}${name}`;
      const member = entries.get(path);
      if (value === undefined || (read.has(path) && member === undefined)) return [];
      if (parents.has(path) && isObject(value)) return membersOf(value, `${path}.`, wire);
      if ((isAbsent(value) || value === "") && !(isObject(value) && member?.countsWhenEmpty)) return [];
      const rule = ruleOf(member ?? entries.get(`${prefix}*`) ?? {}, value, wire);
      return rule === null ? [] : [{ path, rule }];
    });
  return (wire) => membersOf(wire, "", wire);
}

/** The fields of a body: canonical fields, and members without one. */
export interface ReadFields<R> {
  readonly fields: Partial<RequestFields<R>>;
  readonly unmappedFields: readonly UnmappedField[];
}

/** The function that reads the fields of a body that has passed the schema. */
export function fieldReader<R, S extends RenderSetting<R>>(
  table: FieldTable<R, S>,
  members: WireMembers,
): (wire: JsonObject, files?: readonly UploadedFile[]) => ReadFields<R> {
  const rows = clientRows(table).map(rowReader);
  const readUnmapped = unmappedReader(table, members);
  return (wire, files = []) => {
    const reading: Reading = { wire, files, unmapped: readUnmapped(wire) };
    const fields: Record<string, unknown> = {};
    for (const read of rows) read(reading, fields);
    return { fields: fields as Partial<RequestFields<R>>, unmappedFields: reading.unmapped };
  };
}
