// The maximum cost of a request for its caller, with the most expensive candidate.
import { GatewayError } from "../../canonical/error.ts";
import type { TokenBucket, UnitKind, Usage } from "../../canonical/usage.ts";
import { zeroUsage } from "../../canonical/usage.ts";
import { divideUp } from "../../lib/decimal.ts";
import { findRow } from "../prices/price-book.ts";
import type { PriceQuery } from "../prices/price-row.ts";
import type { Prices } from "../prices/prices.ts";
import type { Candidate } from "../routing/catalog.ts";
import type { ResolvedIntent } from "./policy.ts";

/** In nano-dollars. */
export interface WorstCase {
  /** Input and units. */
  readonly base: bigint;
  readonly perMillionOutput: bigint;
}

const million = 1_000_000;

/** The whole price with so many tokens of output. */
export const priceWith = ({ base, perMillionOutput }: WorstCase, outputTokens: number): bigint =>
  base + divideUp(perMillionOutput * BigInt(outputTokens), BigInt(million));

/** How many tokens of output an amount pays for. */
export function tokensFor({ base, perMillionOutput }: WorstCase, amount: bigint): number {
  if (amount < base) return 0;
  if (perMillionOutput === 0n) return Number.MAX_SAFE_INTEGER;
  return Number(((amount - base) * BigInt(million)) / perMillionOutput);
}

type Query = Omit<PriceQuery, "inputTokens"> & { readonly inputTokens: number };
type PriceOf = (usage: Partial<Usage>) => bigint | null;

const largest = (amounts: readonly (bigint | null)[]): bigint | null =>
  amounts.reduce((most, each) => (each !== null && (most === null || each > most) ? each : most), null);

const ofBucket = (priceOf: PriceOf, bucket: TokenBucket, amount: number): bigint | null =>
  priceOf({ [bucket]: amount });

/** The token equivalents of images and speech that are billed by the token. */
const tokensOfUnit: { readonly [kind in UnitKind]?: (amount: number) => Partial<Usage> } = {
  images: (amount) => ({ imageOutputTokens: 6_300 * amount }),
  characters: (amount) => ({ inputTokens: amount, audioOutputTokens: 3 * amount }),
  audioMs: (amount) => ({ audioInputTokens: Math.ceil(0.032 * amount), outputTokens: Math.ceil(0.01 * amount) }),
};

/** Some models are billed by the unit, some by the token, some by both: existing prices count. */
function unitsPrice({ size, operation }: ResolvedIntent, priceOf: PriceOf, input: bigint | null): bigint | null {
  if (operation === "embed" || operation === "moderate") return input;
  const prices = size.units().flatMap((unit) => {
    const tokens = tokensOfUnit[unit.kind]?.(unit.amount) ?? {};
    const parts = Object.entries(tokens).map(([bucket, amount]) =>
      ofBucket(priceOf, bucket as TokenBucket, Number(amount)),
    );
    return [priceOf({ units: [unit] }), ...parts];
  });
  const known = [...prices, input].filter((price) => price !== null);
  return known.length === 0 ? null : known.reduce((sum, price) => sum + price, 0n);
}

/** The additional cost of media in the input, if they have a price of their own. */
function mediaPremium({ size, candidates }: ResolvedIntent, priceOf: PriceOf): bigint {
  const { audio, image } = size.mediaInput(candidates);
  const premium = (bucket: TokenBucket, amount: number): bigint => {
    const own = amount === 0 ? null : ofBucket(priceOf, bucket, amount);
    const more = own === null ? 0n : own - (ofBucket(priceOf, "inputTokens", amount) ?? 0n);
    return more > 0n ? more : 0n;
  };
  return premium("audioInputTokens", audio) + premium("imageInputTokens", image);
}

const inputBuckets = {
  none: ["inputTokens"],
  short: ["inputTokens", "cacheWriteTokens"],
  long: ["inputTokens", "cacheWriteTokens", "cacheWrite1hTokens"],
} as const;

/** For one query; null if anything has no price. */
function worstAt(intent: ResolvedIntent, query: Query, prices: Prices, inputTokens: number): WorstCase | null {
  const { size, operation, model } = intent;
  const priceOf: PriceOf = (usage) => prices.of(query, model, { ...zeroUsage, ...usage }).priceNanoDollars;
  const buckets = inputBuckets[size.cacheWrites()];
  const text = largest(buckets.map((bucket) => ofBucket(priceOf, bucket, inputTokens)));
  const input = text === null ? null : text + mediaPremium(intent, priceOf);
  if (operation !== "chat") {
    const base = unitsPrice(intent, priceOf, input);
    return base === null ? null : { base, perMillionOutput: 0n };
  }
  const perMillionOutput = largest([
    ofBucket(priceOf, "outputTokens", million),
    ofBucket(priceOf, "reasoningTokens", million),
    ...size.mediaOutput().map((bucket) => ofBucket(priceOf, bucket, million)),
  ]);
  return input === null || perMillionOutput === null ? null : { base: input, perMillionOutput };
}

