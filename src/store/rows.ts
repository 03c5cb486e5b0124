// Rows from both engines, validated against their schema before use.
import { type Static, type TObject, type TSchema, Type } from "typebox";
import { Compile, type Validator } from "typebox/compile";

/** A column with text or null. */
export const NullableText = Type.Union([Type.String(), Type.Null()]);
/** A count, a time in milliseconds or a flag: an integer that a JavaScript number represents exactly. */
export const IntColumn = Type.Integer();
export const NullableInt = Type.Union([Type.Integer(), Type.Null()]);
/** Money in nano-dollars, and anything else that may exceed 2^53. */
export const BigIntColumn = Type.BigInt();
export const NullableBigInt = Type.Union([Type.BigInt(), Type.Null()]);

/** Converts the result of a query to rows of one shape. Throws an Error when a row does not match it. */
type RowReader<Row> = (rows: readonly unknown[]) => Row[];

/** A reader for one row schema, compiled at its first use so that the start does not pay for unused tables. */
export function rowReader<Shape extends TObject>(table: string, shape: Shape): RowReader<Static<Shape>> {
  let validator: Validator | undefined;
  const bigColumns = new Set(Object.keys(shape.properties).filter((name) => isBig(shape.properties[name])));
  return (rows) => {
    validator ??= Compile(shape as TSchema);
    const check = validator;
    return rows.map((row) => {
      const plain = plainRow(table, row, bigColumns);
      if (!check.Check(plain))
        throw new Error(`A row of the table ${table} does not have the shape that it must have.`);
      return plain as Static<Shape>;
    });
  };
}

function isBig(column: TSchema | undefined): boolean {
  return column === BigIntColumn || column === NullableBigInt;
}

/**
 * Both engines return integers as bigint: money stays bigint, everything else becomes a number that is checked to be
 * exact.
 */
function plainRow(table: string, row: unknown, bigColumns: ReadonlySet<string>): Record<string, unknown> {
  if (typeof row !== "object" || row === null) throw new Error(`The table ${table} gave something that is not a row.`);
  const plain: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row)) {
    plain[name] = bigColumns.has(name) ? bigValue(value) : plainValue(table, name, value);
  }
  return plain;
}

function bigValue(value: unknown): unknown {
  return typeof value === "number" ? BigInt(value) : value;
}

function plainValue(table: string, name: string, value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new Error(`The column ${table}.${name} holds a number that is too large.`);
  return number;
}
