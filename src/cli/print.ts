// Output of commands: tables, amounts of money, JSON.
import { formatDecimal } from "../lib/decimal.ts";

/** Columns of text, each as wide as its widest cell. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

const nanoDigits = 9;

/** Nano-dollars as decimal dollars, exactly. */
export const dollars = (nanoDollars: bigint): string => formatDecimal(nanoDollars, nanoDigits);

/** Indented JSON; integers too large for a double become decimal strings. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? String(inner) : inner), 2);
}