/** The size of the input, and each threshold below it at which another price starts. */
function thresholds(query: Query, prices: Prices): readonly number[] {
  const rows = [...prices.cost.at(query), ...prices.price.at(query)];
  const below = rows.flatMap(({ fromInputTokens = 0 }) =>
    fromInputTokens > 0 && fromInputTokens < query.inputTokens ? [fromInputTokens] : [],
  );
  return [query.inputTokens, ...new Set(below)];
}

/** Requested features that change the price must have a price. */
function refuseUnpricedFields({ size }: ResolvedIntent, query: Query, prices: Prices): void {
  const { tier } = query;
  const rows = prices.cost.at(query);
  if (tier !== undefined && findRow(rows, query, "outputTokens")?.tier !== tier) throw unpricedField(size.tierPath);
  const isLongCache = size.cacheWrites() === "long" && findRow(rows, query, "cacheWriteTokens") !== undefined;
  if (isLongCache && findRow(rows, query, "cacheWrite1hTokens") === undefined) throw unpricedField(size.cachePath);
  const tool = size.pricedTools().find(({ unit }) => findRow(rows, query, unit) === undefined);
  if (tool !== undefined) throw unpricedField(tool.path);
}

const unpricedField = (param: string): GatewayError =>
  new GatewayError("unsupported_parameter", `'${param}' has no price here, and this key has a budget.`, { param });

function queryFor({ provider, model }: Candidate, intent: ResolvedIntent, atMs: number): Query {
  const { size, operation, candidates } = intent;
  const inputTokens = size.inputBound(candidates);
  const tier = size.tier();
  const names = { provider: provider.entry.name, kind: provider.kind.name, model };
  return { ...names, operation, atMs, inputTokens, ...(tier === null ? {} : { tier }) };
}

/** Server tools are billed by use: a request reserves for this many uses of each. */
const usesOfTool = 5;

/** Prices of a million tokens, if they are the same for requests of every size. */
interface FlatPrice {
  readonly input: bigint;
  readonly output: bigint;
  readonly untilMs: number;
}

const flatPrices = new WeakMap<Prices, Map<string, FlatPrice>>();
/** Prices may change at a date. */
const flatForMs = 60_000;
const maxFlat = 1_000;

function hasMedia({ size, candidates }: ResolvedIntent): boolean {
  const { audio, image } = size.mediaInput(candidates);
  return audio + image > 0 || size.mediaOutput().length > 0;
}

/**
 * For a chat without anything that changes its price; null if thresholds or fixed amounts make it more than a product.
 */
function flatPrice(intent: ResolvedIntent, query: Query, prices: Prices): FlatPrice | null {
  const { size, operation, model } = intent;
  const isPlain = operation === "chat" && query.tier === undefined && size.cacheWrites() === "none";
  if (!isPlain || prices.rules.length > 0 || size.pricedTools().length > 0 || hasMedia(intent)) return null;
  const known = flatPrices.get(prices) ?? new Map<string, FlatPrice>();
  flatPrices.set(prices, known);
  const key = `${query.provider}\n${query.model}\n${model}`;
  const found = known.get(key);
  if (found !== undefined && query.atMs < found.untilMs) return found;
  const rows = [...prices.cost.at(query), ...prices.price.at(query), ...prices.price.at({ ...query, model })];
  if (rows.some(({ fromInputTokens }) => fromInputTokens !== undefined)) return null;
  const worst = worstAt(intent, query, prices, million);
  if (worst === null) return null;
  if (known.size >= maxFlat) known.clear();
  const made = { input: worst.base, output: worst.perMillionOutput, untilMs: query.atMs + flatForMs };
  known.set(key, made);
  return made;
}

/** Null if a candidate has no price. Throws `unsupported_parameter` for a field that changes the price and has none. */
export function worstCaseOf(intent: ResolvedIntent, prices: Prices, atMs: number): WorstCase | null {
  let base = 0n;
  let perMillionOutput = 0n;
  for (const candidate of intent.candidates) {
    const query = queryFor(candidate, intent, atMs);
    const flat = flatPrice(intent, query, prices);
    if (flat !== null) {
      const input = divideUp(flat.input * BigInt(query.inputTokens), BigInt(million));
      if (input > base) base = input;
      if (flat.output > perMillionOutput) perMillionOutput = flat.output;
      continue;
    }
    for (const inputTokens of thresholds(query, prices)) {
      const worst = worstAt(intent, { ...query, inputTokens }, prices, query.inputTokens);
      if (worst === null) return null;
      if (worst.base > base) base = worst.base;
      if (worst.perMillionOutput > perMillionOutput) perMillionOutput = worst.perMillionOutput;
    }
    if (base === 0n && perMillionOutput === 0n) continue;
    refuseUnpricedFields(intent, query, prices);
    for (const { unit } of intent.size.pricedTools())
      base +=
        prices.of(query, intent.model, { ...zeroUsage, units: [{ kind: unit, amount: usesOfTool }] })
          .priceNanoDollars ?? 0n;
  }
  return { base, perMillionOutput };
}
