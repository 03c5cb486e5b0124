// Prices: what providers charge and what callers pay. Entries written here override those of the file and the built-in
// ones.
import { type TObject, Type } from "typebox";
import type { Repricer } from "../../gateway/ledger/repricer.ts";
import type { PriceMatch, PriceRow, PriceRule } from "../../gateway/prices/price-row.ts";
import type { Prices } from "../../gateway/prices/prices.ts";
import { formatDecimal } from "../../lib/decimal.ts";
import { randomId } from "../../lib/ids.ts";
import type { JsonObject } from "../../lib/json.ts";
import { closed, integer, isoTime, nullable, text, time } from "../fields.ts";
import type { LiveCatalog } from "../live-catalog.ts";
import { type Action, create, type Resource, update } from "../resource.ts";
import {
  changeEntry,
  createEntry,
  deleteEntry,
  type EntryKind,
  entryMembers,
  readingVerbs,
} from "./catalog-entries.ts";
import { repricingActions } from "./repricing.ts";

interface PriceDependencies {
  readonly catalog: () => LiveCatalog;
  readonly prices: () => Prices;
  readonly repricer: () => Repricer;
  /** The schemas of entries in the configuration file. */
  readonly schemas: { readonly cost: TObject; readonly price: TObject };
}

const book = Type.Enum(["cost", "price"], {
  type: "string",
  description:
    "`cost` is what providers charge, by the provider's model ID; `price` what callers pay, by the model they name.",
});

const object = Type.Object({
  object: Type.Literal("price"),
  ...entryMembers,
  book,
  config: Type.Object({}, { description: "As an entry of `prices.cost` or `prices.price` of the configuration file." }),
});

const effective = Type.Object({
  object: Type.Literal("price_list"),
  cost_version: text("Version of the cost book. Requests note it."),
  price_version: text("Version of the price book."),
  rows: Type.Array(
    Type.Object({
      book,
      model: text("A model, or a pattern."),
      provider: Type.Optional(text("Only of this provider.")),
      operation: Type.Optional(text("Only for this operation.")),
      region: Type.Optional(text("Only in this region.")),
      tier: Type.Optional(text("Only for this service tier.")),
      size: Type.Optional(text("Only for this size.")),
      quality: Type.Optional(text("Only for this quality.")),
      from_input_tokens: Type.Optional(integer("Only for requests with so many input tokens.")),
      valid_from: Type.Optional(time("From when it applies.")),
      of: text("What is counted, such as `inputTokens`; `everything` for a rule over the cost."),
      per: integer("So many cost `usd`."),
      usd: nullable(text("US dollars.")),
      factor: nullable(text("Multiple of the cost.")),
      source: Type.Optional(text("Where the price is from.")),
    }),
  ),
});

const [nanoDigits, factorDigits] = [9, 6];

function matchOf({ fromInputTokens, validFromMs, ...match }: PriceMatch): JsonObject {
  const { model, provider, operation, region, tier, size, quality } = match;
  const from = validFromMs === undefined ? undefined : isoTime(validFromMs);
  const bounds = { from_input_tokens: fromInputTokens, valid_from: from };
  return { model, provider, operation, region, tier, size, quality, ...bounds };
}

const rowOf = (of: "cost" | "price", row: PriceRow): JsonObject => ({
  ...{ book: of, ...matchOf(row), of: row.of, per: Number(row.per) },
  ...{ usd: formatDecimal(row.nanoDollars, nanoDigits), factor: null, source: row.source },
});

const ruleOf = (rule: PriceRule): JsonObject => ({
  ...{ book: "price", ...matchOf(rule), of: "everything", per: 1 },
  usd: formatDecimal(rule.perRequestNanoDollars, nanoDigits),
  factor: formatDecimal(rule.factorMillionths, factorDigits),
});

/** All prices in effect, those of the API first: thousands of rows, which only change with an entry. */
function listAction(prices: () => Prices): Action {
  return {
    summary: "Lists the rows of both books as they apply now: of the admin API, the file, and those that are shipped.",
    scope: "collection",
    effect: "read",
    reply: effective,
    async run() {
      const { cost, price, rules, costVersion, priceVersion } = prices();
      const rows = [
        ...cost.rows.map((row) => rowOf("cost", row)),
        ...price.rows.map((row) => rowOf("price", row)),
        ...rules.map(ruleOf),
      ];
      return { object: "price_list", cost_version: costVersion, price_version: priceVersion, rows };
    },
  };
}

export function prices({ catalog, prices: current, repricer, schemas }: PriceDependencies): Resource {
  const members: EntryKind["members"] = (_id, { config: { book: of = "cost", ...config } }) => ({ book: of, config });
  const kind: EntryKind = { kind: "price", title: "price", catalog, members };
  const config = Type.Union([schemas.cost, schemas.price]);
  return {
    ...{ name: "prices", title: "price", object },
    ...readingVerbs(kind),
    create: create(Type.Object({ book, config }, closed), (context, body) => {
      const { nowMs } = context;
      const entry = { ...(body.config as JsonObject), book: body.book };
      return createEntry(kind, context, randomId("price_"), { config: entry, createdAtMs: nowMs, updatedAtMs: nowMs });
    }),
    update: update(Type.Object({ config }, closed), (context, id, body) =>
      changeEntry(kind, context, id, ({ config: { book: of = "cost" } }) => ({
        config: { ...(body.config as JsonObject), book: of },
      })),
    ),
    delete: { run: (context, id) => deleteEntry(kind, context, id) },
    committed: () => catalog().refresh(),
    actions: { effective: listAction(current), ...repricingActions(repricer) },
  };
}
