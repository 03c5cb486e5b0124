// Exact numbers of a body, by its schema: numeric fields become JavaScript numbers, free values keep their source text.
import type { TSchema } from "typebox";
import { GatewayError } from "../canonical/error.ts";
import { type ExactNumber, isExactNumber, isObject, type Json, type JsonObject } from "../lib/json.ts";

/** The relevant members of a JSON schema. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
}

/** `keepsIntegers`: integers of 64 bits stay exact, as in `format: int64`; the validator needs numbers. */
interface Settling {
  readonly keepsIntegers: boolean;
}

const tooLarge = (): GatewayError => new GatewayError("invalid_json", "The body contains a number that is too large.");

const branches = (schemas: readonly Schema[]): readonly Schema[] =>
  schemas.flatMap((schema) => [schema, ...branches(schema.anyOf ?? [])]);

const isFree = ({ type, enum: values, anyOf }: Schema): boolean =>
  type === undefined && values === undefined && anyOf === undefined;

function settledNumber(exact: ExactNumber, schemas: readonly Schema[], { keepsIntegers }: Settling): Json {
  if (schemas.length === 0 || schemas.some(isFree)) return exact;
  const isInteger = /^-?\d+$/.test(exact.rawJSON);
  if (keepsIntegers && isInteger && schemas.some(({ format }) => format === "int64")) return exact;
  const value = Number(exact.rawJSON);
  if (!Number.isFinite(value)) throw tooLarge();
  return value;
}

function settled(value: Json, declared: readonly Schema[], how: Settling): Json {
  const schemas = branches(declared);
  if (isExactNumber(value)) return settledNumber(value, schemas, how);
  if (schemas.length === 0) return value;
  if (Array.isArray(value)) {
    const items = schemas.flatMap((schema) => schema.items ?? []);
    return items.length === 0 ? value : value.map((item) => settled(item, items, how));
  }
  return isObject(value) ? settledObject(value, schemas, how) : value;
}

function memberSchema({ properties, additionalProperties }: Schema, name: string): Schema | undefined {
  return properties?.[name] ?? (typeof additionalProperties === "object" ? additionalProperties : undefined);
}

function settledObject(value: JsonObject, schemas: readonly Schema[], how: Settling): JsonObject {
  const result: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    const declared = schemas.flatMap((schema) => memberSchema(schema, name) ?? []);
    result[name] = member === undefined ? undefined : settled(member, declared, how);
  }
  return result;
}

function holdsInfinity(value: Json | undefined): boolean {
  if (isExactNumber(value)) return !Number.isFinite(Number(value.rawJSON));
  if (Array.isArray(value)) return value.some(holdsInfinity);
  return isObject(value) && Object.values(value).some(holdsInfinity);
}

/** Throws status 400 for a number too large for a numeric field, and for one in an unknown field. */
export function settleNumbers(schema: TSchema, wire: JsonObject, how: Settling): JsonObject {
  const root = schema as Schema;
  const known = branches([root]);
  for (const [name, value] of Object.entries(wire)) {
    const isKnown = known.some(({ properties }) => properties?.[name] !== undefined);
    if (!isKnown && holdsInfinity(value)) throw tooLarge();
  }
  return settledObject(wire, known, how);
}
