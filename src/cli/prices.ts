// `turnpike prices`: the prices in effect, from the file and the built-in ones.
import { readConfiguration } from "../config/configuration.ts";
import { readSettings } from "../config/environment.ts";
import { repriced } from "../gateway/ledger/reprice.ts";
import { explainRow } from "../gateway/ledger/request-story.ts";
import { matchesModel } from "../gateway/prices/price-match.ts";
import type { PriceMatch, PriceRow, PriceRule } from "../gateway/prices/price-row.ts";
import type { Prices } from "../gateway/prices/prices.ts";
import { formatDecimal } from "../lib/decimal.ts";
import { type Command, parseCommonFields } from "./options.ts";
import { dollars, jsonText, table } from "./print.ts";
import { pricingOf } from "./requests.ts";
import { dayMs } from "./usage.ts";

const head = ["book", "provider", "model", "only for", "of", "USD", "per", "valid from", "source"];
const factorDigits = 6;
const oneDayMs = 86_400_000;

const day = (ms: number | undefined): string => (ms === undefined ? "" : new Date(ms).toISOString().slice(0, 10));

/** The conditions of a row in addition to its provider and model. */
function conditions({ operation, region, tier, size, quality, fromInputTokens }: PriceMatch): string {
  const from = fromInputTokens === undefined ? undefined : `from ${fromInputTokens} input tokens`;
  return [operation, region, tier, size, quality, from].filter((each) => each !== undefined).join(", ");
}

function rowCells(book: string, row: PriceRow): string[] {
  const { provider = "", model, of, per, nanoDollars, validFromMs, source = "" } = row;
  return [book, provider, model, conditions(row), of, dollars(nanoDollars), String(per), day(validFromMs), source];
}

function ruleCells(rule: PriceRule): string[] {
  const { provider = "", model, factorMillionths, perRequestNanoDollars, validFromMs } = rule;
  const factor = `cost × ${formatDecimal(factorMillionths, factorDigits)}`;
  const fixed = perRequestNanoDollars === 0n ? "" : ` + ${dollars(perRequestNanoDollars)}`;
  return ["price", provider, model, conditions(rule), "everything", factor + fixed, "request", day(validFromMs), ""];
}

/** Only rows that may apply to this model, if one is given. */
function selected({ cost, price, rules }: Prices, model: string | undefined) {
  const isWanted = (row: PriceMatch): boolean => model === undefined || matchesModel(row.model, model);
  return { cost: cost.rows.filter(isWanted), price: price.rows.filter(isWanted), rules: rules.filter(isWanted) };
}

function shown(words: readonly string[]): string {
  const { values } = parseCommonFields(words, { model: { type: "string" }, json: { type: "boolean" } } as const);
  const { prices } = readConfiguration(readSettings(process.env, process.cwd()));
  const { cost, price, rules } = selected(prices, values.model);
  const { costVersion, priceVersion } = prices;
  if (values.json) return jsonText({ costVersion, priceVersion, cost, price, rules });
  const rows = [
    ...cost.map((row) => rowCells("cost", row)),
    ...price.map((row) => rowCells("price", row)),
    ...rules.map(ruleCells),
  ];
  return table([head, ...rows]);
}

const repriceHead = [
  "day",
  "model",
  "requests",
  "changed",
  "unpriced",
  "booked cost",
  "new cost",
  "booked price",
  "new price",
];

/** Applies today's prices to past requests: printed, not written. */
function reprice(words: readonly string[]): string {
  const options = { since: { type: "string" }, until: { type: "string" }, json: { type: "boolean" } } as const;
  const { values } = parseCommonFields(words, options);
  const settings = readSettings(process.env, process.cwd());
  const pricing = pricingOf(readConfiguration(settings));
  const sinceMs = dayMs("since", values.since) ?? 0;
  const untilMs = (dayMs("until", values.until) ?? Date.now()) + oneDayMs;
  const groups = repriced(settings.dataFolder, { sinceMs, untilMs }, (row) => explainRow(row, pricing));
  if (values.json) return jsonText(groups);
  if (groups.length === 0) return "No request would cost anything else.";
  const cells = groups.map((each) => [
    ...[each.day, each.model, String(each.requests), String(each.changed), String(each.unpriced)],
    ...[each.bookedCost, each.newCost, each.bookedPrice, each.newPrice].map(dollars),
  ]);
  return table([repriceHead, ...cells]);
}

export const pricesCommand: Command = {
  usage: "turnpike prices",
  summary: "what requests cost",
  commands: {
    list: {
      usage: "turnpike prices list",
      summary: "the prices of the configuration and those that are shipped",
      options: { "--model NAME": "only rows that may apply to this model", "--json": "print JSON" },
      run: (words) => console.log(shown(words)),
    },
    reprice: {
      usage: "turnpike prices reprice",
      summary: "what booked requests would come to by today's prices; nothing is changed",
      options: {
        "--since YYYY-MM-DD": "from this day on (UTC)",
        "--until YYYY-MM-DD": "up to the end of this day (UTC)",
        "--json": "print JSON",
      },
      run: (words) => console.log(reprice(words)),
    },
  },
};
