// `turnpike prices`: the prices that apply, from the file and from those that are shipped.
import { readConfiguration } from "../config/configuration.ts";
import { readSettings } from "../config/environment.ts";
import { matchesModel } from "../gateway/prices/price-match.ts";
import type { PriceMatch, PriceRow, PriceRule } from "../gateway/prices/price-row.ts";
import type { Prices } from "../gateway/prices/prices.ts";
import { formatDecimal } from "../lib/decimal.ts";
import { type Command, parseCommonFields } from "./options.ts";
import { dollars, jsonText, table } from "./print.ts";

const head = ["book", "provider", "model", "only for", "of", "USD", "per", "valid from", "source"];
const factorDigits = 6;

const day = (ms: number | undefined): string => (ms === undefined ? "" : new Date(ms).toISOString().slice(0, 10));

/** What narrows a row beyond its provider and model. */
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

/** Only rows that may apply to this model, where one is named. */
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
  },
};
