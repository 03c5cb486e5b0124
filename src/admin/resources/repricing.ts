// What settled requests come to by the prices that apply now: computed, or booked as adjustments.
import { Type } from "typebox";
import type { RepricedSums, RepricingReport } from "../../gateway/ledger/reprice.ts";
import type { Repricer } from "../../gateway/ledger/repricer.ts";
import type { JsonObject } from "../../lib/json.ts";
import { closed, dollars, givenTime, integer, money, nullable, shortText, text } from "../fields.ts";
import { msOf } from "../query.ts";
import type { Action } from "../resource.ts";

/** The rest is only in `total`. */
const maxGroups = 1_000;

const body = Type.Object(
  {
    since: givenTime("Requests from this time on."),
    until: Type.Optional(givenTime("Requests before this time. Default: now.")),
    model: Type.Optional(shortText("Only requests for this model.")),
    key_id: Type.Optional(shortText("Only requests of this key.")),
  },
  closed,
);

const sums = {
  requests: integer("Requests whose usage is charged."),
  changed: integer("Of these, with another cost or price."),
  unpriced: integer("Of these, without a price now: they stay as they are, and are not in the amounts."),
  unexplained: integer(
    "Of these, with figures that do not follow from the prices of their time: they stay as they are, and are not in the amounts.",
  ),
  booked_cost: money("Cost as it is."),
  new_cost: money("Cost by the prices that apply now."),
  booked_price: money("Price as it is."),
  new_price: money("Price by the prices that apply now."),
};

const reply = Type.Object({
  object: Type.Literal("repricing"),
  repricing: nullable(integer("Its number, which is also in every adjustment; null if nothing was booked.")),
  cost_version: text("Version of the cost book."),
  price_version: text("Version of the price book."),
  total: Type.Object(sums),
  groups: Type.Array(Type.Object({ key_id: text("The key."), model: text("The model."), ...sums }), {
    description: "By key and model, where something changes.",
  }),
});

const sumsOf = (each: RepricedSums): JsonObject => ({
  ...{ requests: each.requests, changed: each.changed, unpriced: each.unpriced, unexplained: each.unexplained },
  ...{ booked_cost: dollars(each.bookedCost), new_cost: dollars(each.newCost) },
  ...{ booked_price: dollars(each.bookedPrice), new_price: dollars(each.newPrice) },
});

const written = ({ repricing, costVersion, priceVersion, total, groups }: RepricingReport): JsonObject => ({
  ...{ object: "repricing", repricing, cost_version: costVersion, price_version: priceVersion, total: sumsOf(total) },
  groups: groups.slice(0, maxGroups).map((each) => ({ key_id: each.keyId, model: each.model, ...sumsOf(each) })),
});

/** `preview` computes; `reprice` also books. Both are about the requests of the instance that answers. */
export function repricingActions(repricer: () => Repricer): Readonly<Record<"preview" | "reprice", Action>> {
  const run = (isBooked: boolean): Action["run"] => {
    return async ({ nowMs }, _id, { since, until, model, key_id: keyId }) => {
      const query = {
        sinceMs: msOf("since", String(since)),
        untilMs: until === undefined ? nowMs : msOf("until", String(until)),
        ...(model === undefined ? {} : { model: String(model) }),
        ...(keyId === undefined ? {} : { keyId: String(keyId) }),
      };
      return written(await repricer().reprice(query, isBooked));
    };
  };
  const common = { scope: "collection", body, reply } as const;
  return {
    preview: {
      summary: "Returns what settled requests come to by the prices that apply now. Nothing is changed.",
      ...{ ...common, effect: "read", run: run(false) },
    },
    reprice: {
      summary: "Books what settled requests come to by the prices that apply now, as adjustments: all or none.",
      ...{ ...common, effect: "outside", requested: (given: JsonObject) => given, run: run(true) },
    },
  };
}
