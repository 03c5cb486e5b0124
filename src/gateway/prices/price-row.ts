// A row of a price book: its conditions, and the price of one bucket or unit.
import type { Operation } from "../../canonical/operation.ts";
import type { TokenBucket, UnitKind } from "../../canonical/usage.ts";

/** Everything that can have a price. */
export type Priced = TokenBucket | UnitKind;

/** The conditions of a row. An absent member matches everything. */
export interface PriceMatch {
  /** A name, or a pattern in which `*` matches any text. */
  readonly model: string;
  /** The name of a provider, or its kind. */
  readonly provider?: string;
  readonly operation?: Operation;
  readonly region?: string;
  readonly tier?: string;
  readonly size?: string;
  readonly quality?: string;
  /** Matches requests with at least so many input tokens in total. */
  readonly fromInputTokens?: number;
  /** Unix milliseconds; matches requests admitted at this time or later. */
  readonly validFromMs?: number;
}

export interface PriceRow extends PriceMatch {
  readonly of: Priced;
  /** The number of units that cost `nanoDollars`. */
  readonly per: bigint;
  readonly nanoDollars: bigint;
  /** The source of the price. */
  readonly source?: string;
}

/** A price based on the cost. */
export interface PriceRule extends PriceMatch {
  /** Millionths: 1,250,000 is 25 % more than the cost. */
  readonly factorMillionths: bigint;
  /** Added once per request. */
  readonly perRequestNanoDollars: bigint;
}

/** The facts about a request that select its price. */
export interface PriceQuery {
  /** Name and kind of the provider; absent if only the client's model decides. */
  readonly provider?: string;
  readonly kind?: string;
  readonly model: string;
  readonly operation: Operation;
  readonly region?: string;
  readonly tier?: string;
  /** When it was admitted, in Unix milliseconds. */
  readonly atMs: number;
  readonly inputTokens: number;
}

/** The facts that differ between the units of one request. */
export interface Variant {
  readonly size?: string;
  readonly quality?: string;
}
