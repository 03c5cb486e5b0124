// What prices need of a recorded request: what they are looked up by, and its usage.
import type { Operation } from "../../canonical/operation.ts";
import { type BilledUnits, tokenBuckets, type UnitKind, type Usage } from "../../canonical/usage.ts";
import type { PriceQuery } from "../prices/price-row.ts";
import type { Prices } from "../prices/prices.ts";
import type { RequestRow } from "./columns.ts";

/** The price books, and the kinds of providers by name. */
export interface StoryPrices {
  /** The ones that apply now. */
  readonly prices: Prices;
  /** Those of earlier versions; null where they are not stored. */
  earlier?(costVersion: string | null, priceVersion: string | null): Prices | null;
  kindOf(provider: string): string;
}

/** What the price of a row is looked up by; null if its usage is not charged. */
export function priceQueryOf(
  { provider, upstreamModel, charged, operation, atMs, tier }: RequestRow,
  kindOf: StoryPrices["kindOf"],
): Omit<PriceQuery, "inputTokens"> | null {
  if (provider === null || upstreamModel === null || charged === 0) return null;
  const place = { provider, kind: kindOf(provider), model: upstreamModel, atMs, operation: operation as Operation };
  return tier === null ? place : { ...place, tier };
}

/** The columns of units. */
const unitColumns: { readonly [kind in UnitKind]: keyof RequestRow } = {
  images: "images",
  audioMs: "audioMs",
  videoMs: "videoMs",
  characters: "characters",
  pages: "pages",
  searches: "searches",
  requests: "billedRequests",
};

/** The usage of a settled row. */
export function usageOfRow(row: RequestRow): Usage {
  const tokens = Object.fromEntries(tokenBuckets.map((bucket) => [bucket, row[bucket]])) as Pick<
    Usage,
    (typeof tokenBuckets)[number]
  >;
  const units = row.unitDetails === null ? unitsOfColumns(row) : (JSON.parse(row.unitDetails) as BilledUnits[]);
  return { ...tokens, ...(units.length === 0 ? {} : { units }) };
}

function unitsOfColumns(row: RequestRow): BilledUnits[] {
  return (Object.keys(unitColumns) as UnitKind[]).flatMap((kind) => {
    const amount = Number(row[unitColumns[kind]]);
    return amount === 0 ? [] : [{ kind, amount }];
  });
}
