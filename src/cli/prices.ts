// `turnpike prices`: the prices in effect, from the file and the built-in ones.
import { existsSync } from "node:fs";
import { readConfiguration } from "../config/configuration.ts";
import { readSettings, type Settings } from "../config/environment.ts";
import { readPrices } from "../config/prices.ts";
import { ledgerPath } from "../gateway/ledger/files.ts";
import {
  bookRepricing,
  previewRepricing,
  type RepricedSums,
  type RepriceQuery,
  type RepricingReport,
} from "../gateway/ledger/reprice.ts";
import type { StoryPrices } from "../gateway/ledger/row-price.ts";
import { priceDifferences } from "../gateway/prices/diff.ts";
import { matchesModel } from "../gateway/prices/price-match.ts";
import type { PriceMatch, PriceRow, PriceRule } from "../gateway/prices/price-row.ts";
import type { Prices } from "../gateway/prices/prices.ts";
import { listBooks, readBooks, storeBooks } from "../gateway/prices/stored-books.ts";
import { formatDecimal } from "../lib/decimal.ts";
import { audited } from "./audit.ts";
import { withStore } from "./open.ts";
import { type Command, parseCommonFields, UsageError } from "./options.ts";
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

async function shown(words: readonly string[]): Promise<string> {
  const { values } = parseCommonFields(words, { model: { type: "string" }, json: { type: "boolean" } } as const);
  const settings = readSettings(process.env, process.cwd());
  const { prices } = await pricingOf(settings, readConfiguration(settings));
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

/** A version of the prices by its name: where they are from, or a version of either book. */
async function namedPrices(settings: Settings, name: string): Promise<Prices> {
  const configuration = readConfiguration(settings);
  if (name === "shipped") return readPrices({ ...configuration.file, config: {} });
  if (name === "file") return configuration.prices;
  const { prices } = await pricingOf(settings, configuration);
  if (name === "current" || name === prices.costVersion || name === prices.priceVersion) return prices;
  const found = listBooks(settings.dataFolder).find((each) => [each.costVersion, each.priceVersion].includes(name));
  const books = found && readBooks(settings.dataFolder, found.costVersion, found.priceVersion);
  if (books) return books;
  throw new Error(`No prices have the version '${name}'. See turnpike prices versions.`);
}

/** What was served last, or what is shipped where nothing was. */
function lastServed({ dataFolder }: Settings): string {
  return listBooks(dataFolder)[0]?.costVersion ?? "shipped";
}

const figure = (row: PriceRow | PriceRule | null): string => {
  if (row === null) return "";
  return "of" in row ? `${dollars(row.nanoDollars)} per ${row.per}` : (ruleCells(row)[5] ?? "");
};

async function diff(words: readonly string[]): Promise<string> {
  const { values, positionals } = parseCommonFields(words, { json: { type: "boolean" } } as const, 2);
  const settings = readSettings(process.env, process.cwd());
  const [from = lastServed(settings), to = "current"] = positionals;
  const [before, after] = [await namedPrices(settings, from), await namedPrices(settings, to)];
  const found = priceDifferences(before, after);
  if (values.json) return jsonText(found);
  if (found.length === 0) return `The prices of '${from}' and '${to}' are the same.`;
  const cells = found.map(({ book, match, before: was, after: is }) => [
    ...[book, match.provider ?? "", match.model, conditions(match), match.of, day(match.validFromMs)],
    ...[figure(was), figure(is)],
  ]);
  return table([["book", "provider", "model", "only for", "of", "valid from", from, to], ...cells]);
}

function versions(words: readonly string[]): string {
  const { values } = parseCommonFields(words, { json: { type: "boolean" } } as const);
  const found = listBooks(readSettings(process.env, process.cwd()).dataFolder).map(({ atMs, ...each }) => ({
    since: new Date(atMs).toISOString(),
    ...each,
  }));
  if (values.json) return jsonText(found);
  const cells = found.map(({ since, costVersion, priceVersion }) => [since, costVersion, priceVersion]);
  return table([["since", "cost version", "price version"], ...cells]);
}

const repriceHead = ["key", "model", "requests", "changed", "booked cost", "new cost", "booked price", "new price"];

function repricedCells(key: string, model: string, each: RepricedSums): string[] {
  const amounts = [each.bookedCost, each.newCost, each.bookedPrice, each.newPrice].map(dollars);
  return [key, model, String(each.requests), String(each.changed), ...amounts];
}

function repricingText({ total, groups, repricing }: RepricingReport): string {
  const left = [
    ...(total.unpriced === 0 ? [] : [`${total.unpriced} requests have no price now, and stay as they are.`]),
    ...(total.unexplained === 0
      ? []
      : [`${total.unexplained} requests do not follow from the prices of their time, and stay as they are.`]),
  ];
  if (total.changed === 0) return ["No request would cost anything else.", ...left].join("\n");
  const rows = groups.filter(({ changed }) => changed > 0).map((each) => repricedCells(each.keyId, each.model, each));
  const end =
    repricing === null
      ? "Nothing was changed. --book books the differences."
      : `Booked as repricing ${repricing}: ${total.changed} adjustments.`;
  return [table([repriceHead, ...rows, repricedCells("all", "", total)]), "", ...left, end].join("\n");
}

/** Booked with an entry of the audit log, which is written before. */
async function booked(settings: Settings, query: RepriceQuery, pricing: StoryPrices): Promise<RepricingReport> {
  const { costVersion, priceVersion } = pricing.prices;
  storeBooks(settings.dataFolder, pricing.prices);
  const change = { after: { ...query, costVersion, priceVersion } };
  await withStore(async ({ store }) =>
    audited(store, { action: "reprice", resource: "prices", objectId: "", change }, async () => undefined),
  );
  return bookRepricing(settings.dataFolder, query, pricing);
}

/** Applies today's prices, or those of a version, to past requests. */
async function reprice(words: readonly string[]): Promise<string> {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const options = { since: text, until: text, model: text, version: text, book: flag, json: flag };
  const { values } = parseCommonFields(words, options);
  if (values.book && values.since === undefined) throw new UsageError("--book requires --since.");
  const settings = readSettings(process.env, process.cwd());
  const current = await pricingOf(settings, readConfiguration(settings));
  const prices = values.version === undefined ? current.prices : await namedPrices(settings, values.version);
  const pricing = { ...current, prices };
  const sinceMs = dayMs("since", values.since) ?? 0;
  const untilMs = (dayMs("until", values.until) ?? Date.now()) + oneDayMs;
  const query = { sinceMs, untilMs, ...(values.model === undefined ? {} : { model: values.model }) };
  const hasLedger = existsSync(ledgerPath(settings.dataFolder));
  if (!hasLedger) throw new Error(`There is no ledger in ${settings.dataFolder}.`);
  const report = values.book
    ? await booked(settings, query, pricing)
    : previewRepricing(settings.dataFolder, query, pricing);
  return values.json ? jsonText(report) : repricingText(report);
}

export const pricesCommand: Command = {
  usage: "turnpike prices",
  summary: "what requests cost",
  commands: {
    list: {
      usage: "turnpike prices list",
      summary: "the prices of the admin API, of the file and those that are shipped",
      options: { "--model NAME": "only rows that may apply to this model", "--json": "print JSON" },
      run: async (words) => console.log(await shown(words)),
    },
    reprice: {
      usage: "turnpike prices reprice",
      summary: "what settled requests come to by today's prices; nothing is changed without --book",
      options: {
        "--since YYYY-MM-DD": "from this day on (UTC)",
        "--until YYYY-MM-DD": "up to the end of this day (UTC)",
        "--model NAME": "only requests for this model",
        "--version VERSION": "by the prices of this version; see turnpike prices versions",
        "--book": "book the differences as adjustments, all or none",
        "--json": "print JSON",
      },
      run: async (words) => console.log(await reprice(words)),
    },
    diff: {
      usage: "turnpike prices diff [FROM] [TO]",
      summary: "rows that differ between two versions of the prices",
      options: {
        FROM: "`shipped`, `file`, `current` or a version; if omitted, what was served last",
        TO: "the same; if omitted, `current`: the file, the admin API and those that are shipped",
        "--json": "print JSON",
      },
      run: async (words) => console.log(await diff(words)),
    },
    versions: {
      usage: "turnpike prices versions",
      summary: "the versions of the prices that were served from this data folder",
      options: { "--json": "print JSON" },
      run: (words) => console.log(versions(words)),
    },
  },
};
