// Price books from the prices of the file and the built-in ones.
import { createHash } from "node:crypto";
import { createPriceBook, layered } from "../gateway/prices/price-book.ts";
import { isTie } from "../gateway/prices/price-match.ts";
import type { Priced, PriceMatch, PriceRow, PriceRule } from "../gateway/prices/price-row.ts";
import { createPrices, type Prices } from "../gateway/prices/prices.ts";
import { parseDecimal } from "../lib/decimal.ts";
import type { Path } from "./check-schema.ts";
import type { ReadConfig } from "./file.ts";
import type { CostEntry, Dollars, PriceEntry } from "./price-schema.ts";
import shipped from "./shipped-prices.json" with { type: "json" };

const nanoDigits = 9;
const factorDigits = 6;
const million = 1_000_000n;

/** The unit of each member of `usd`, and the number of units that the price is for. */
const amounts: { readonly [member in keyof Dollars]-?: readonly [of: Priced, per: bigint] } = {
  input: ["inputTokens", million],
  cache_read: ["cacheReadTokens", million],
  cache_write: ["cacheWriteTokens", million],
  cache_write_1h: ["cacheWrite1hTokens", million],
  audio_input: ["audioInputTokens", million],
  image_input: ["imageInputTokens", million],
  output: ["outputTokens", million],
  reasoning: ["reasoningTokens", million],
  audio_output: ["audioOutputTokens", million],
  image_output: ["imageOutputTokens", million],
  characters: ["characters", million],
  image: ["images", 1n],
  audio_minute: ["audioMs", 60_000n],
  video_second: ["videoMs", 1_000n],
  page: ["pages", 1n],
  search: ["searches", 1n],
  request: ["requests", 1n],
};

const dayMs = (day: string): number => Date.parse(`${day}T00:00:00Z`);

/** The members of an entry that are conditions. */
function matchOf(entry: CostEntry | PriceEntry): PriceMatch & { readonly source?: string } {
  const { model, provider, operation, region, tier, size, quality, source } = entry;
  const { from_input_tokens: fromInputTokens, valid_from: validFrom } = entry;
  return {
    model,
    ...(provider === undefined ? {} : { provider }),
    ...(operation === undefined ? {} : { operation }),
    ...(region === undefined ? {} : { region }),
    ...(tier === undefined ? {} : { tier }),
    ...(size === undefined ? {} : { size }),
    ...(quality === undefined ? {} : { quality }),
    ...(fromInputTokens === undefined ? {} : { fromInputTokens }),
    ...(validFrom === undefined ? {} : { validFromMs: dayMs(validFrom) }),
    ...(source === undefined ? {} : { source }),
  };
}

type Report = (path: Path, problem: string) => void;

/** A YAML number as decimal text, as far as a number can represent it. */
function exact(value: string | number, digits: number, path: Path, report: Report): bigint {
  const amount = parseDecimal(String(value), digits);
  if (amount === null) report(path, `must be a decimal number with at most ${digits} decimals`);
  return amount ?? 0n;
}

function rowsOf(entry: CostEntry, path: Path, report: Report): PriceRow[] {
  const match = matchOf(entry);
  return Object.entries(entry.usd).map(([member, dollars]) => {
    const [of, per] = amounts[member as keyof Dollars];
    return { ...match, of, per, nanoDollars: exact(dollars, nanoDigits, [...path, "usd", member], report) };
  });
}

function ruleOf(entry: PriceEntry, path: Path, report: Report): PriceRule {
  const { factor = "1", per_request: perRequest = "0" } = entry;
  return {
    ...matchOf(entry),
    factorMillionths: exact(factor, factorDigits, [...path, "factor"], report),
    perRequestNanoDollars: exact(perRequest, nanoDigits, [...path, "per_request"], report),
  };
}

interface Read<Item> {
  readonly item: Item;
  readonly path: Path;
}

/** Two rows that match equally well are a fault, because the price would be ambiguous. */
function refuseTies<Row extends PriceMatch & { readonly of?: Priced }>(
  rows: readonly Read<Row>[],
  report: Report,
): void {
  for (const [at, { item, path }] of rows.entries()) {
    const other = rows.slice(0, at).find((earlier) => earlier.item.of === item.of && isTie(earlier.item, item));
    if (other !== undefined)
      report(path, `has the same matching fields as ${other.path.join(".")}. Remove one, or add \`valid_from\``);
  }
}

const plain = (_key: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);

