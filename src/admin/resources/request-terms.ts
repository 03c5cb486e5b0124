// The cost and the price of a request: term by term, by the prices under which it was admitted, and what repricing added.
import { Type } from "typebox";
import type { Adjustment } from "../../gateway/ledger/adjustments.ts";
import type { PriceExplanation, PriceTerm } from "../../gateway/prices/explain.ts";
import type { PriceRow } from "../../gateway/prices/price-row.ts";
import { formatDecimal } from "../../lib/decimal.ts";
import type { JsonObject } from "../../lib/json.ts";
import { dollars, integer, isoTime, money, nullable, text, time } from "../fields.ts";

const rate = (description: string) =>
  nullable(Type.Object({ amount: money("The price."), per: integer("For so many.") }, { description }));

const term = Type.Object({
  of: text("What was used: a bucket of tokens, such as `inputTokens`, or a unit, such as `images`."),
  size: nullable(text("Size of an image or a video.")),
  quality: nullable(text("Quality of an image or a video.")),
  amount: integer("How much of it."),
  cost_rate: rate("The row of the cost book; null if there is none."),
  cost: money("Its cost."),
  price_rate: rate("The row of the price book; null if the price follows the cost."),
  price: money("Its price."),
});

const rule = Type.Object({
  factor: text("The cost is multiplied by this."),
  per_request: money("Added once for each request."),
});

const adjustment = Type.Object({
  repricing: integer("The number of the repricing."),
  created_at: time("When it was booked."),
  price: money("Added to the price."),
  cost: money("Added to the cost."),
  price_version: text("Version of the price book."),
  cost_version: text("Version of the cost book."),
});

export const termMembers = {
  adjustments: nullable(
    Type.Array(adjustment, { description: "What repricing has added to `price` and `cost`; null in lists." }),
  ),
  terms: nullable(
    Type.Array(term, {
      description:
        "What was used, each with its cost and price by the prices under which the request was admitted; null in lists, and where these prices are not stored or nothing is charged.",
    }),
  ),
  price_rule: nullable(rule),
};

const millionthDigits = 6;

const writtenRate = (row: PriceRow | null): JsonObject | null =>
  row === null ? null : { amount: dollars(row.nanoDollars), per: Number(row.per) };

const writtenTerm = (each: PriceTerm): JsonObject => ({
  ...{ of: each.of, size: each.variant.size ?? null, quality: each.variant.quality ?? null, amount: each.amount },
  ...{ cost_rate: writtenRate(each.costRow), cost: dollars(each.costNanoDollars) },
  ...{ price_rate: writtenRate(each.priceRow), price: dollars(each.priceNanoDollars) },
});

function writtenAdjustment(each: Adjustment): JsonObject {
  return {
    ...{ repricing: each.repricing, created_at: isoTime(each.atMs) },
    ...{ price: dollars(each.priceNanoDollars), cost: dollars(each.costNanoDollars) },
    ...{ price_version: each.priceVersion, cost_version: each.costVersion },
  };
}

/** Adjustments, and the terms of the price. Null: unknown, or not shown in a list. */
export function writtenTerms(explained: PriceExplanation | null, booked: readonly Adjustment[] | null): JsonObject {
  const adjustments = booked?.map(writtenAdjustment) ?? null;
  if (explained === null) return { adjustments, terms: null, price_rule: null };
  const { terms, factorMillionths: factor, perRequestNanoDollars } = explained;
  const isRuled = factor !== null || perRequestNanoDollars > 0n;
  return {
    adjustments,
    terms: terms.map(writtenTerm),
    price_rule: isRuled
      ? { factor: formatDecimal(factor ?? 1_000_000n, millionthDigits), per_request: dollars(perRequestNanoDollars) }
      : null,
  };
}
