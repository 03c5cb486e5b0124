// The sums of a group of requests: over the rows of the ledger, of two groups into one, and of rows as arrays of
// numbers, which are added up much faster than objects.
import { type Static, Type } from "typebox";
import { IntColumn, NullableBigInt } from "../../store/rows.ts";
import { amountNames, amounts, columnOf } from "./columns.ts";

export const sumsShape = Type.Object({
  requests: IntColumn,
  /** Requests that are neither completed nor in progress. */
  errors: IntColumn,
  /** Requests in progress. */
  open: IntColumn,
  ...amounts,
  /** The sum of existing costs or prices; null if there are none. */
  costNanoDollars: NullableBigInt,
  priceNanoDollars: NullableBigInt,
  /** Requests with tokens or units and without a cost. */
  unpriced: IntColumn,
  /** Tokens of attempts that failed after they were sent: providers may bill them, and callers do not pay them. */
  possibleTokens: IntColumn,
});

export type UsageSums = Static<typeof sumsShape>;

const anyAmount = amountNames.map(columnOf).join(" + ");

/** What one row of `requests` adds to each sum, in SQL. */
export const sumParts = {
  requests: "1",
  errors: "state not in ('completed', 'replayed', 'open', 'pending')",
  open: "state in ('open', 'pending')",
  ...Object.fromEntries(amountNames.map((name) => [name, `iif(charged, ${columnOf(name)}, 0)`])),
  costNanoDollars: "cost",
  priceNanoDollars: "price",
  unpriced: `state not in ('open', 'pending') and charged and cost is null and ${anyAmount} > 0`,
  possibleTokens: "(select coalesce(sum(possible_input_tokens), 0) from attempts where attempts.id = requests.id)",
} as SumParts;

export type SumParts = { readonly [name in keyof UsageSums]: string };

export const sumNames = Object.keys(sumsShape.properties) as (keyof UsageSums)[];

/** What an adjustment adds to each sum: no requests and no tokens. */
export const adjustmentParts = {
  ...Object.fromEntries(sumNames.map((name) => [name, "0"])),
  costNanoDollars: "cost_change",
  priceNanoDollars: "price_change",
  unpriced: "-priced",
} as SumParts;

export const sumsSql = (parts: SumParts): string =>
  sumNames.map((name) => `sum(${parts[name]}) as "${name}"`).join(", ");

/** The same group in two places. */
export function sumOf(left: UsageSums, right: UsageSums): UsageSums {
  const sum = (name: keyof UsageSums): UsageSums[keyof UsageSums] => {
    const [one, other] = [left[name], right[name]];
    if (typeof one === "number" && typeof other === "number") return one + other;
    if (typeof one === "bigint" && typeof other === "bigint") return one + other;
    return one ?? other;
  };
  return Object.fromEntries(sumNames.map((name) => [name, sum(name)])) as UsageSums;
}

/** Money in two numbers that stay exact, and the number of amounts: a sum of none is null. */
const nanoPerDollar = 1_000_000_000;
const isMoney = (name: string): boolean => name.endsWith("NanoDollars");

export const latencies = ["durationMs", "firstByteMs"] as const;

/** Columns of the sums, and of the latencies, in a table that has both. */
export const sumColumns = sumNames.map(columnOf);
export const latencyColumns = latencies.flatMap((name) => [`${columnOf(name)}_sum`, `${columnOf(name)}_count`]);

const latencyParts = latencies.map(columnOf).flatMap((column) => [`coalesce(${column}, 0)`, `${column} is not null`]);

/** The numbers of a row, in SQL. Adjustments have no latency of their own. */
export function rowSumsSql(parts: SumParts, hasLatency: boolean): string {
  const sums = sumNames.flatMap((name) => {
    const part = parts[name];
    if (!isMoney(name)) return [part];
    return [
      `coalesce(${part} / ${nanoPerDollar}, 0)`,
      `coalesce(${part} % ${nanoPerDollar}, 0)`,
      `${part} is not null`,
    ];
  });
  return [...sums, ...latencyParts.map((part) => (hasLatency ? part : "0"))].join(", ");
}

const length = sumNames.reduce((sum, name) => sum + (isMoney(name) ? 3 : 1), 2 * latencies.length);

export type RowSums = Float64Array;

export const noSums = (): RowSums => new Float64Array(length);

/** From the values of a row, of which the first ones are something else. */
export function rowSumsOf(values: readonly unknown[], first: number): RowSums {
  const sums = noSums();
  for (let at = 0; at < length; at++) sums[at] = Number(values[first + at]);
  return sums;
}

export function addRowSums(into: RowSums, from: RowSums): void {
  for (let at = 0; at < length; at++) into[at] = (into[at] as number) + (from[at] as number);
}

/** The values of the columns: of the sums, and then of the latencies. */
export function columnValues(sums: RowSums): (number | bigint | null)[] {
  const values: (number | bigint | null)[] = [];
  let at = 0;
  const next = (): number => sums[at++] ?? 0;
  for (const name of sumNames) {
    if (!isMoney(name)) {
      values.push(next());
      continue;
    }
    const [dollars, nano, count] = [next(), next(), next()];
    values.push(count === 0 ? null : BigInt(dollars) * BigInt(nanoPerDollar) + BigInt(nano));
  }
  for (let left = 2 * latencies.length; left > 0; left--) values.push(next());
  return values;
}
