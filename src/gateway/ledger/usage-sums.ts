// The sums of a group of requests: over the rows of the ledger, and of two groups into one.
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
/** Over rows of `requests`. */
export const sumsSql = `count(*) as requests,
  sum(state not in ('completed', 'replayed', 'open', 'pending')) as errors, sum(state in ('open', 'pending')) as open,
  ${amountNames.map((name) => `sum(iif(charged, ${columnOf(name)}, 0)) as "${name}"`).join(", ")},
  sum(cost) as "costNanoDollars", sum(price) as "priceNanoDollars",
  sum(state not in ('open', 'pending') and charged and cost is null and ${anyAmount} > 0) as unpriced,
  sum((select coalesce(sum(possible_input_tokens), 0) from attempts where attempts.id = requests.id)) as "possibleTokens"`;

export const sumNames = Object.keys(sumsShape.properties) as (keyof UsageSums)[];

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