/** Changes with every price. */
const versionOf = (rows: unknown): string =>
  createHash("sha256").update(JSON.stringify(rows, plain)).digest("hex").slice(0, 12);

const unreported: Report = (path, problem) => {
  throw new Error(`shipped prices, ${path.join(".")}: ${problem}`);
};

/** A built-in row contains the date of the last check at its source. */
type ShippedEntry = CostEntry & { readonly as_of?: string };

function shippedRows(): readonly PriceRow[] {
  return (shipped as readonly ShippedEntry[]).flatMap(({ as_of: asOf, ...entry }, at) => {
    const source = asOf === undefined ? entry.source : `${entry.source} (${asOf})`;
    return rowsOf({ ...entry, ...(source === undefined ? {} : { source }) }, [String(at)], unreported);
  });
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Reports every fault of the file's prices. */
export function readPrices({ config, faults, fault }: ReadConfig): Prices {
  const report: Report = (path, problem) => faults.add(fault(path, problem));
  const { cost: costs = [], price: prices = [], shipped: usesShipped = true } = config.prices ?? {};
  const at = (list: string, index: number): Path => ["prices", list, String(index)];
  const costRows = costs.flatMap((entry, index) =>
    rowsOf(entry, at("cost", index), report).map((item) => ({ item, path: at("cost", index) })),
  );
  const sold: Sold = { rows: [], rules: [] };
  for (const [index, entry] of prices.entries()) readSold(entry, at("price", index), sold, report);
  refuseTies(costRows, report);
  refuseTies(sold.rows, report);
  refuseTies(sold.rules, report);
  // Parsed on first use, because parsing them all would take a quarter of the start.
  const usual = usesShipped ? once(shippedRows) : () => [];
  const [own, price, over] = [itemsOf(costRows), itemsOf(sold.rows), itemsOf(sold.rules)];
  const cost = createPriceBook(versionOf([own, usesShipped ? shipped : []]), own, usual);
  return createPrices(cost, createPriceBook(versionOf([price, over]), price), over);
}

/** An entry written through the admin API. */
export interface StoredPrice {
  readonly id: string;
  readonly book: "cost" | "price";
  readonly entry: CostEntry | PriceEntry;
}

/** The prices, overridden by stored ones. Faults are reported under `prices.<id>`. */
export function withStoredPrices(base: Prices, stored: readonly StoredPrice[], report: Report): Prices {
  if (stored.length === 0) return base;
  const costs: Read<PriceRow>[] = [];
  const sold: Sold = { rows: [], rules: [] };
  for (const { id, book, entry } of stored) {
    const path: Path = ["prices", id];
    if (book === "price") readSold(entry, path, sold, report);
    else if (isCost(entry)) for (const item of rowsOf(entry, path, report)) costs.push({ item, path });
    else report([...path, "usd"], "is required in the cost book, without `factor` and `per_request`");
  }
  refuseTies(costs, report);
  refuseTies(sold.rows, report);
  refuseTies(sold.rules, report);
  const [cost, price, rules] = [itemsOf(costs), itemsOf(sold.rows), itemsOf(sold.rules)];
  const over = { price: createPriceBook(versionOf([price, rules]), price), rules };
  return createPrices(layered(createPriceBook(versionOf(cost), cost), base.cost), base.price, base.rules, over);
}

const isCost = (entry: CostEntry | PriceEntry): entry is CostEntry =>
  entry.usd !== undefined && !("factor" in entry) && !("per_request" in entry);

interface Sold {
  readonly rows: Read<PriceRow>[];
  readonly rules: Read<PriceRule>[];
}

const itemsOf = <Item>(read: readonly Read<Item>[]): Item[] => read.map(({ item }) => item);

/** Adds what callers pay by an entry: rows of its own, or a rule based on the cost. */
function readSold(entry: PriceEntry, path: Path, { rows, rules }: Sold, report: Report): void {
  const { usd, factor, per_request: perRequest } = entry;
  const follows = factor !== undefined || perRequest !== undefined;
  if ((usd !== undefined) === follows) report(path, "must have either `usd` or `factor` and `per_request`");
  if (usd === undefined) rules.push({ item: ruleOf(entry, path, report), path });
  else for (const item of rowsOf({ ...matchOnly(entry), usd }, path, report)) rows.push({ item, path });
}

function matchOnly({ usd: _usd, factor: _factor, per_request: _perRequest, ...match }: PriceEntry) {
  return match;
}
